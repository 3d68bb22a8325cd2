package catalog

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestData_hasNoUnknownFields reads the files that belong to no group; the tests below read the others.
func TestData_hasNoUnknownFields(t *testing.T) {
	for file, into := range map[string]any{
		passedOverFile: &[]KindsOf{}, neverRefersFile: &[]KindsOf{}, lookAlikesFile: &[]LookAlike{}, discoverFile: &rawShapes{},
		podMetadataFile: &PodMetadata{},
		jobNamesFile:    &JobNames{},
	} {
		text, err := files.ReadFile("data/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := decodeStrict(string(text), into); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	text, err := files.ReadFile("data/" + subtreesFile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range splitDocuments(string(text)) {
		var raw subtree
		if err := decodeStrict(d.text, &raw); err != nil {
			t.Errorf("%s: %v: %v", subtreesFile, d.names, err)
		}
	}
}

// decodeStrict parses one document and rejects unknown fields.
func decodeStrict(text string, into any) error {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

// groupDocuments calls check for every document of every file of a group.
func groupDocuments(t *testing.T, check func(t *testing.T, file string, d document, raw *rawKind)) {
	t.Helper()
	entries, err := fs.ReadDir(files, "data")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		file := strings.TrimSuffix(entry.Name(), ".yaml")
		if file != coreFile && file != anyFile && slices.Contains(reserved, file) {
			continue
		}
		text, err := files.ReadFile("data/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		documents := splitDocuments(string(text))
		if want := strings.Count("\n"+string(text), "\nkinds: ["); len(documents) != want || want == 0 {
			t.Errorf("%s: %d documents are found and %d have a line of kinds", file, len(documents), want)
		}
		for _, d := range documents {
			var raw rawKind
			if err := decodeStrict(d.text, &raw); err != nil {
				t.Errorf("%s: %v: %v", file, d.names, err)
				continue
			}
			check(t, file, d, &raw)
		}
	}
}

func TestData_firstLinesNameTheKinds(t *testing.T) {
	seen := map[string]bool{}
	last := map[string]string{}
	groupDocuments(t, func(t *testing.T, file string, d document, raw *rawKind) {
		if !slices.Equal(d.names, raw.Kinds) {
			t.Errorf("%s: the first line is taken for %q and holds %q", file, d.names, raw.Kinds)
		}
		if !slices.IsSorted(raw.Kinds) {
			t.Errorf("%s: kinds %q are not sorted", file, raw.Kinds)
		}
		if raw.Kinds[0] < last[file] {
			t.Errorf("%s: %s stands behind %s", file, raw.Kinds[0], last[file])
		}
		last[file] = raw.Kinds[0]
		for _, kind := range raw.Kinds {
			if seen[file+" "+kind] {
				t.Errorf("%s: %s is in two documents", file, kind)
			}
			seen[file+" "+kind] = true
		}
	})
}

func TestData_everyKindLoads(t *testing.T) {
	c := newCatalog(nil)
	used := map[string]bool{"podSpec": true, "podAnnotations": true}
	var use func(rules []Entry)
	use = func(rules []Entry) {
		for _, r := range rules {
			used[r.Subtree] = true
			use(r.Inner)
		}
	}
	groupDocuments(t, func(t *testing.T, file string, d document, raw *rawKind) {
		for _, kind := range raw.Kinds {
			k := &Kind{}
			c.add(k, d)
			if len(k.References)+len(k.Exports)+len(k.Manifests)+len(k.ForeignManifests)+len(k.PodTemplates) == 0 {
				t.Errorf("%s: %s: nothing is said of it", file, kind)
			}
			checkRules(t, file+": "+kind, k.References)
			if raw.Immutable != nil {
				if k.Immutable == "" {
					t.Errorf("%s: %s: immutable without a reason", file, kind)
				}
				if !slices.ContainsFunc(k.References, func(r Rule) bool { return r.Immutable }) {
					t.Errorf("%s: %s: no reference stands in what is immutable", file, kind)
				}
			}
			annotated := map[string]bool{}
			for _, p := range k.PodTemplates {
				if at := p.Annotations.String(); at != "" && annotated[at] {
					t.Errorf("%s: %s: two pod templates have their annotations in %s", file, kind, at)
				}
				annotated[p.Annotations.String()] = true
				for _, e := range p.Except {
					if e.Reason == "" || len(e.When) == 0 {
						t.Errorf("%s: %s: an exception needs conditions and a reason", file, kind)
					}
					checkConditions(t, file+": "+kind, e.When)
				}
			}
			for _, e := range k.Exports {
				checkConditions(t, file+": "+kind, e.When)
				if e.Key == "" || len(e.Path) == 0 {
					t.Errorf("%s: %s: an export needs a key and a path", file, kind)
				}
			}
		}
		for _, p := range raw.PodTemplates {
			used[p.Subtree] = true
		}
		use(raw.References)
	})
	text, err := files.ReadFile("data/" + subtreesFile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range splitDocuments(string(text)) {
		names = append(names, d.names[0])
		raw := c.subtree(d.names[0])
		use(raw)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("subtrees %q are not sorted, or not unique", names)
	}
	for _, name := range names {
		if !used[name] {
			t.Errorf("nothing uses the subtree %s", name)
		}
	}
}

func checkRules(t *testing.T, where string, rules []Rule) {
	t.Helper()
	for _, r := range rules {
		at := where + ": " + r.Path.String()
		if (len(r.Formats) == 0) == (len(r.Embedded) == 0) {
			t.Errorf("%s: a reference has formats or is embedded", at)
		}
		if r.Kind != nil && r.KindFrom != nil {
			t.Errorf("%s: the kind is listed twice", at)
		}
		if k := r.KindFrom; k != nil && (k.Kind == "" || k.Export == "" || len(k.Name.Path) == 0) {
			t.Errorf("%s: kindFrom needs kind, name, and export", at)
		}
		if r.Kind != nil && len(r.Kind.Path.Path) == 0 {
			t.Errorf("%s: kind needs a path", at)
		}
		if len(r.Default) > 0 && slices.ContainsFunc(r.Path, Segment.IsPattern) {
			t.Errorf("%s: an absent field of a path with patterns has no one default", at)
		}
		for i, s := range r.Path {
			if s != AnyDepth && strings.Contains(string(s), "**") || s == AnyDepth && i == len(r.Path)-1 {
				t.Errorf("%s: ** stands for whole keys, with a key behind it", at)
			}
		}
		checkConditions(t, at, r.When)
		checkRules(t, at, r.Embedded)
	}
}

func checkConditions(t *testing.T, at string, conditions []Condition) {
	t.Helper()
	for _, c := range conditions {
		says := c.Present != nil || len(c.In)+len(c.Contains) > 0
		if (len(c.Any) > 0) == (c.Path != nil) || says != (c.Path != nil) {
			t.Errorf("%s: a condition has any, or a path and what is asked of it", at)
		}
		checkConditions(t, at, c.Any)
	}
}

func TestData_referencesAreSortedByPath(t *testing.T) {
	groupDocuments(t, func(t *testing.T, file string, _ document, raw *rawKind) {
		checkOrder(t, fmt.Sprintf("%s: %v", file, raw.Kinds), raw.References)
	})
	text, err := files.ReadFile("data/" + subtreesFile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range splitDocuments(string(text)) {
		raw := newCatalog(nil).subtree(d.names[0])
		checkOrder(t, "subtree "+d.names[0], raw)
	}
}

// checkOrder checks that references are sorted by path, key by key, with patterns after keys. Those with "**" come
// last, in the order in which they are to be tried.
func checkOrder(t *testing.T, where string, rules []Entry) {
	t.Helper()
	key := func(path Path) []string {
		var keys []string
		for _, segment := range path {
			keys = append(keys, strings.ReplaceAll(string(segment), "*", "\uffff"))
		}
		return keys
	}
	for i := 1; i < len(rules); i++ {
		before, path := rules[i-1].Path, rules[i].Path
		switch deep, deepBefore := slices.Contains(path, AnyDepth), slices.Contains(before, AnyDepth); {
		case deepBefore && !deep:
			t.Errorf("%s: %q has \"**\" and stands before %q", where, before, path)
		case !deep && slices.Compare(key(path), key(before)) < 0:
			t.Errorf("%s: %q stands behind %q", where, path, before)
		}
	}
}

// TestData_noReferenceIsOutOfReach finds duplicate references, and those that an earlier one always shadows.
func TestData_noReferenceIsOutOfReach(t *testing.T) {
	c := newCatalog(nil)
	groupDocuments(t, func(t *testing.T, file string, d document, raw *rawKind) {
		k := &Kind{}
		c.add(k, d)
		byPath := map[string][]Rule{}
		for _, r := range k.References {
			path := r.Path.String()
			for _, earlier := range byPath[path] {
				if shadows(earlier, r) {
					t.Errorf("%s: %v: %s: an earlier reference takes all that this one is for", file, raw.Kinds, path)
				}
			}
			byPath[path] = append(byPath[path], r)
		}
	})
}

// shadows reports whether later never applies because earlier fits whenever it does.
func shadows(earlier, later Rule) bool {
	if len(earlier.Embedded) > 0 || len(later.Embedded) > 0 {
		return len(earlier.When) == 0
	}
	takesAll := !slices.ContainsFunc(later.Formats, func(f *Format) bool { return !slices.Contains(earlier.Formats, f) })
	sameKinds := earlier.Kind == nil || cmp.Equal(earlier.Kind, later.Kind)
	return takesAll && sameKinds && (len(earlier.When) == 0 || cmp.Equal(earlier.When, later.When))
}

func TestShadows_reportsWhatIsLeft(t *testing.T) {
	for _, tc := range []struct {
		label, earlier, later string
		want                  bool
	}{
		{"twice the same", "{path: a, target: Secret}", "{path: a, target: Secret}", true},
		{"another target", "{path: a, target: Secret}", "{path: a, target: ConfigMap}", true},
		{"another format", "{path: a, target: Secret}", "{path: a, target: Secret, format: ['x:{name}']}", false},
		{"one format of two", "{path: a, target: Secret}", "{path: a, target: Secret, format: ['x:{name}', '{name}']}", false},
		{"a condition on the earlier", "{path: a, target: Secret, when: [{path: b, present: true}]}", "{path: a, target: Secret}", false},
		{"a condition on the later", "{path: a, target: Secret}", "{path: a, target: Secret, when: [{path: b, present: true}]}", true},
		{"the same condition on both", "{path: a, target: Secret, when: [{path: b, present: true}]}", "{path: a, target: ConfigMap, when: [{path: b, present: true}]}", true},
		{"a kind by a field", "{path: a, target: both, kind: {path: kind}}", "{path: a, target: Secret}", false},
		{"something embedded", "{path: a, embedded: [{path: b, target: Secret}]}", "{path: a, target: Secret}", true},
	} {
		var rules []Rule
		for _, text := range []string{tc.earlier, tc.later} {
			var raw rawKind
			if err := decodeStrict("references: ["+text+"]", &raw); err != nil {
				t.Fatal(err)
			}
			newCatalog(nil).expand(&rules, raw.References, expansion{})
		}
		if got := shadows(rules[0], rules[1]); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.label, got, tc.want)
		}
	}
}

func TestData_filesAreNamedForGroups(t *testing.T) {
	groups := regexp.MustCompile(`^(_\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	entries, err := fs.ReadDir(files, "data")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name, isYAML := strings.CutSuffix(entry.Name(), ".yaml")
		if !isYAML || !groups.MatchString(name) {
			t.Errorf("%s is not named for an API group", entry.Name())
		}
		text, err := files.ReadFile("data/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(text), "\n") || strings.HasSuffix(string(text), "\n\n") {
			t.Errorf("%s does not end with one newline", entry.Name())
		}
	}
}

// TestData_notesAndSourcesAreShort keeps texts from being copied from elsewhere.
func TestData_notesAndSourcesAreShort(t *testing.T) {
	check := func(where, note, source string) {
		if len(note) > 140 || strings.HasSuffix(note, ".") {
			t.Errorf("%s: the note %q is long, or ends with a full stop", where, note)
		}
		if len(source) > 140 || source != "" && !strings.Contains(source, "/") {
			t.Errorf("%s: the source %q is not a repository and perhaps a path in it", where, source)
		}
	}
	groupDocuments(t, func(_ *testing.T, file string, _ document, raw *rawKind) {
		check(fmt.Sprintf("%s: %v", file, raw.Kinds), raw.Note, raw.Source)
		for _, p := range raw.PodTemplates {
			check(fmt.Sprintf("%s: %v: pod template", file, raw.Kinds), p.Note, p.Source)
		}
		for _, r := range raw.References {
			check(fmt.Sprintf("%s: %v: %s", file, raw.Kinds, r.Path), r.Note, r.Source)
		}
	})
}

func TestData_unknownFieldsAreErrors(t *testing.T) {
	for _, text := range []string{
		"kinds: [A]\nreference: []",
		"kinds: [A]\nreferences: [{path: a, target: Secret, keys: b}]",
		"kinds: [A]\nreferences: [{path: a, target: Secret, when: [{paths: b}]}]",
		"kinds: [A]\nreferences: [{path: a, target: Secret, kind: {paths: b}}]",
		"kinds: [A]\nreferences: [{path: a, target: Secrets}]",
		"kinds: [A]\nreferences: [{path: a, target: Secret, role: reader}]",
		"kinds: [A]\nreferences: [{path: a, target: Secret, format: ['{nam}']}]",
		"kinds: [A]\npodTemplates: [{path: a, change: restart}]",
		"kinds: [A]\nreferences: [{path: a, target: Secret, namespace: a//b}]",
		"kinds: [A]\nreferences: [{path: a//b, target: Secret}]",
		"kinds: [A]\nmanifests: [a//b]",
		"kinds: [A]\nforeignManifests: [a//b]",
		"kinds: [A]\nworkload: {partitions: a}",
	} {
		var raw rawKind
		if err := decodeStrict(text, &raw); err == nil {
			t.Errorf("no error for\n%s", text)
		}
	}
}

// defect returns the error with which load panics because of a defect of the data.
func defect(load func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	load()
	return nil
}

func TestExpand_refusesInvalidEntries(t *testing.T) {
	for _, tc := range []struct{ label, text, want string }{
		{"a subtree that is not there", "references: [{path: a, subtree: none}]", "no subtree"},
		{"nothing named", "references: [{path: a}]", "want either a target or of"},
		{"a subtree of a spec that is not there", "podTemplates: [{annotations: a, subtree: container}]", "no spec"},
		{"a pod template nowhere", "podTemplates: [{change: rollout}]", "has no path"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			var raw rawKind
			if err := decodeStrict(tc.text, &raw); err != nil {
				t.Fatal(err)
			}
			err := defect(func() { newCatalog(nil).add(&Kind{}, document{text: tc.text}) })
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
