package helm_test

import (
	"flag"
	"testing"

	"github.com/confighash/confighash/internal/test/harness"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

func TestMain(m *testing.M) { harness.Main(m) }
