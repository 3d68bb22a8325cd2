package properties_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

// diff compares two texts, and reports whether they differ.
func diff(dir, before, after string) (out string, differs bool, err error) {
	old := filepath.Join(dir, "old.yaml")
	if err := os.WriteFile(old, []byte(before), 0o600); err != nil {
		return "", false, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(harness.Binary, "diff", "--from", old, "--to", "-")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(after), &stdout, &stderr
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 3 {
		return stdout.String(), true, nil
	}
	if err != nil {
		err = fmt.Errorf("diff: %w\n%s", err, &stderr)
	}
	return stdout.String(), false, err
}

var changedRow = regexp.MustCompile(`(?m)^  (changed|added|removed)  (.*)$`)

// A mere rename is not a difference. A changed value is a difference of only its object, whether or not mode Rename
// has run. A Secret's value is not shown.
func TestDiff_showsTheObjectWhoseValueChanged(t *testing.T) {
	dir := t.TempDir()
	edited := 0
	property.ForAll(t, packages/5, randomPackage, func(_ *gen.Dice, p *plainPackage) error {
		text := p.text(nil)
		renamed, err := p.process(text)
		if err != nil {
			return err
		}
		if out, differs, err := diff(dir, text, renamed); err != nil || differs || !strings.HasPrefix(out, "Nothing changes") {
			return fmt.Errorf("a rename is a difference: %w\n%s", err, out)
		}
		for _, d := range p.documents {
			s := d.subject
			if s == nil {
				continue
			}
			edited++
			after, err := p.process(strings.ReplaceAll(text, s.token, wrappedBase64("edited")))
			if err != nil {
				return err
			}
			want := s.kind + " " + s.name
			if s.namespace != "" {
				want = s.kind + " " + s.namespace + "/" + s.name
			}
			for label, before := range map[string]string{"from the sources": text, "from a rename": renamed} {
				out, _, err := diff(dir, before, after)
				if err != nil {
					return err
				}
				rows := changedRow.FindAllStringSubmatch(out, -1)
				if len(rows) != 1 || rows[0][1] != "changed" || rows[0][2] != want {
					return fmt.Errorf("%s: the change of %s is not shown, or not alone:\n%s", label, want, out)
				}
				if token, _, _ := strings.Cut(s.token, "\n"); strings.Contains(out, token) != (s.kind == "ConfigMap") {
					return fmt.Errorf("%s: the value of %s is shown, or is not:\n%s", label, want, out)
				}
			}
		}
		return nil
	})
	if edited < property.Cases(packages/5)/2 {
		t.Errorf("only %d values were edited", edited)
	}
}
