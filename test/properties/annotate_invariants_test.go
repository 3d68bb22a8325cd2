package properties_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// packages is the default number of random packages for a property.
const packages = 100

// A consumerCheck checks the function on a package. Its random choices come from the dice.
type consumerCheck func(d *gen.Dice, p *consumerPackage) error

// A mismatch is an error with a cause that identifies it in a smaller package.
type mismatch struct {
	cause, text string
}

func (m *mismatch) Error() string { return m.cause + ": " + m.text }

// Cause identifies failures of the same kind.
func (m *mismatch) Cause() string { return m.cause }

func mismatchf(cause, format string, args ...any) error {
	return &mismatch{cause, fmt.Sprintf(format, args...)}
}

// forEachConsumers runs a check on random packages and shows those that fail.
func forEachConsumers(t *testing.T, check consumerCheck) {
	t.Helper()
	forEachOf(t, packages, randomConsumers, check)
}

func forEachOf(t *testing.T, count int, generate func(*gen.Dice) *consumerPackage, check consumerCheck) {
	t.Helper()
	property.ForAll(t, count, generate, func(d *gen.Dice, p *consumerPackage) error {
		if err := check(d, p); err != nil {
			return fmt.Errorf("%w\npackage, spec: %s\n%s", err, p.spec, p.text())
		}
		return nil
	})
}

// process runs the function in this process.
func (p *consumerPackage) process(text string) (string, error) {
	out, _, err := p.processAndTell(text)
	return out, err
}

// processAndTell also returns the function's messages.
func (p *consumerPackage) processAndTell(text string) (string, []function.Message, error) {
	var options function.Options
	if !p.form.isList() {
		config, err := p.spec.config()
		if err != nil {
			return "", nil, err
		}
		options.Config = config
	}
	var out bytes.Buffer
	result, err := function.Process([]byte(text), &out, options)
	if err != nil {
		return "", nil, mismatchf("the function fails", "%v", err)
	}
	return out.String(), result.Messages, nil
}

func (s annotateSpec) document() string {
	return "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: roll}\nspec: " + s.String() + "\n"
}

func (s annotateSpec) config() (*v1alpha1.ConfigHash, error) {
	var node yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(s.document()), &node); err != nil {
		return nil, err
	}
	return v1alpha1.Parse(&node)
}

// A stamped package is the input and the output, as text and parsed.
type stampedPackage struct {
	in, out           string
	inItems, outItems []harness.Object
	wanted            stampTable
	// exchanged: annotations of one pod template were both added and removed.
	exchanged bool
}

// stamp runs the function on a package and compares each pod template with what it consumes: it must have the expected
// annotations, and nothing else may change. bearing collects the meanings of checksums.
func (p *consumerPackage) stamp(bearing checksumMeanings) (*stampedPackage, error) {
	return p.stampText(p.text(), bearing)
}

func (p *consumerPackage) stampText(text string, bearing checksumMeanings) (*stampedPackage, error) {
	out, err := p.process(text)
	if err != nil {
		return nil, err
	}
	s := &stampedPackage{in: text, out: out}
	if s.inItems, err = readManifests(text); err != nil {
		return nil, fmt.Errorf("unreadable input: %w", err)
	}
	if s.outItems, err = readManifests(out); err != nil {
		return nil, mismatchf("unreadable output", "%v\n%s", err, out)
	}
	if len(s.inItems) != len(s.outItems) {
		return nil, mismatchf("number of resources", "%d went in, %d came out\n%s", len(s.inItems), len(s.outItems), out)
	}
	oracle := p.oracle(s.inItems)
	s.wanted = oracle.stamps()
	for i, before := range s.inItems {
		after := s.outItems[i]
		templates := p.spec.rollingTemplates(after)
		for n, template := range p.spec.rollingTemplates(before) {
			id := templateID(before, n)
			wanted, stamped := s.wanted[id]
			if !stamped {
				continue
			}
			var came, gone int
			for key, value := range entries(template, "metadata", "annotations") {
				if _, kept := entries(templates[n], "metadata", "annotations")[key]; !kept && value != nil {
					gone++
				}
			}
			for key := range entries(templates[n], "metadata", "annotations") {
				if _, was := entries(template, "metadata", "annotations")[key]; !was {
					came++
				}
			}
			s.exchanged = s.exchanged || came > 0 && gone > 0
			if err := p.spec.compareStamps(id, wanted, template, templates[n], bearing); err != nil {
				return nil, fmt.Errorf("%w\n%s", err, out)
			}
		}
		was, is := cloned(map[string]any(before)), cloned(map[string]any(after))
		p.spec.dropOurs(was, s.wanted)
		p.spec.dropOurs(is, s.wanted)
		if diff := cmp.Diff(was, is); diff != "" {
			return nil, mismatchf("more than our annotations", "%s: (-in +out)\n%s", before.Identity(), diff)
		}
	}
	return s, nil
}

