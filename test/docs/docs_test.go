package docs_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/cli"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A docPage is a page for users.
type docPage struct {
	name string // path from the repository's root
	text string
}

// A docBlock is a fenced block of a page.
type docBlock struct {
	language, text string
	line           int
}

// docPages returns the pages in the repository's root and in docs.
func docPages(t *testing.T) []docPage {
	t.Helper()
	var names []string
	for _, folder := range []string{".", "docs", "docs/internals"} {
		found, err := filepath.Glob(filepath.Join("..", "..", folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	var pages []docPage
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name, _ = filepath.Rel(filepath.Join("..", ".."), name)
		pages = append(pages, docPage{filepath.ToSlash(name), string(text)})
	}
	return pages
}

var docFence = regexp.MustCompile("(?s)\n( *)```([a-z]*)\n(.*?\n) *```\n")

func (p docPage) blocks() []docBlock {
	var blocks []docBlock
	for _, m := range docFence.FindAllStringSubmatchIndex(p.text, -1) {
		indent := p.text[m[2]:m[3]]
		blocks = append(blocks, docBlock{
			language: p.text[m[4]:m[5]],
			text:     strings.ReplaceAll("\n"+p.text[m[6]:m[7]], "\n"+indent, "\n")[1:],
			line:     2 + strings.Count(p.text[:m[0]], "\n"),
		})
	}
	return blocks
}

// prose returns the page without its fenced blocks.
func (p docPage) prose() string { return docFence.ReplaceAllString(p.text, "\n") }

func TestDocs_linksLeadSomewhere(t *testing.T) {
	pages := docPages(t)
	anchors := map[string]map[string]bool{}
	for _, p := range pages {
		anchors[p.name] = docAnchors(p)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, p := range pages {
		if p.name == "docs/references.md" {
			continue // generated, with its own test
		}
		for _, m := range link.FindAllStringSubmatch(p.prose(), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, hasAnchor := strings.Cut(m[1], "#")
			target := p.name
			if file != "" {
				target = path.Join(path.Dir(p.name), file)
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: the link %s leads to no file", p.name, m[1])
			} else if hasAnchor && !anchors[target][anchor] {
				t.Errorf("%s: the link %s leads to no heading", p.name, m[1])
			}
		}
	}
}

var docHeading = regexp.MustCompile(`(?m)^#+ +(.*)$`)

// docAnchors returns GitHub's anchors for the headings of a page.
func docAnchors(p docPage) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range docHeading.FindAllStringSubmatch(p.prose(), -1) {
		anchors[docAnchor(m[1])] = true
	}
	return anchors
}

// docAnchor returns GitHub's anchor for a heading.
func docAnchor(heading string) string {
	text := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	var anchor strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == ' ':
			anchor.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			anchor.WriteRune(r)
		}
	}
	return anchor.String()
}

func TestDocs_indexListsEachPage(t *testing.T) {
	index, err := os.ReadFile(filepath.Join("..", "..", "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range docPages(t) {
		name, inDocs := strings.CutPrefix(p.name, "docs/")
		if inDocs && name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", p.name)
		}
	}
}

// tables matches the tables of make compare, which are for reference, not for reading.
var tables = regexp.MustCompile(`(?s)<!-- make compare writes what follows -->.*<!-- end of what make compare writes -->`)

// TestDocs_pagesAreShort counts words outside of code. If the answer to a question needs more than 1,500 words, there
// are two questions.
func TestDocs_pagesAreShort(t *testing.T) {
	seen := 0
	for _, p := range docPages(t) {
		if path.Dir(p.name) != "docs" || p.name == "docs/references.md" {
			continue // for maintainers, or generated
		}
		seen++
		words := strings.FieldsFunc(tables.ReplaceAllString(p.prose(), ""), func(r rune) bool { return unicode.IsSpace(r) || r == '|' })
		if len(words) > 1500 {
			t.Errorf("%s has %d words, want at most 1500: divide it", p.name, len(words))
		}
	}
	if seen < 30 {
		t.Errorf("%d pages seen, want at least 30", seen)
	}
}

