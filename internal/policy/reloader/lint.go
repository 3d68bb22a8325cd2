package reloader

import (
	"cmp"
	"errors"
	"maps"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
)

// A Problem is an annotation that certainly does something else than was meant,
// or that no build can do justice to.
type Problem struct {
	Key         string // the annotation
	PodTemplate bool   // whether it stands on the pod template
	Message     string // a sentence whose subject is the annotation
}

// An audience is the set of places where an annotation is read.
type audience uint8

const (
	onWorkload audience = 1 << iota
	onPodTemplate
	onObject
	byNobody // the controller writes it
)

// audiences returns where each key in force is read.
func (k *keys) audiences() map[string]audience {
	all := map[string]audience{}
	// The flags can give one key several meanings.
	read := func(where audience, names ...string) {
		for _, key := range names {
			all[key] |= where
		}
	}
	read(onWorkload|onPodTemplate, k.auto, k.search)
	read(onObject, k.match, k.ignore)
	for _, of := range k.kinds {
		read(onWorkload|onPodTemplate, of.auto, of.named)
		read(onWorkload, of.exclude)
	}
	read(onWorkload, k.pausePeriod, k.rolloutStrategy)
	read(byNobody, k.pausedAt, k.lastReloadedFrom)
	return all
}

// concerns reports whether any of the annotations is Reloader's.
func (c *Controller) concerns(annotations map[string]string) bool {
	for key := range annotations {
		if c.reads[key] != 0 || ours(key) {
			return true
		}
	}
	return false
}

// LintWorkload returns what is wrong with the annotations of a workload of that
// kind itself.
func (c *Controller) LintWorkload(kind string, workload map[string]string) []Problem {
	if !c.concerns(workload) {
		return nil
	}
	l := &linter{Controller: c}
	l.places(onWorkload, workload)
	for i := range kinds {
		r := c.requestAt(i, workload)
		if r.asks() {
			l.request(r)
		}
		l.excluded(c.kinds[i].exclude, get(workload, c.kinds[i].exclude).value)
	}
	l.rollout(kind, workload)
	return l.sorted()
}

// LintPodTemplate returns what is wrong with the annotations of a pod template of a
// workload.
func (c *Controller) LintPodTemplate(workload, podTemplate map[string]string) []Problem {
	if !c.concerns(podTemplate) {
		return nil
	}
	l := &linter{Controller: c}
	l.places(onPodTemplate, podTemplate)
	for i := range kinds {
		if !c.requestAt(i, workload).asks() {
			l.request(c.request(i, workload, podTemplate))
		}
	}
	l.shadowed(workload, podTemplate)
	return l.sorted()
}

// LintObject returns what is wrong with the annotations of a ConfigMap, a Secret
// or a SecretProviderClass.
func (c *Controller) LintObject(kind string, annotations map[string]string) []Problem {
	if !c.concerns(annotations) {
		return nil
	}
	l := &linter{Controller: c, object: kind}
	l.places(onObject, annotations)
	for _, key := range []string{c.ignore, c.match} {
		l.exact(key, false, get(annotations, key))
	}
	return l.sorted()
}

// A linter gathers problems.
type linter struct {
	*Controller
	object   string // the kind of the object, if it is one
	problems []Problem
}

func (l *linter) tell(key string, podTemplate bool, message string) {
	l.problems = append(l.problems, Problem{key, podTemplate, message})
}