// oracle returns the oracle for the consumers of objects.
func (p *consumerPackage) oracle(objects []harness.Object) *consumptionOracle {
	c := &consumptionOracle{annotateSpec: p.spec, objects: objects}
	switch p.spec.policy {
	case "Reloader":
		c.decide = c.asReloader
	case "Wave":
		c.decide = c.asWave
	}
	return c
}

// checksumMeanings map between checksums and their meanings, which must be one-to-one.
type checksumMeanings struct{ ofChecksum, ofMeaning map[string]string }

func newChecksumMeanings() checksumMeanings {
	return checksumMeanings{map[string]string{}, map[string]string{}}
}

// enter returns an error if a checksum has two meanings, or a meaning two checksums.
func (m checksumMeanings) enter(checksum, meaning string) error {
	if other, ok := m.ofChecksum[checksum]; ok && other != meaning {
		return mismatchf("one checksum for two contents", "%s stands for\n%s\nand for\n%s", checksum, other, meaning)
	}
	if other, ok := m.ofMeaning[meaning]; ok && other != checksum {
		return mismatchf("two checksums for one content", "%s and %s stand for\n%s", other, checksum, meaning)
	}
	m.ofChecksum[checksum], m.ofMeaning[meaning] = meaning, checksum
	return nil
}

// compareStamps compares the annotations of a pod template with the wanted ones.
func (s annotateSpec) compareStamps(id string, wanted map[string]string, before, after map[string]any, bearing checksumMeanings) error {
	found := map[string]string{}
	for key, value := range entries(after, "metadata", "annotations") {
		if _, isWanted := wanted[abbreviated(key)]; isWanted || s.isOurs(key, value) && !s.isAnothers(key) {
			if _, name, _ := strings.Cut(key, "/"); len(name) > longestName {
				return mismatchf("a long key", "%s: an API server refuses %q", id, key)
			}
			found[abbreviated(key)] = fmt.Sprint(value)
		}
	}
	want := slices.Sorted(maps.Keys(wanted))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found)), cmpopts.EquateEmpty()); diff != "" {
		return mismatchf("other annotations", "%s: (-want +got)\n%swanted by what it consumes: %v\nannotations were: %v", id, diff, wanted,
			harness.At(before, "metadata", "annotations"))
	}
	for key, meaning := range wanted {
		if !checksumForm.MatchString(found[key]) {
			return mismatchf("no checksum", "%s: %s is %q", id, key, found[key])
		}
		if err := bearing.enter(found[key], meaning); err != nil {
			return fmt.Errorf("%w\n%s", err, id)
		}
	}
	return nil
}

// dropOurs removes from a resource the annotations that the function may write or remove, and mappings that become
// empty.
func (s annotateSpec) dropOurs(value any, wanted stampTable) {
	o := harness.Object(value.(map[string]any))
	for i, template := range s.rollingTemplates(o) {
		stamps, stamped := wanted[templateID(o, i)]
		if !stamped {
			continue
		}
		metadata := entries(template, "metadata")
		annotations := entries(metadata, "annotations")
		maps.DeleteFunc(annotations, func(key string, value any) bool {
			_, isWanted := stamps[abbreviated(key)]
			return isWanted || s.isOurs(key, value)
		})
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
		if len(metadata) == 0 {
			delete(template, "metadata")
		}
	}
}

// Without enough variety in the packages, the tests below prove little.
func TestConsumers_areVariedEnough(t *testing.T) {
	var stamped, bare, anchored int
	forEachConsumers(t, func(_ *gen.Dice, p *consumerPackage) error {
		items, err := readManifests(p.text())
		if err != nil {
			return err
		}
		for _, wanted := range p.oracle(items).stamps() {
			if len(wanted) > 0 {
				stamped++
			} else {
				bare++
			}
		}
		for _, d := range p.documents {
			if d.anchored {
				anchored++
			}
		}
		return nil
	})
	if stamped < bare || bare < stamped/8 || anchored < stamped/20 {
		t.Errorf("%d pod templates consume something, %d nothing, %d documents have anchors: the packages say too little", stamped, bare, anchored)
	}
}

