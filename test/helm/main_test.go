package helm_test

import (
	"testing"

	"github.com/confighash/confighash/internal/test/harness"
)

func TestMain(m *testing.M) { harness.MainWithShell(m) }