// sorted returns the problems in order, each once: an annotation that is in
// force for several kinds of objects is looked at for each.
func (l *linter) sorted() []Problem {
	slices.SortFunc(l.problems, func(a, b Problem) int {
		at := func(p Problem) int {
			if p.PodTemplate {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(l.problems)
}

// places looks for annotations that are not read where they stand.
func (l *linter) places(here audience, annotations map[string]string) {
	for key := range annotations {
		read := l.reads[key]
		if read&here != 0 {
			continue
		}
		if message := l.misplaced(key, read, here); message != "" {
			l.tell(key, here == onPodTemplate, message)
		}
	}
}

// misplaced says why an annotation is not read here, nothing if it is none of
// Reloader's.
func (l *linter) misplaced(key string, read, here audience) string {
	switch {
	case read == byNobody:
		return "is written by Reloader into the cluster, and has no use in a manifest; remove it"
	case read&onObject != 0 && key == l.match:
		return "is read on ConfigMaps, Secrets and SecretProviderClasses only; a workload looks for them by " + l.search
	case read&onObject != 0:
		return "is read on ConfigMaps, Secrets and SecretProviderClasses only; a workload is left alone when it has no annotation that asks for reloads, or " + l.auto + `: "false" under autoReloadAll`
	case read != 0 && here == onObject:
		return "is read on workloads only, not on a " + l.object + "; move it to the workload"
	case read != 0:
		return "is read in the metadata of the workload itself only, not on the pod template; move it there"
	case l.replaced[key] != "":
		return "is not read, for spec.reloader.annotationKeys puts " + l.replaced[key] + " in its place; use that"
	case ours(key):
		if near := l.nearest(key, here); near != "" {
			return "is no annotation of Reloader's; did you mean " + near + "?"
		}
		return "is no annotation of Reloader's; remove it, or correct its key"
	}
	return ""
}

// request looks at the values that are in force for one kind of object.
func (l *linter) request(r request) {
	k := l.kinds[r.kind]
	l.boolean(l.auto, r.podTemplate, r.auto)
	l.boolean(k.auto, r.podTemplate, r.typed)
	l.exact(l.search, r.podTemplate, r.search)
	l.names(k.named, r.podTemplate, r.named.value)
	if kinds[r.kind] == SecretProviderClass {
		const message = "asks for reloads when the driver reports other versions in the cluster, which no build sees; here only the spec of a SecretProviderClass can count"
		if parseBool(r.typed.value) {
			l.tell(k.auto, r.podTemplate, message)
		}
		if len(items(r.named.value)) > 0 {
			l.tell(k.named, r.podTemplate, message)
		}
	}
}

// boolean looks at a value that Reloader has strconv.ParseBool read.
func (l *linter) boolean(key string, podTemplate bool, s setting) {
	if s.value == "" {
		return
	}
	if _, err := strconv.ParseBool(s.value); err != nil {
		l.tell(key, podTemplate, "is "+quote(s.value)+`, which Reloader takes for false, and which keeps --auto-reload-all from applying; write "true" or "false"`)
	}
}

// exact looks at a value that says something only if it is "true".
func (l *linter) exact(key string, podTemplate bool, s setting) {
	if s.value != "true" && meansTrue(s.value) {
		l.tell(key, podTemplate, "is "+quote(s.value)+`, and Reloader takes nothing but "true" for true; write "true"`)
	}
}

// meansTrue reports whether people write this for true.
func meansTrue(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "t", "1", "yes", "y", "on", "enabled":
		return true
	}
	return false
}

// names looks at a list of patterns.
func (l *linter) names(key string, podTemplate bool, value string) {
	all := items(value)
	for i, item := range all {
		if isLiteral(item) || errors.Is(l.compile(item).err, pattern.ErrSize) {
			continue // of the second, an error tells
		}
		if i+1 < len(all) && opensRepetition(item) && closesRepetition(all[i+1]) {
			l.tell(key, podTemplate, "holds "+quote(item+","+all[i+1])+", which Reloader parts at the comma; write the repetition without one, with ?, * or +, or list the names")
			continue
		}
		if message := l.wrong(item, len(all) > 1); message != "" {
			l.tell(key, podTemplate, message)
		}
	}
}

// wrong says what is wrong with a pattern, or nothing.
func (l *linter) wrong(pattern string, oneOfSeveral bool) string {
	if err := l.compile(pattern).err; err != nil {
		why := err.Error()
		if e := new(syntax.Error); errors.As(err, &e) {
			why = e.Code.String()
		}
		message := "holds " + quote(pattern) + ", which is no regular expression (" + why + ") and is skipped; "
		if oneOfSeveral {
			return message + "correct it, and mind that every comma parts two patterns"
		}
		return message + "correct it"
	}
	if i := strings.LastIndexByte(pattern, '/'); i >= 0 {
		message := "holds " + quote(pattern) + ", but no name has a slash, and Reloader looks in the workload's own namespace only; write the name alone"
		if name := pattern[i+1:]; name != "" && l.compile(name).err == nil {
			message += ", " + quote(name)
		}
		return message
	}
	if i := strings.IndexAny(pattern, "; \t\r\n"); i >= 0 {
		return "holds " + quote(pattern) + ", but no name has " + quote(pattern[i:i+1]) + " in it; write commas between names"
	}
	if i := wildcard(pattern); i > 0 {
		return "holds " + quote(pattern) + ", in which the * repeats the " + quote(pattern[i-1:i]) + " before it; write " + quote(pattern[:i]+"."+pattern[i:]) + " if any letters may stand there"
	}
	if parts := alternatives(pattern); len(parts) > 1 && !anchored(parts) {
		return "holds " + quote(pattern) + ", which Reloader reads as " + quote("^"+pattern+"$") + ", with each anchor for one alternative only; write " +
			quote("("+pattern+")") + ", or a comma for the |"
	}
	return ""
}

// nameLetters are what the names of objects are made of.
const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-."

// wildcard returns the place of a * that is meant as in a file's name, where
// the pattern has nothing else of a regular expression; 0 if there is none.
func wildcard(pattern string) int {
	if strings.Trim(pattern, nameLetters+"*") != "" {
		return 0
	}
	for i := 1; i < len(pattern); i++ {
		if pattern[i] == '*' && pattern[i-1] != '.' && pattern[i-1] != '*' {
			return i
		}
	}
	return 0
}

// opensRepetition and closesRepetition recognize the halves of {1,2}, each of
// which is a valid expression in which the brace stands for itself.
func opensRepetition(pattern string) bool {
	i := strings.LastIndexByte(pattern, '{')
	return i >= 0 && i+1 < len(pattern) && isDigits(pattern[i+1:])
}

func closesRepetition(pattern string) bool {
	i := strings.IndexByte(pattern, '}')
	return i >= 0 && isDigits(pattern[:i])
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// alternatives splits a valid pattern at each | outside of groups and classes.
func alternatives(pattern string) []string {
	var parts []string
	from, depth := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i = afterEscape(pattern, i) - 1
		case '[':
			i = afterClass(pattern, i) - 1
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				parts, from = append(parts, pattern[from:i]), i+1
			}
		}
	}
	return append(parts, pattern[from:])
}

// afterEscape returns where what the backslash at i escapes ends.
func afterEscape(pattern string, i int) int {
	if !strings.HasPrefix(pattern[i:], `\Q`) {
		return i + 2
	}
	if n := strings.Index(pattern[i:], `\E`); n >= 0 {
		return i + n + len(`\E`)
	}
	return len(pattern)
}

// afterClass returns where the class that begins at i ends.
func afterClass(pattern string, i int) int {
	i++
	if strings.HasPrefix(pattern[i:], "^") {
		i++
	}
	for first := true; i < len(pattern) && (first || pattern[i] != ']'); first = false { // the first ] stands for itself
		if strings.HasPrefix(pattern[i:], "[:") {
			if n := strings.Index(pattern[i+2:], ":]"); n >= 0 {
				i += n + len("[::]")
				continue
			}
		}
		i = afterClassChar(pattern, i)
		// What ends a range begins nothing else.
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			i = afterClassChar(pattern, i+1)
		}
	}
	return i + 1
}

