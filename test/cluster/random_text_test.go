//go:build cluster

package cluster_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// dice make the random choices of a generator, reproducibly for each seed.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, 0x666f7265746f6c64))}
}

// chance is true in the given percentage of cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between returns a number from low to high, inclusive.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// one returns one of several.
func one[T any](d dice, several ...T) T { return several[d.IntN(len(several))] }

// The leaves of a tree are strings, ints, bools, nil for null, and these.
type (
	// amount is a quantity in some notation, quoted or not.
	amount string
	// fileMode is a number that people often write in octal.
	fileMode int
)

// tree is a mapping of a manifest.
type tree = map[string]any

// clone returns a deep copy of a tree or of a value in one.
func clone[T any](value T) T { return cloned(any(value)).(T) }

func cloned(value any) any {
	switch value := value.(type) {
	case tree:
		c := make(tree, len(value))
		for key, v := range value {
			c[key] = cloned(v)
		}
		return c
	case []any:
		c := make([]any, len(value))
		for i, v := range value {
			c[i] = cloned(v)
		}
		return c
	}
	return value
}

// manifest is a resource, with the seed of its style.
type manifest struct {
	value tree
	style uint64
}

func (m *manifest) kind() string { return m.value["kind"].(string) }

// text writes the manifest in its style.
func (m *manifest) text() string {
	w := writer{dice: newDice(m.style)}
	w.comments = w.chance(40)
	w.flow = w.between(0, 12)
	if w.chance(12) {
		w.inFlow(m.value, true)
		return w.String() + "\n"
	}
	w.block(m.value, 0)
	return w.String()
}

// writer writes YAML. Its dice decide everything that does not change the meaning: the order of keys, quotes, flow or
// block style, indentation, comments.
type writer struct {
	dice
	strings.Builder
	comments bool
	flow     int // percentage of collections
}

// block writes the content of a collection, in lines indented by depth.
func (w *writer) block(collection any, depth int) {
	indent := strings.Repeat(" ", depth)
	switch collection := collection.(type) {
	case tree:
		keys := slices.Sorted(maps.Keys(collection))
		w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys {
			if w.comments && w.chance(4) {
				w.WriteString(indent + "# about " + key + "\n")
			}
			w.WriteString(indent + w.quoted(key, false) + ":")
			w.after(collection[key], depth, true)
		}
	case []any:
		for _, element := range collection {
			w.WriteString(indent + "-")
			if inner, ok := element.(tree); ok && len(inner) > 0 && w.chance(80) {
				// The first key follows the dash on the same line.
				var nested writer
				nested.dice, nested.comments, nested.flow = w.dice, false, w.flow
				nested.block(inner, depth+2)
				w.WriteString(" " + strings.TrimLeft(nested.String(), " "))
				continue
			}
			w.after(element, depth, false)
		}
	}
}

// after writes a value after the key of a mapping, or the dash of a list, at depth.
func (w *writer) after(value any, depth int, inMapping bool) {
	step := w.between(1, 4)
	switch value := value.(type) {
	case tree:
		if len(value) > 0 && !w.chance(w.flow) {
			w.WriteString("\n")
			w.block(value, depth+step)
			return
		}
	case []any:
		if len(value) > 0 && !w.chance(w.flow) {
			w.WriteString("\n")
			if inMapping && w.chance(60) {
				step = 0
			}
			w.block(value, depth+step)
			return
		}
	case string:
		if literal := literalBlock(value, depth+step); literal != "" && w.chance(70) {
			w.WriteString(" " + literal)
			return
		}
	}
	w.WriteString(" ")
	w.inFlow(value, false)
	if w.comments && w.chance(4) {
		w.WriteString(" # so it is")
	}
	w.WriteString("\n")
}

// literalBlock returns a text as a literal block, "" if that is impossible.
func literalBlock(text string, depth int) string {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(text, "\n") || body == "" || strings.HasSuffix(body, "\n") || body[0] == ' ' || body[0] == '\n' {
		return ""
	}
	for _, r := range body {
		if r != '\n' && !unicode.IsPrint(r) {
			return ""
		}
	}
	header := "|-\n"
	if strings.HasSuffix(text, "\n") {
		header = "|\n"
	}
	indent := strings.Repeat(" ", max(depth, 1))
	var b strings.Builder
	b.WriteString(header)
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			b.WriteString(indent + line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// inFlow writes a value in flow style, or as JSON.
func (w *writer) inFlow(value any, asJSON bool) {
	switch value := value.(type) {
	case tree:
		keys := slices.Sorted(maps.Keys(value))
		w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		w.WriteString("{")
		for i, key := range keys {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString(w.quoted(key, asJSON) + ": ")
			w.inFlow(value[key], asJSON)
		}
		w.WriteString("}")
	case []any:
		w.WriteString("[")
		for i, element := range value {
			if i > 0 {
				w.WriteString(", ")
			}
			w.inFlow(element, asJSON)
		}
		w.WriteString("]")
	case string:
		w.WriteString(w.quoted(value, asJSON))
	case amount:
		switch {
		case w.chance(40) || asJSON:
			w.WriteString(`"` + string(value) + `"`)
		case w.chance(20):
			w.WriteString("'" + string(value) + "'")
		default:
			w.WriteString(string(value))
		}
	case int:
		w.WriteString(strconv.Itoa(value))
	case fileMode:
		if asJSON {
			w.WriteString(strconv.Itoa(int(value)))
			return
		}
		fmt.Fprintf(w, one(w.dice, "%d", "0%o", "0%o", "0x%x"), int(value))
	case bool:
		text := strconv.FormatBool(value)
		if !asJSON {
			text = one(w.dice, text, text, strings.ToUpper(text[:1])+text[1:], strings.ToUpper(text), map[bool]string{true: "yes", false: "no"}[value], map[bool]string{true: "on", false: "off"}[value])
		}
		w.WriteString(text)
	case nil:
		if asJSON {
			w.WriteString("null")
			return
		}
		w.WriteString(one(w.dice, "null", "~"))
	default:
		panic(fmt.Sprintf("no notation for %T", value))
	}
}

var (
	// plainText needs no quotes, unless it is a plainWord.
	plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)
	plainWord = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|inf|nan)$`)
)

// quoted writes a text, with quotes if necessary, and sometimes if not.
func (w *writer) quoted(text string, asJSON bool) string {
	double := func() string {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(text) // cannot fail for a string
		return strings.TrimSuffix(b.String(), "\n")
	}
	if asJSON {
		return double()
	}
	if plainText.MatchString(text) && !plainWord.MatchString(text) && w.chance(75) {
		return text
	}
	if w.chance(50) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return double()
}
