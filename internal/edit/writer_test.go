package edit_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// A writer writes random YAML in the many styles of people and programs, not always valid.
type writer struct {
	t       *rapid.T
	out     strings.Builder
	anchors []string // of complete mappings
	scalars []string // anchors of scalars
}

func (w *writer) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(w.t, label) }

func (w *writer) oneOf(label string, s ...string) string { return s[w.pick(label, len(s))] }

// document returns a text with random indentation, line endings and end.
func (w *writer) document() string {
	if w.pick("head", 4) == 0 {
		w.out.WriteString("# head\n\n# of the document\n")
	}
	switch w.pick("shape", 5) {
	case 0:
		w.flow(3)
		w.out.WriteString("\n")
	case 1:
		indent := w.pick("indent", 3) * 2
		for range 1 + w.pick("items", 2) {
			w.out.WriteString(strings.Repeat(" ", indent) + "- ")
			w.mapping(indent+2, 3, true)
		}
	case 2:
		w.out.WriteString("kind: List\nitems:\n")
		for range 1 + w.pick("items", 3) {
			w.out.WriteString("- ")
			w.mapping(2, 3, true)
		}
	default:
		w.mapping(0, 4, false)
	}
	text := w.out.String()
	switch w.pick("tail", 6) {
	case 0:
		text = strings.TrimRight(text, "\n")
	case 1:
		text += "# foot\n"
	case 2:
		text += "\n\n"
	}
	switch w.pick("ending", 8) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = "\ufeff" + text
	case 2:
		text = strings.ReplaceAll(text, "# ", "#\u2028# é")
	}
	return text
}

var names = []string{"name", "kind", "metadata", "annotations", "data", "a", "b", "example.com/key", "é", "yes", "12"}

func (w *writer) key() string {
	key := names[w.pick("key", len(names))]
	if w.pick("unique", 3) > 0 {
		key += fmt.Sprint(w.pick("number", 1000))
	}
	switch w.pick("quotes", 8) {
	case 0:
		return `"` + key + `"`
	case 1:
		return "'" + key + "'"
	}
	return key
}

// endLine ends the line, possibly with a comment.
func (w *writer) endLine() {
	w.out.WriteString(w.oneOf("comment", "\n", "\n", "\n", "\n", " # comment\n", " \n", "\t# it's {\n"))
}

// mapping writes a block mapping. Its first entry may be on the current line.
func (w *writer) mapping(indent, depth int, open bool) {
	pad := strings.Repeat(" ", indent)
	for i := range 1 + w.pick("entries", 4) {
		if i > 0 || !open {
			switch w.pick("before", 10) {
			case 0:
				w.out.WriteString(pad + "# about it\n")
			case 1:
				w.out.WriteString("\n")
			case 2:
				w.out.WriteString("# at the margin\n")
			}
			w.out.WriteString(pad)
		}
		if len(w.anchors) > 0 && w.pick("merge", 8) == 0 {
			w.out.WriteString("<<: *" + w.anchors[w.pick("anchor", len(w.anchors))] + "\n")
			continue
		}
		w.out.WriteString(w.key() + w.oneOf("colon", ":", ":", ":", " :"))
		w.value(indent, depth-1)
	}
}