// afterClassChar returns where the character at i in a class ends.
func afterClassChar(pattern string, i int) int {
	if pattern[i] == '\\' {
		return i + 2
	}
	return i + 1
}

// anchored reports whether alternatives mean the same between anchors that bind
// to the first and the last as they do in a group.
func anchored(parts []string) bool {
	for i, part := range parts {
		begins := i == 0 || strings.HasPrefix(part, "^") || strings.HasPrefix(part, ".*")
		ends := i == len(parts)-1 || strings.HasSuffix(part, "$") || strings.HasSuffix(part, ".*")
		if !begins || !ends {
			return false
		}
	}
	return true
}

// excluded looks at a list of names that are compared letter by letter.
func (l *linter) excluded(key, value string) {
	for _, item := range items(value) {
		if strings.Trim(item, nameLetters) != "" {
			l.tell(key, false, "holds "+quote(item)+", which can be no name: Reloader reads neither patterns nor namespaces here; list the names themselves")
		}
	}
}

// rollout looks at the annotations about how a workload of that kind rolls.
func (l *linter) rollout(kind string, workload map[string]string) {
	if s := get(workload, l.pausePeriod); s.present {
		if kind == "Deployment" {
			l.tell(l.pausePeriod, false, "cannot be honoured: it has Reloader pause a Deployment that it rolled, and here a new pod template is applied as one; remove it with Reloader")
		} else {
			l.tell(l.pausePeriod, false, "is read on Deployments only, not on a "+kind+"; remove it")
		}
	}
	s := get(workload, l.rolloutStrategy)
	switch {
	case !s.present:
	case kind != "Rollout":
		l.tell(l.rolloutStrategy, false, "is read on Argo Rollouts only, not on a "+kind+"; remove it")
	case s.value == "restart":
		l.tell(l.rolloutStrategy, false, `is "restart", which cannot be honoured: it has Reloader set spec.restartAt in the cluster, and here the pod template changes, so that the Rollout takes its steps`)
	case s.value != "rollout":
		l.tell(l.rolloutStrategy, false, "is "+quote(s.value)+`, which Reloader takes for "rollout"; write "rollout" or remove it`)
	}
}