func TestDocs_blocksNameTheirLanguage(t *testing.T) {
	for _, p := range docPages(t) {
		if open := strings.Count(p.text, "```"); open%2 != 0 {
			t.Errorf("%s: %d fences, one of them is not closed", p.name, open)
		}
		for _, b := range p.blocks() {
			if b.language == "" {
				t.Errorf("%s:%d: a block has no language; text says that it is neither run nor parsed", p.name, b.line)
			}
		}
	}
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	htmlTag  = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
)

// Hugo refuses to build the site with HTML tags.
func TestDocs_haveNoTagsOfHTML(t *testing.T) {
	for _, p := range docPages(t) {
		for _, tag := range htmlTag.FindAllString(codeSpan.ReplaceAllString(p.prose(), ""), -1) {
			t.Errorf("%s has the tag %s; write it in Markdown, or between backquotes", p.name, tag)
		}
	}
}

func TestDocs_yamlIsValid(t *testing.T) {
	seen := 0
	for _, p := range docPages(t) {
		for _, b := range p.blocks() {
			if b.language != "yaml" {
				continue
			}
			seen++
			for _, document := range docDocuments(t, p, b) {
				checkFunctionConfig(t, p, b, document)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d blocks of YAML, want at least 10", seen)
	}
}

// docDocuments returns the documents of a block, which may be an indented fragment.
func docDocuments(t *testing.T, p docPage, b docBlock) []*yaml.Node {
	t.Helper()
	text := b.text
	if strings.HasPrefix(text, " ") {
		text = "fragment:\n" + text
	}
	var documents []*yaml.Node
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case err == io.EOF: //nolint:errorlint // Decode returns it as it is
			return documents
		case err != nil:
			t.Errorf("%s:%d: %v", p.name, b.line, err)
			return nil
		}
		documents = append(documents, n.Content[0])
	}
}

// checkFunctionConfig parses n if it is a functionConfig of this function, or the spec of one.
func checkFunctionConfig(t *testing.T, p docPage, b docBlock, n *yaml.Node) {
	t.Helper()
	var head struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       map[string]any
	}
	if n.Decode(&head) != nil {
		return // a list
	}
	_, hasMode := head.Spec["mode"]
	switch {
	case head.Kind == v1alpha1.Kind:
	case head.Kind == "" && hasMode:
		text, err := yaml.Marshal(map[string]any{
			"apiVersion": "confighash.dev/v1alpha1", "kind": v1alpha1.Kind, "metadata": map[string]any{"name": "x"}, "spec": head.Spec,
		})
		if err != nil {
			t.Fatal(err)
		}
		var whole yaml.Node
		if err := yaml.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		n = whole.Content[0]
	default:
		return
	}
	if _, err := v1alpha1.Parse(n); err != nil {
		t.Errorf("%s:%d: %v", p.name, b.line, err)
	}
}

func TestDocs_commandsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not on the PATH")
	}
	run := 0
	for _, p := range docPages(t) {
		for _, b := range p.blocks() {
			if b.language != "sh" {
				continue
			}
			cmd := exec.Command(shell, "-n")
			cmd.Stdin = strings.NewReader(b.text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v\n%s", p.name, b.line, err, out)
			}
			for _, words := range docCommands(b.text) {
				switch words[0] {
				case "confighash":
					run++
					if err := checkArguments(words[1:]); err != nil {
						t.Errorf("%s:%d: %s: %v", p.name, b.line, strings.Join(words, " "), err)
					}
				case "make":
					for _, target := range words[1:] {
						if !strings.Contains(target, "=") && !bytes.Contains(makefile, []byte("\n"+target+":")) {
							t.Errorf("%s:%d: make %s: the Makefile has no such target", p.name, b.line, target)
						}
					}
				}
			}
		}
	}
	if run < 10 {
		t.Errorf("%d commands of confighash, want at least 10", run)
	}
}