// value writes the text after a colon, and ends the line.
func (w *writer) value(indent, depth int) {
	step := 2 + 2*w.pick("step", 2)
	pad := strings.Repeat(" ", indent)
	kind := w.pick("value", 16)
	if depth <= 0 && kind < 6 {
		kind = 15
	}
	switch kind {
	case 0, 1, 2:
		anchor := ""
		if w.pick("anchored", 6) == 0 {
			anchor = fmt.Sprintf("m%d", len(w.anchors))
			w.out.WriteString(" &" + anchor)
		}
		w.endLine()
		w.mapping(indent+step, depth, false)
		if anchor != "" {
			w.anchors = append(w.anchors, anchor)
		}
	case 3, 4:
		w.endLine()
		lead := pad + strings.Repeat(" ", 2*w.pick("deeper", 2))
		for range 1 + w.pick("elements", 3) {
			w.out.WriteString(lead + "-" + w.oneOf("gap", " ", "  "))
			if w.pick("element", 2) == 0 {
				w.out.WriteString(w.scalar(false))
				w.endLine()
			} else {
				w.mapping(len(lead)+2, depth, true)
			}
		}
	case 5:
		w.out.WriteString(" ")
		w.flow(depth)
		w.endLine()
	case 6:
		w.out.WriteString(w.oneOf("null", "", "", " ~", " null", " {}", " []"))
		w.endLine()
	case 7:
		w.out.WriteString(" " + w.oneOf("block", "|", ">", "|-", ">-", "|+", "|2", ">+") + "\n")
		for range w.pick("lines", 4) {
			w.out.WriteString(w.oneOf("line", pad+"  text\n", pad+"  # no comment\n", "\n", pad+"   deeper\n", pad+"  \n"))
		}
	case 8:
		w.out.WriteString(" " + w.oneOf("long", "one\n"+pad+"  two", "\"one\n"+pad+"  two\"", "'one\n\n"+pad+"  # two'", "\""+`a\`+"\n"+pad+"  b\""))
		w.endLine()
	case 9:
		if len(w.scalars) > 0 {
			w.out.WriteString(" *" + w.scalars[w.pick("alias", len(w.scalars))])
			w.endLine()
			return
		}
		anchor := fmt.Sprintf("s%d", len(w.scalars))
		w.scalars = append(w.scalars, anchor)
		w.out.WriteString(" &" + anchor + " " + w.scalar(false))
		w.endLine()
	case 10:
		if len(w.anchors) > 0 {
			w.out.WriteString(" *" + w.anchors[w.pick("alias", len(w.anchors))])
			w.endLine()
			return
		}
		w.out.WriteString(" " + w.oneOf("tag", "!!str 12", "!x y", "!!map {a: b}"))
		w.endLine()
	default:
		w.out.WriteString(w.oneOf("space", " ", " ", "  ", "\t") + w.scalar(false))
		w.endLine()
	}
}

func (w *writer) scalar(flow bool) string {
	plain := []string{"app", "12", "true", "a b", "a#b", "ns/name", "é€", "it's", "1e3", "~", "x:y"}
	if !flow {
		plain = append(plain, "a,b", "{{ x }}"[1:], "a]", "what?")
	}
	switch w.pick("scalar", 4) {
	case 0:
		return w.oneOf("double", `"app"`, `""`, `"a\"b"`, `"\u00e9\x41"`, `"a # b"`, `"{"`, `"é"`, `"\t"`)
	case 1:
		return w.oneOf("single", `'app'`, `''`, `'it''s'`, `'a: b'`, `'"'`, `'é'`)
	default:
		return plain[w.pick("plain", len(plain))]
	}
}

// flow writes a flow mapping, sometimes in JSON style.
func (w *writer) flow(depth int) {
	eol := w.oneOf("flow", "", "", " ", "\n      ", " # {,\n      ")
	comma := ","
	if !strings.Contains(eol, "\n") {
		comma = w.oneOf("comma", ", ", ", ", " , ", ",")
	}
	json := w.pick("json", 3) == 0
	w.out.WriteString("{" + eol)
	n := w.pick("entries", 4)
	for i := range n {
		if json {
			w.out.WriteString(fmt.Sprintf("%q", names[w.pick("key", len(names))]) + w.oneOf("colon", ":", ": "))
		} else {
			w.out.WriteString(w.key() + ": ")
		}
		switch kind := w.pick("value", 6); {
		case kind == 0 && depth > 0:
			w.flow(depth - 1)
		case kind == 1:
			w.out.WriteString("[" + w.scalar(true) + w.oneOf("between", ", ", ",\n       ", " , ") + w.scalar(true) + "]")
		case kind == 2:
			w.out.WriteString(w.oneOf("null", "", "null", "~", "{}", "[]"))
		case json:
			w.out.WriteString(w.oneOf("json scalar", `"x"`, "12", "true", `"\u00e9"`))
		default:
			w.out.WriteString(w.scalar(true))
		}
		if i+1 < n || !json && w.pick("last comma", 6) == 0 {
			w.out.WriteString(comma + eol)
		}
	}
	w.out.WriteString(eol + "}")
}
