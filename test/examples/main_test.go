//go:build !windows

// Package examples_test runs the examples. Their commands are for sh, which Windows lacks.
package examples_test

import (
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
