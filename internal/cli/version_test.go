package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	for label, test := range map[string]struct {
		main debug.Module
		want string
	}{
		"go install MODULE@VERSION": {debug.Module{Version: "v1.2.3", Sum: "h1:x"}, "v1.2.3"},
		"a working copy":            {debug.Module{Version: "v1.2.4-0.20260101000000-0123456789ab+dirty"}, "dev"},
		"no version control":        {debug.Module{Version: "(devel)"}, "dev"},
		"go run of one file":        {debug.Module{}, "dev"},
	} {
		if got := versionOf("dev", test.main); got != test.want {
			t.Errorf("%s: got %q, want %q", label, got, test.want)
		}
	}
}
