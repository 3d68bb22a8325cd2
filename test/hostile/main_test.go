package hostile_test

import (
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
