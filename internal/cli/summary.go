package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// maxNames is how many resources a line of the summary names.
const maxNames = 3

// Escape sequences that set what a terminal prints off.
const (
	bold   = "1"
	faint  = "2"
	green  = "32"
	yellow = "33"
)

// hasColours reports whether a terminal is to be sent colours: by
// https://no-color.org and where the terminal can show them.
func hasColours() bool {
	t := os.Getenv("TERM")
	return os.Getenv("NO_COLOR") == "" && t != "" && t != "dumb"
}

// A summary is written in lines.
type summary struct {
	out     bytes.Buffer
	colours bool
}

// writeSummary writes what was done, for a person at a terminal.
func writeSummary(w io.Writer, s *function.Summary, colours bool) error {
	p := &summary{colours: colours}
	changed := "nothing changed"
	if s.Changed > 0 {
		changed = fmt.Sprintf("%d of %s changed", s.Changed, plural(s.Resources, "resource"))
	}
	p.line("%s %s", p.paint(bold, "confighash "+string(s.Mode)+":"), changed)
	if s.Mode == v1alpha1.ModeRename {
		p.renamed(s)
	} else {
		p.stamped(s)
	}
	p.leftAlone(s.LeftAlone)
	if s.Warnings > 0 {
		p.line("  %s above", p.paint(yellow, plural(s.Warnings, "warning")))
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

func (p *summary) renamed(s *function.Summary) {
	if len(s.Named) == 0 {
		p.line("  nothing is named after its content")
		return
	}
	var kinds []string
	total := 0
	for _, k := range s.Named {
		kinds = append(kinds, p.paint(green, plural(k.N, k.What)))
		total += k.N
	}
	p.line("  %s named after %s content", graph.Enumerate(kinds), choose(total, "its", "their"))
	p.line("  %s to %s", p.paint(green, plural(s.References, "reference")), choose(total, "it", "them"))
}

func (p *summary) stamped(s *function.Summary) {
	if s.Stamped == 0 {
		p.line("  nothing is stamped")
	} else {
		p.line("  %s stamped with a checksum of what %s", p.paint(green, plural(s.Stamped, "workload")), choose(s.Stamped, "it consumes", "they consume"))
	}
	if s.Unstamped > 0 {
		p.line("  %s lost an annotation of an earlier run", p.paint(green, plural(s.Unstamped, "workload")))
	}
}

func (p *summary) leftAlone(reasons []function.Reason) {
	if len(reasons) == 0 {
		return
	}
	p.line("  left alone:")
	for _, r := range reasons {
		colour := faint
		if r.Warned {
			colour = yellow
		}
		names := r.Resources
		if more := len(names) - maxNames; more > 1 {
			names = append(names[:maxNames:maxNames], fmt.Sprintf("%d more", more))
		}
		p.line("  %5d  %s: %s", len(r.Resources), p.paint(colour, oneLine(r.Text)), oneLine(graph.Enumerate(names)))
	}
}

func (p *summary) line(format string, args ...any) {
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// paint returns text in a colour, where there are colours.
func (p *summary) paint(colour, text string) string {
	if !p.colours {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// oneLine returns text of the input as it can be shown.
func oneLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}

// plural returns a number with what it counts.
func plural(n int, what string) string {
	return fmt.Sprintf("%d %s%s", n, what, choose(n, "", "s"))
}

func choose(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