// Consumers are stamped and others are not; equal checksums stand for equal content; and nothing else is touched
// (invariant 2): all lines stay except for those with our annotations, and those that had to be added or opened for
// them.
func TestAnnotate_stampsConsumersAndTouchesNothingElse(t *testing.T) {
	forEachConsumers(t, func(_ *gen.Dice, p *consumerPackage) error {
		s, err := p.stamp(newChecksumMeanings())
		if err != nil {
			return err
		}
		if p.isAnchored() {
			return nil // edited items may be encoded again
		}
		err = p.spec.sameLines(s.in, p.withoutResults(s.out))
		if err != nil && s.exchanged && p.hasFlowTemplates() {
			// An item is encoded again if a mapping in flow style both gets and loses entries; that it means the same
			// is checked above.
			return nil
		}
		return err
	})
}

var aboveAnnotations = regexp.MustCompile(`["']?(annotations|metadata|template|spec|jobTemplate|workers)["']?:\s*[{\[]|^-?\s*\{|-\s+\{`)

// hasFlowTemplates reports whether annotations of pod templates may be in flow style.
func (p *consumerPackage) hasFlowTemplates() bool {
	return slices.ContainsFunc(p.documents, func(d *styledDocument) bool {
		return len(p.spec.rollingTemplates(d.value)) > 0 && aboveAnnotations.MatchString(p.textOf(d))
	})
}

func (p *consumerPackage) withoutResults(out string) string {
	return (&plainPackage{form: p.form}).withoutResults(out)
}

// sameLines compares two texts line by line, except for our annotations.
func (s annotateSpec) sameLines(in, out string) error {
	prefix, _, _ := strings.Cut(s.key, "/")
	const value = `["']?([0-9a-f]{64}|v1)["']?`
	var (
		key     = `["']?(?:` + regexp.QuoteMeta(s.key) + `|` + regexp.QuoteMeta(prefix) + `/[a-z]+\.[-_.A-Za-z0-9]+)["']?`
		entry   = regexp.MustCompile(key + `:\s*` + value)
		holders = []*regexp.Regexp{
			regexp.MustCompile(`["']?annotations["']?:\s*(\{[\s,]*\}|null|~|,|$)`),
			regexp.MustCompile(`["']?metadata["']?:\s*(\{[\s,]*\}|null|~|$)`),
		}
		nothing   = regexp.MustCompile(`(annotations["']?:\s*)\}`)
		separator = regexp.MustCompile(`[\s,]+`)
	)
	bare := func(line string) string {
		line = entry.ReplaceAllString(line, "")
		line = nothing.ReplaceAllString(line, "$1~}")
		for _, holder := range holders {
			line = holder.ReplaceAllString(line, "")
		}
		return separator.ReplaceAllString(line, "")
	}
	remark := regexp.MustCompile(`\s#.*`)
	ours := func(line string) bool {
		return strings.TrimSpace(line) != "" && strings.Trim(bare(remark.ReplaceAllString(line, "")), "{}") == ""
	}
	whole := func(lines []string) string {
		var all strings.Builder
		for _, line := range lines {
			all.WriteString(bare(line))
		}
		return bare(all.String())
	}
	was, is := strings.SplitAfter(in, "\n"), strings.SplitAfter(out, "\n")
	for i, j := 0, 0; i < len(was) || j < len(is); {
		switch {
		case i < len(was) && j < len(is) && (was[i] == is[j]):
			i, j = i+1, j+1
		case i < len(was) && j < len(is) && bare(was[i]) != "" && bare(was[i]) == bare(is[j]) && entry.MatchString(was[i]+is[j]):
			i, j = i+1, j+1
		case j < len(is) && ours(is[j]):
			j++
		case i < len(was) && ours(was[i]):
			i++
		case whole(was) == whole(is) && (strings.Contains(in, "{\n") || strings.Contains(in, "{\r\n")):
			// Removing an entry of a mapping in flow style may remove lines, and adding one may add some.
			return nil
		default:
			return mismatchf("other lines", "from line %d on: (-in +out)\n%s", i+1, cmp.Diff(was[i:min(i+6, len(was))], is[j:min(j+6, len(is))]))
		}
	}
	return nil
}

