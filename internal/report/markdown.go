package report

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/confighash/confighash/internal/escape"
)

// Limits of Markdown in bytes.
const (
	// DefaultLimit keeps below the 65,536 characters that GitHub takes in a
	// comment.
	DefaultLimit = 60_000
	// LeastLimit is the least that Markdown can be held to.
	LeastLimit = 1_000
)

// longList is how many rows a list shows without being opened, longText how many
// lines, with those below its rows, and longDiagram how many arrows a diagram does.
const (
	longList    = 10
	longText    = 40
	longDiagram = 20
)

// A Page is a comment in Markdown.
type Page struct {
	// Marker is the first line, and Sum the heading below it.
	Marker, Sum string
	// Command is the command that writes the page, and tells of each What.
	Command, What string
	Diagram       *Diagram
	// Longest is how many rows the longest list has.
	Longest int
	// Body writes what follows the heading, with at most so many rows in a list.
	Body func(m *Document, rows int)
}

// Within returns the page in at most so many bytes, DefaultLimit for 0. What is too
// long loses its diagram first, and then the last rows of its longest lists.
func (p *Page) Within(limit int) string {
	limit = max(cmp.Or(limit, DefaultLimit), LeastLimit)
	f := figureOf(p.Diagram)
	text := p.write(f, p.Longest)
	if len(text) <= limit {
		return text
	}
	if f.drawn != "" {
		f.drawn, f.undrawn = "", "There is no diagram: a comment has no room for it."
	}
	// The least number of rows of which there is too much.
	rows := sort.Search(p.Longest+1, func(n int) bool { return len(p.write(f, n)) > limit })
	return p.write(f, rows-1)
}

// write returns the page with at most so many rows in a list. Where there are less
// than none, not even the titles of the lists find room.
func (p *Page) write(f figure, rows int) string {
	m := &Document{figure: f}
	m.Print(p.Marker, "\n### ", p.Sum, "\n")
	if rows >= 0 {
		p.Body(m, rows)
	}
	switch {
	case rows < 0:
		fmt.Fprintf(&m.text, "\nThere is no room for more here; `confighash %s` on a terminal tells it all.\n", p.Command)
	case m.cut:
		fmt.Fprintf(&m.text, "\nLists are cut short here; `confighash %s` on a terminal tells of every %s, and with `-o json` of every key.\n", p.Command, p.What)
	case m.folds:
		fmt.Fprintf(&m.text, "\nLong lists are cut short here; `confighash %s -o json` has all of them.\n", p.Command)
	}
	return m.text.String()
}

// A figure is a diagram in Mermaid, or why there is none.
type figure struct {
	drawn, undrawn string
	arrows         int
}

// figureOf draws a diagram, if it is not too large.
func figureOf(d *Diagram) figure {
	f := figure{arrows: len(d.Arrows)}
	if f.arrows > MostArrows {
		f.undrawn = fmt.Sprintf("There is no diagram: %d arrows are more than one can follow.", f.arrows)
	} else if f.arrows > 0 {
		if f.drawn = d.Mermaid(); len(f.drawn) > LongestMermaid {
			f.drawn, f.undrawn = "", "There is no diagram: its names are too long."
		}
	}
	return f
}

// A Document is Markdown in the making.
type Document struct {
	sheet
	figure figure
	// cut: whole rows were counted instead of told.
	cut bool
}

// Diagram writes the diagram below a heading, "" for none, or why there is none.
func (m *Document) Diagram(heading string) {
	switch f := &m.figure; {
	case f.drawn != "":
		m.Print(heading, "\n")
		m.details(f.arrows > longDiagram, Plural(f.arrows, "arrow"), "```mermaid\n"+f.drawn+"```\n")
	case f.undrawn != "":
		m.Print("\n", f.undrawn, "\n")
	}
}

// details writes what has to be opened, where it is long.
func (m *Document) details(long bool, summary, text string) {
	if long {
		m.Print("<details>\n<summary>", summary, "</summary>\n\n", text, "\n</details>\n")
	} else {
		m.Print(text)
	}
}

// List writes a list of n resources under a title, at most so many rows of it.
func (m *Document) List(title string, n, rows int, row func(i int)) {
	m.Print("\n#### ", title, "\n\n")
	start := m.text.Len()
	m.Rows("", n, rows, row)
	all := m.text.String()
	list := all[start:]
	m.text.Reset()
	m.Print(all[:start])
	m.details(min(n, rows) > longList || strings.Count(list, "\n") > longText, Plural(n, "resource"), list)
}

// Rows writes at most so many rows of n resources, and counts the others.
func (m *Document) Rows(indent string, n, rows int, row func(i int)) {
	shown := min(n, rows)
	for i := range shown {
		row(i)
	}
	if n == shown {
		return
	}
	m.cut = true
	if shown == 0 {
		fmt.Fprintf(&m.text, "%s- %s\n", indent, Plural(n, "resource"))
	} else {
		fmt.Fprintf(&m.text, "%s- and %d more\n", indent, n-shown)
	}
}

// Phrase returns a phrase as Markdown, on one line.
func (m *Document) Phrase(p Phrase) string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case word:
			b.WriteString(s.text)
		case fold:
			m.folds = true
			b.WriteString(s.text)
		case prose:
			b.WriteString(proseMarkdown(s.text))
		default:
			b.WriteString(escape.Code(s.text))
		}
	}
	return b.String()
}

// command begins a command in a sentence, and commandEnd ends one.
const (
	command    = "kubectl "
	commandEnd = ";"
)

// proseMarkdown returns a sentence as Markdown. A command is a code span, and so
// is every word that may be more than a word.
func proseMarkdown(text string) string {
	var b strings.Builder
	rest := OneLine(text)
	for {
		before, line, found := strings.Cut(rest, command)
		b.WriteString(wordsMarkdown(before))
		if !found {
			return b.String()
		}
		if line, rest, found = strings.Cut(line, commandEnd); found {
			rest = commandEnd + rest
		}
		b.WriteString(escape.Code(command + line))
	}
}

// wordsMarkdown sets the words of a text that are not plain as code spans.
func wordsMarkdown(text string) string {
	all := strings.Split(text, " ")
	for i, w := range all {
		core := strings.TrimLeft(strings.TrimRight(w, ".,;:)%"), "(")
		if strings.IndexFunc(core, special) < 0 && !linked(core) {
			continue
		}
		at := strings.Index(w, core)
		all[i] = w[:at] + escape.Code(core) + w[at+len(core):]
	}
	return strings.Join(all, " ")
}

// linked reports whether a word may be the number of an issue, such as GH-1, or the
// digest of a commit.
func linked(word string) bool {
	return strings.IndexFunc(word, unicode.IsDigit) >= 0 && (len(word) >= 7 || strings.IndexFunc(word, unicode.IsLetter) >= 0)
}

// special reports whether a character may begin or be part of markup, of a link
// or of a mention.
func special(r rune) bool {
	return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`-'",/`, r)
}
