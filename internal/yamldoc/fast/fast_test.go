package fast

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"
)

// reference parses text with yaml.v3.
func reference(text []byte) (tree *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	tree = &yaml.Node{}
	if err := decoder.Decode(tree); err != nil {
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something after the document: %w", err)
	}
	return tree, nil
}

// difference returns where two trees differ in anything except comments, "" if they do not.
func difference(a, b *yaml.Node, path string) string {
	if a.Kind != b.Kind || a.Style != b.Style || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		a.Line != b.Line || a.Column != b.Column || len(a.Content) != len(b.Content) || (a.Alias == nil) != (b.Alias == nil) {
		return fmt.Sprintf("%s: here %s, by yaml.v3 %s", path, show(a), show(b))
	}
	for i := range a.Content {
		if d := difference(a.Content[i], b.Content[i], fmt.Sprintf("%s/%d", path, i)); d != "" {
			return d
		}
	}
	return ""
}

func show(n *yaml.Node) string {
	return fmt.Sprintf("kind %d, style %d, %s %q at %d:%d with %d children", n.Kind, n.Style, n.Tag, n.Value, n.Line, n.Column, len(n.Content))
}

// check compares the parser's tree for text, if it has one, with yaml.v3's. It reports whether the parser has read text
// itself.
func check(t testing.TB, p *Parser, text []byte) bool {
	t.Helper()
	got := p.Read(text)
	if got == nil {
		return false
	}
	want, err := reference(text)
	if err != nil {
		t.Fatalf("yaml.v3 refuses what was read here: %v\n%q", err, text)
	}
	if d := difference(got, want, ""); d != "" {
		t.Fatalf("%s\n%q\n%s", d, text, text)
	}
	return true
}

// documents returns the YAML documents of the repository's test data.
func documents(t testing.TB) [][]byte {
	t.Helper()
	root := filepath.Join("..", "..", "..", "testdata")
	var found [][]byte
	add := func(name string, data []byte) {
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json", ".golden", "":
			for document := range strings.SplitSeq(string(data), "\n---\n") {
				found = append(found, []byte(document))
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".txtar" {
			add(path, data)
			return nil
		}
		for _, file := range txtar.Parse(data).Files {
			add(file.Name, file.Data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestParser_testdata(t *testing.T) {
	var p Parser
	all, own := 0, 0
	for _, text := range documents(t) {
		if _, err := reference(text); err != nil {
			check(t, &p, text)
			continue
		}
		all++
		if check(t, &p, text) {
			own++
		} else if testing.Verbose() {
			t.Logf("left:\n%.300s\n========", text)
		}
	}
	t.Logf("%d of %d documents read without yaml.v3", own, all)
	if own*10 < all*8 {
		t.Errorf("%d of %d documents read without yaml.v3; most should be", own, all)
	}
}