// docCommands returns the simple commands of a script, split at operators, without leading assignments.
func docCommands(script string) [][]string {
	script = strings.ReplaceAll(script, "\\\n", " ")
	script = regexp.MustCompile(`(?m)(^|\s)#.*$`).ReplaceAllString(script, "")
	var commands [][]string
	for _, part := range regexp.MustCompile(`[\n|;&()]+`).Split(script, -1) {
		part = regexp.MustCompile(`\d*[<>]+\s*\S+`).ReplaceAllString(part, "")
		words := strings.Fields(part)
		for len(words) > 0 && regexp.MustCompile(`^(\w+=.*|if|then|else|do|!|nice|exec|sudo)$`).MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			commands = append(commands, words)
		}
	}
	return commands
}

// checkArguments reports errors in arguments of confighash.
func checkArguments(args []string) error {
	for i, a := range args {
		args[i] = strings.Trim(a, `"'`)
	}
	root := cli.NewRoot(os.Stdin, os.Stdout, os.Stderr)
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	root.InitDefaultCompletionCmd(args...)
	command, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rest, func(a string) bool { return strings.Contains(a, "$") }) {
		return nil // only the shell knows its value
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	if command == root {
		return checkValues(command)
	}
	return nil
}

// checkValues reports invalid values of flags.
func checkValues(root *cobra.Command) error {
	if root.Flag("policy").Value.String() != "" && root.Flag("mode").Value.String() == "" {
		return errors.New("--policy without --mode")
	}
	for flag, parse := range map[string]func(string) error{
		"mode":   func(v string) error { _, err := v1alpha1.ParseMode(v); return err },
		"policy": func(v string) error { _, err := v1alpha1.ParsePolicy(v); return err },
	} {
		if v := root.Flag(flag).Value.String(); v != "" {
			if err := parse(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestCheckArguments_findsFaults(t *testing.T) {
	for _, line := range []string{"--mod Rename", "--mode rename", "--policy OptIn", "schema --all", "--frob"} {
		if checkArguments(strings.Fields(line)) == nil {
			t.Errorf("confighash %s passes", line)
		}
	}
	for _, line := range []string{"--mode Rename --check", "completion bash", "install /custom-tools", "references Rollout.argoproj.io", "--version"} {
		if err := checkArguments(strings.Fields(line)); err != nil {
			t.Errorf("confighash %s: %v", line, err)
		}
	}
}

// sentenceFiles have the sentences of errors and warnings.
var sentenceFiles = []string{
	"internal/catalog/change.go",
	"internal/annotate/*.go", "internal/catalog/list/*.go", "internal/cli/*.go", "internal/gc/*.go", "internal/graph/*.go", "internal/graph/*/*.go", "internal/hash/*.go",
	"internal/impact/*.go", "internal/kustomize/*.go", "internal/leftover/*.go", "internal/manifest/*.go",
	"internal/keep/*.go", "internal/lint/*.go", "internal/podtemplate/read.go", "internal/policy/*.go", "internal/policy/*/lint.go", "internal/reference/*.go", "internal/revision/*.go", "internal/yamldoc/error.go", "internal/yamldoc/mapping.go",
	"internal/rename/*.go", "internal/unresolved/*.go", "pkg/function/*.go",
}

// A sentence is a string in the source that is a sentence.
type sentence struct {
	at   string
	text string // with X for each verb and each operand that is not a literal
}

// sentences returns all strings with at least minBlanks blanks, except those that are information, help or no message.
func sentences(t *testing.T) []sentence {
	t.Helper()
	var all []sentence
	files := token.NewFileSet()
	for _, pattern := range sentenceFiles {
		names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			// A command's output is not a message, nor is the content of an impact report.
			isCommand := slices.ContainsFunc([]string{"internal/cli/", "internal/gc/", "internal/impact/", "internal/lint/", "internal/catalog/list/"}, func(dir string) bool { return strings.HasPrefix(pattern, dir) })
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isCommand && slices.Contains([]string{"Errorf", "New"}, called(call)) {
					for _, arg := range call.Args {
						if text, ok := literal(arg); ok && strings.Count(text, " ") >= minBlanks {
							all = append(all, sentence{strings.TrimPrefix(files.Position(arg.Pos()).String(), "../../"), text})
						}
					}
				}
				if isCommand {
					return true
				}
				if noMessage(n) {
					return false
				}
				if call, ok := n.(*ast.CallExpr); ok && called(call) == "warning" {
					// The first argument is a group of the summary.
					if text, _ := literal(call.Args[1]); strings.Count(text, " ") >= minBlanks {
						all = append(all, sentence{strings.TrimPrefix(files.Position(n.Pos()).String(), "../../"), text})
					}
					return false
				}
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, ok := literal(e)
				if !ok {
					return true
				}
				if strings.Count(text, " ") >= minBlanks {
					all = append(all, sentence{strings.TrimPrefix(files.Position(n.Pos()).String(), "../../"), text})
				}
				return false
			})
		}
	}
	return all
}

const minBlanks = 3

// literal returns the text of a string literal, or of a sum that begins or ends with one.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return regexp.MustCompile(`%(\[\d+\])?[a-z]`).ReplaceAllString(strings.ReplaceAll(text, "%q", `"%s"`), "X"), err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		if !isLeft {
			left = "X"
		}
		if !isRight {
			right = "X"
		}
		return left + right, isLeft || isRight
	}
	return "", false
}

