//go:build e2e

package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// TestE2E_theHTMLNeedsNoMouse uses reports with the keyboard only: the filter, and the details, which Enter and Space
// open and close. Tab leads to each of them in turn, and the focus is always visible.
func TestE2E_theHTMLNeedsNoMouse(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	before, after := writeFleets(t, dir, 100)
	for command, args := range map[string][]string{
		"impact": {"impact", "--from", before, "--to", after, "-o", "html"},
		"graph":  {"graph", before, "-o", "html"},
	} {
		page := filepath.Join(dir, command+".html")
		if err := os.WriteFile(page, harness.MustRun(t, nil, harness.Binary, args...), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open(t, "file://"+page)
		b.filters(t)
		b.opensDetails(t)
	}
}

// A control is the focused element, and whether the focus is visible.
type control struct {
	Tag, ID, Class, Type, Value, Text string
	Open, Outlined                    bool
}

func (b *browser) focused(t *testing.T) (c control) {
	t.Helper()
	b.evaluate(t, `(e => { const s = getComputedStyle(e); return {
		Tag: e.tagName, ID: e.id, Class: e.className, Type: e.type, Value: e.value, Text: e.textContent.slice(0, 50), Open: e.parentElement.open,
		Outlined: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0,
	} })(document.activeElement)`, &c)
	return c
}

// filters writes into the filter, which the first Tab focuses, and empties it.
func (b *browser) filters(t *testing.T) {
	t.Helper()
	b.press(t, "Tab")
	if at := b.focused(t); at.ID != "filter" || !at.Outlined {
		t.Fatalf("the first Tab leads to %+v", at)
	}
	type state struct {
		Found  string
		Hidden int
	}
	see := func() (s state) {
		b.evaluate(t, `({Found: document.getElementById("found").textContent, Hidden: document.querySelectorAll(".item[hidden]").length})`, &s)
		return s
	}
	word := strings.Split("common", "")
	b.press(t, word...)
	if got := see(); !regexp.MustCompile(`^[1-9]\d* of [1-9]\d*$`).MatchString(got.Found) || got.Hidden == 0 {
		t.Errorf("the filter finds %+v", got)
	}
	for range word {
		b.press(t, "Backspace")
	}
	if got := see(); got != (state{}) {
		t.Errorf("an empty filter finds %+v", got)
	}
}

// opensDetails opens and closes all details, from the filter to the end of the page.
func (b *browser) opensDetails(t *testing.T) {
	t.Helper()
	const most = 500
	var summaries, want int
	stops := map[string]bool{}
	b.evaluate(t, `[...document.querySelectorAll("summary")].filter(e => e.checkVisibility()).length`, &want)
	for range most {
		b.press(t, "Tab")
		at := b.focused(t)
		if at.Tag == "BODY" || at.ID == "filter" {
			break
		}
		if stops[at.Class] = true; !at.Outlined {
			t.Errorf("one cannot see that %+v has the focus", at)
		}
		if at.Tag != "SUMMARY" {
			continue
		}
		summaries++
		for _, key := range []string{"Enter", " "} {
			was := at.Open
			if b.press(t, key); b.focused(t).Open == was {
				t.Errorf("the key %q leaves %+v as it is", key, at)
			}
			at = b.focused(t)
		}
	}
	if summaries != want || want == 0 || !stops["picture"] {
		t.Errorf("Tab leads to %d of %d details, and to %v", summaries, want, stops)
	}
}