// Invariant 4: whatever changes, exactly the pod templates change that consume different content. It includes invariant
// 1: a second run changes nothing, and a run on an edited earlier output has the same result.
func TestAnnotate_changes_rollExactlyTheConsumers(t *testing.T) {
	applied, rolled := map[string]int{}, map[string]int{}
	forEachConsumers(t, func(d *gen.Dice, p *consumerPackage) error {
		bearing := newChecksumMeanings()
		before, err := p.stamp(bearing)
		if err != nil {
			return err
		}
		for i, c := range changes {
			// Each package undergoes some of the changes.
			if (p.turn+i)%6 != 0 {
				continue
			}
			rolling, ok, err := p.undergo(d, &c, before, bearing)
			if err != nil {
				return fmt.Errorf("%w\nafter a change of %s", err, c.name)
			}
			if ok {
				applied[c.name]++
				rolled[c.name] += rolling
			}
		}
		return nil
	})
	for _, c := range changes {
		if property.IsLong() && (applied[c.name] < 3 || rolled[c.name] == 0 != c.neutral) {
			t.Errorf("a change of %s was applied %d times, and %d pod templates rolled: it says too little", c.name, applied[c.name], rolled[c.name])
		}
	}
}

// undergo changes a package and compares the outputs before and after. It returns how many pod templates roll, and
// false if there is nothing to change.
func (p *consumerPackage) undergo(d *gen.Dice, c *change, before *stampedPackage, bearing checksumMeanings) (rolling int, ok bool, err error) {
	changed := p.clone()
	what, ok := c.apply(d, changed)
	if !ok {
		return 0, false, nil
	}
	after, err := changed.stamp(bearing)
	if err != nil {
		return 0, true, err
	}
	want, got := []string{}, []string{}
	templates := before.templates(p.spec)
	for id, template := range after.templates(p.spec) {
		was, both := templates[id]
		if !both {
			continue
		}
		if !maps.Equal(before.wanted[id], after.wanted[id]) {
			want = append(want, id)
		}
		if !cmp.Equal(was, template) {
			got = append(got, id)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if c.neutral && len(want) > 0 {
		return 0, true, mismatchf("the oracle of "+c.name, "%s should roll nothing, not %q", what, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return 0, true, mismatchf("other pod templates roll by "+c.name, "%s\n(-want +got)\n%s", what, diff)
	}
	again, err := changed.process(after.out)
	if err != nil {
		return 0, true, err
	}
	if again != after.out {
		return 0, true, mismatchf("second run", "(-once +twice)\n%s", cmp.Diff(strings.SplitAfter(after.out, "\n"), strings.SplitAfter(again, "\n")))
	}
	if !c.rearranges {
		if err := p.editOutput(changed, before, after); err != nil {
			return 0, true, fmt.Errorf("%w\n%s", err, what)
		}
	}
	return len(want), true, nil
}

// templates returns the pod templates of the output, without empty parts of their metadata, and without handwritten
// values in place of checksums: once overwritten these do not return.
func (s *stampedPackage) templates(spec annotateSpec) map[string]any {
	found := map[string]any{}
	for _, o := range s.outItems {
		for i, template := range spec.rollingTemplates(o) {
			template, _ = cloned(template).(map[string]any)
			metadata := entries(template, "metadata")
			annotations := entries(metadata, "annotations")
			maps.DeleteFunc(annotations, func(_ string, value any) bool {
				return value == "v1" || value == handMade
			})
			if len(annotations) == 0 {
				delete(metadata, "annotations")
			}
			if len(metadata) == 0 {
				delete(template, "metadata")
			}
			found[templateID(o, i)] = template
		}
	}
	return found
}

// editOutput changes the documents in an earlier output, as with tools that write the output back, and runs again.
func (p *consumerPackage) editOutput(changed *consumerPackage, before, after *stampedPackage) error {
	edited := before.out
	for i, d := range p.documents {
		was, is := p.endLines(p.textOf(d)), p.endLines(changed.textOf(changed.documents[i]))
		if was == is {
			continue
		}
		if (p.isAnchored() || before.exchanged) && !strings.Contains(edited, was) {
			return nil // it was encoded again because it could not be spliced
		}
		if strings.Count(edited, was) != 1 {
			return mismatchf("a source in the output", "its text stands there %d times:\n%s\n%s", strings.Count(edited, was), was, edited)
		}
		edited = strings.Replace(edited, was, is, 1)
	}
	again, err := changed.process(edited)
	if err != nil {
		return err
	}
	items, err := readManifests(again)
	if err != nil {
		return mismatchf("unreadable output", "%v\n%s", err, again)
	}
	was := (&stampedPackage{outItems: items}).templates(p.spec)
	if diff := cmp.Diff(after.templates(p.spec), was); diff != "" {
		return mismatchf("edited output", "(-input edited, then run +run, edited and run again)\n%s", diff)
	}
	return nil
}

// After a change of scope, granularity or salt, the result is the same as if these had been set from the beginning.
func TestAnnotate_afterOtherSettings_hasTheSameResult(t *testing.T) {
	compared := 0
	forEachConsumers(t, func(d *gen.Dice, p *consumerPackage) error {
		once, err := p.process(p.text())
		if err != nil {
			return err
		}
		later := p.clone()
		later.spec.scope = gen.Pick(d, []string{"Workload", "Source"})
		later.spec.granularity = gen.Pick(d, []string{"Key", "Object"})
		later.spec.salt = gen.Pick(d, []string{"", "paprika"})
		later.spec.policy = gen.Pick(d, []string{"All", "OptIn"})
		if p.form.isList() {
			if !strings.Contains(once, p.spec.String()) {
				return nil // it was encoded again because it could not be spliced
			}
			once = strings.Replace(once, p.spec.String(), later.spec.String(), 1)
		}
		compared++
		before, after := newChecksumMeanings(), newChecksumMeanings()
		if _, err := p.stamp(before); err != nil {
			return err
		}
		want, err := later.stamp(after)
		if err != nil {
			return err
		}
		for checksum := range after.ofChecksum {
			if before.ofChecksum[checksum] != "" && later.spec.salt != p.spec.salt {
				return mismatchf("salt", "%s is the checksum with another salt, too", checksum)
			}
		}
		out, err := later.process(once)
		if err != nil {
			return err
		}
		items, err := readManifests(out)
		if err != nil {
			return mismatchf("unreadable output", "%v\n%s", err, out)
		}
		got := (&stampedPackage{outItems: items}).templates(p.spec)
		if diff := cmp.Diff(want.templates(p.spec), got); diff != "" {
			return mismatchf("other settings", "%s (-at once +after the first)\n%s", later.spec, diff)
		}
		return nil
	})
	if compared < property.Cases(packages)/5*4 {
		t.Errorf("only %d of %d packages are compared", compared, property.Cases(packages))
	}
}

// Even a full report contains no value of a Secret.
func TestAnnotate_results_showNoSecretValue(t *testing.T) {
	const short = 6 // values this short may occur anywhere
	shown, values := 0, 0
	forEachConsumers(t, func(_ *gen.Dice, p *consumerPackage) error {
		p.spec.report = "Full"
		text := p.text()
		_, messages, err := p.processAndTell(text)
		if err != nil {
			return err
		}
		items, err := readManifests(text)
		if err != nil {
			return err
		}
		shown += len(messages)
		for _, o := range items {
			if o.Kind() != "Secret" {
				continue
			}
			all := slices.Collect(maps.Values(valuesOf(o)))
			for _, field := range []string{"data", "stringData"} {
				for _, value := range entries(o, field) {
					all = append(all, fmt.Sprint(value))
				}
			}
			for _, value := range all {
				if len(value) <= short {
					continue
				}
				values++
				for _, m := range messages {
					if strings.Contains(m.Text, value) {
						return mismatchf("a secret shown", "%q is in %q", value, m.Text)
					}
				}
			}
		}
		return nil
	})
	if shown == 0 || values == 0 {
		t.Errorf("%d messages, %d values: the packages say too little", shown, values)
	}
}

// The binary does the same as the in-process runs of the tests above.
func TestAnnotate_binary_doesTheSame(t *testing.T) {
	config := filepath.Join(t.TempDir(), "confighash.yaml")
	forEachOf(t, packages/6, randomConsumers, func(_ *gen.Dice, p *consumerPackage) error {
		text := p.text()
		want, err := p.process(text)
		if err != nil {
			return err
		}
		var args []string
		if !p.form.isList() {
			if err := os.WriteFile(config, []byte(p.spec.document()), 0o600); err != nil {
				return err
			}
			args = []string{"--config", config}
		}
		got, err := harness.Run([]byte(text), harness.Binary, args...)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(string(got), "\n")); diff != "" {
			return mismatchf("the binary differs", "(-in process +binary)\n%s", diff)
		}
		return nil
	})
}