// noMessage reports whether n contains neither errors nor warnings.
func noMessage(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return true
	case *ast.GenDecl:
		return n.Tok == token.CONST
	case *ast.CallExpr:
		return slices.Contains([]string{
			"info", "refuse", "Inform", // information
			"MustCompile",
			"panic",
		}, called(n))
	case *ast.CompositeLit:
		for _, element := range n.Elts {
			kv, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Severity" {
				if s, ok := kv.Value.(*ast.SelectorExpr); ok && s.Sel.Name == "Info" {
					return true
				}
			}
		}
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		// Groups of the summary, and output of the references command and reasons of impact.
		return ok && slices.Contains([]string{"Group", "meaning", "reason"}, key.Name)
	}
	return false
}

// called returns the name of the called function.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// unexplained are sentences that docs/messages-*.md need not explain, with the reasons.
var unexplained = map[string]string{
	"it is created each time":                "information",
	"nothing makes pods of its template":     "information",
	"stamped with the checksum of X":         "information",
	"X does not count: X":                    "information",
	"X of X resources changed; X":            "the summary",
	"workloads with a checksum: X":           "the summary",
	"objects named after their content: X":   "the summary",
	"no container uses it":                   "a reason within a message",
	`the workload has no X: "true"`:          "a reason within a message",
	"X without a name (X)":                   "how a resource is called in messages",
	"X, X" + ", and X, X":                    "where something stands twice, in messages",
	"lines X and X":                          "where something stands, in messages",
	"X and X more":                           "the end of a list, in messages",
	"more than X levels deep":                "what comes before it is explained",
	"X: it must be a whole number":           "about a flag, which it names",
	"X: it must be a duration, such as 36h":  "about a flag, which it names",
	"a key without a value":                  "a part of a message",
	"the metadata of X":                      "a part of a message",
	"did you mean X?":                        "a part of a message",
	"correct its key, or remove it":          "a part of a message",
	"the option Namespace: X":                "of the library",
	"items[X]: cannot be written as YAML: X": "of the library",
	"items[X]: not a mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind": "of the library",
	"lines end in other ways than by a line feed":                                                           "no run says it",
	"' value contains itself": "is looked for in the words of the YAML parser",
}

// messagePattern is a message on one of the pages docs/messages-*.md.
type messagePattern struct {
	shown string
	re    *regexp.Regexp
}