// shadowed looks for annotations on the pod template that are not read because
// of one on the workload, where reading them would make a difference.
func (l *linter) shadowed(workload, podTemplate map[string]string) {
	for kind := range kinds {
		w, p := l.requestAt(kind, workload), l.requestAt(kind, podTemplate)
		if !w.asks() {
			continue
		}
		k, by := l.kinds[kind], l.blocking(w)
		named, search, auto, typed := w, w, w, w
		named.named, search.search, auto.auto, typed.typed = p.named, p.search, p.auto, p.typed
		for _, unread := range []struct {
			key    string
			s      setting
			merged request
		}{{k.named, p.named, named}, {l.search, p.search, search}, {l.auto, p.auto, auto}, {k.auto, p.typed, typed}} {
			if !unread.s.present || !l.differ(unread.merged, w) {
				continue
			}
			about := ""
			if general := by == l.auto || by == l.search; !general && (unread.key == l.auto || unread.key == l.search) {
				about = " for " + kinds[kind] + " objects"
			}
			l.tell(unread.key, true, "is not read"+about+", because "+by+" in the metadata of the workload itself keeps Reloader from reading the pod template; move it there")
		}
	}
}

// blocking returns the first of the annotations that keep the pod template from
// being read.
func (l *linter) blocking(r request) string {
	switch {
	case r.auto.present:
		return l.auto
	case r.search.present:
		return l.search
	case r.named.present:
		return l.kinds[r.kind].named
	}
	return l.kinds[r.kind].auto
}

// differ reports whether two requests come to something else.
func (l *linter) differ(a, b request) bool {
	autoA, _ := l.isAuto(a)
	autoB, _ := l.isAuto(b)
	// Where all that containers use counts, what is marked counts with it.
	searchA, searchB := a.search.value == "true" && !autoA, b.search.value == "true" && !autoB
	return autoA != autoB || searchA != searchB || a.named.value != b.named.value && !slices.Equal(sortedItems(a.named.value), l.itemsOf(b.named.value))
}

// itemsOf returns sortedItems, of the same text once.
func (c *Controller) itemsOf(value string) []string {
	if c.sorted.value != value || c.sorted.items == nil {
		c.sorted.value, c.sorted.items = value, sortedItems(value)
	}
	return c.sorted.items
}

// sortedItems returns the items of a list, sorted, each once.
func sortedItems(value string) []string {
	all := items(value)
	slices.Sort(all)
	return slices.Compact(all)
}

// nearest returns the key that is read here and spelt most alike, nothing if
// none is alike.
func (c *Controller) nearest(key string, here audience) string {
	const most = 3 // letters that differ
	best, least := "", most+1
	for _, known := range slices.Sorted(maps.Keys(c.reads)) {
		if c.reads[known]&here == 0 || len(key) > len(known)+most {
			continue
		}
		if d := distance(key, known); d < least {
			best, least = known, d
		}
	}
	return best
}

// distance returns how many bytes to insert, remove or replace lead from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