// messagePatterns returns the messages in headings, and at the beginning of list items.
func messagePatterns(t *testing.T) []messagePattern {
	t.Helper()
	var text strings.Builder
	for _, p := range docPages(t) {
		if strings.HasPrefix(p.name, "docs/messages-") {
			text.WriteString(p.text)
		}
	}
	placeholder := regexp.MustCompile(`\b(KEYS?|KIND|NAMES?|NAMESPACE|NUMBER|OBJECTS?|PLACES|REASON|VALUES?)\b`)
	var patterns []messagePattern
	for _, m := range regexp.MustCompile("(?m)^(?:##+|-) `([^`]+)`").FindAllStringSubmatch(text.String(), -1) {
		shown := m[1]
		words := 0
		for word := range strings.FieldsSeq(placeholder.ReplaceAllString(shown, "")) {
			if strings.ContainsFunc(word, unicode.IsLetter) {
				words++
			}
		}
		if words < minBlanks {
			if strings.HasPrefix(m[0], "#") {
				t.Errorf("docs/messages-*.md: the heading %q says too little to be found by", shown)
			}
			continue
		}
		re := placeholder.ReplaceAllString(regexp.QuoteMeta(strings.TrimPrefix(shown, "not renamed: ")), ".+?")
		patterns = append(patterns, messagePattern{shown, regexp.MustCompile(re)})
	}
	return patterns
}

// TestTroubleshooting_listsEachMessage compares the list with the headings of the pages.
func TestTroubleshooting_listsEachMessage(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("..", "..", "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	message := regexp.MustCompile("(?m)^##+ (.*`.*)$")
	seen := 0
	for _, p := range docPages(t) {
		name, isMessages := strings.CutPrefix(p.name, "docs/messages-")
		if !isMessages {
			continue
		}
		for _, m := range message.FindAllStringSubmatch(p.prose(), -1) {
			seen++
			if link := "(messages-" + name + "#" + docAnchor(m[1]) + ")"; !bytes.Contains(list, []byte(link)) {
				t.Errorf("docs/troubleshooting.md does not list %s: %s", p.name, link)
			}
		}
	}
	if seen < 60 {
		t.Errorf("%d messages found, want at least 60", seen)
	}
}

func TestTroubleshooting_explainsEveryMessage(t *testing.T) {
	patterns := messagePatterns(t)
	used := map[string]bool{}
	all := sentences(t)
	for _, s := range all {
		if _, ok := unexplained[s.text]; ok {
			used[s.text] = true
			continue
		}
		if !slices.ContainsFunc(patterns, func(p messagePattern) bool { return p.re.MatchString(s.text) }) {
			t.Errorf("%s: docs/messages-*.md do not explain %q", s.at, s.text)
		}
	}
	for text := range unexplained {
		if !used[text] {
			t.Errorf("nothing says %q any more", text)
		}
	}
	if len(all) < 60 {
		t.Errorf("%d sentences found, want at least 60", len(all))
	}
}

// TestTroubleshooting_explainsNothingElse compares each message on the pages with the output of the test scripts, the
// source and the catalogue.
func TestTroubleshooting_explainsNothingElse(t *testing.T) {
	var said strings.Builder
	for _, s := range sentences(t) {
		said.WriteString(s.text + "\n")
	}
	for dir, pattern := range map[string]string{
		"testdata/script": "*.txtar", "internal/catalog/data": "*.yaml", "internal/catalog": "change.go", "internal/policy/reloader": "lint.go", "internal/policy": "*.go", "internal/policy/wave": "wave.go", "internal/kustomize": "history.go",
		"internal/hash": "*.go", "internal/edit": "*.go", "pkg/api/v1alpha1": "*.go", "internal/reference": "*.go",
	} {
		root := os.DirFS(filepath.Join("..", "..", filepath.FromSlash(dir)))
		names, err := fs.Glob(root, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			said.Write(text)
		}
	}
	for _, p := range messagePatterns(t) {
		if !p.re.MatchString(said.String()) {
			t.Errorf("nothing says %q", p.shown)
		}
	}
}
