package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// An impactView shows a report of impact.
type impactView struct{ *impact.Report }

// Impact returns the view of what an apply does.
func Impact(r *impact.Report) report.View { return impactView{r} }

// Data returns the report.
func (v impactView) Data() any { return v.Report }

// An outcome is how an effect is worded.
type outcome struct {
	effect impact.Effect
	tag    string
	tone   report.Tone
	// title explains the effect.
	title string
	// one and several follow a number of workloads in the page's title.
	one, several string
}

// outcomes are in the order of sections.
var outcomes = []outcome{
	{impact.Refused, "refused", report.Alarms, "the API server refuses the new manifest", "", ""},
	{impact.Kills, "kills", report.Alarms, "running work is stopped, and its results may be lost", "loses running work", "lose running work"},
	{impact.Stale, "stale", report.Alarms, "pods keep the old configuration until restarted", "stays stale", "stay stale"},
	{impact.Rolls, "rolls", report.Warns, "pods are replaced", "rolls", "roll"},
	{impact.Waits, "waits", report.Warns, "pods are replaced after somebody acts", "waits for somebody to act", "wait for somebody to act"},
	{impact.NextRuns, "next run", report.Calm, "what runs stays; the next run or pod follows the new manifest", "changes with the next run", "change with the next run"},
	{impact.Unknown, "unknown", report.Calm, "an operator decides", "is up to an operator", "are up to an operator"},
	{impact.Starts, "starts", report.Calm, "new workloads", "starts", "start"},
	{impact.Stops, "stops", report.Calm, "removed workloads, which a pruning apply stops", "stops if the apply prunes", "stop if the apply prunes"},
}

// titleOrder is the order of effects in the title: what rolls comes first, since that is
// what a reader asks. What is refused is counted with other errors.
var titleOrder = []impact.Effect{
	impact.Rolls, impact.Kills, impact.Stale, impact.Waits, impact.NextRuns, impact.Unknown, impact.Starts, impact.Stops,
}

// outcomeOf returns the outcome of an effect, that of Unknown for a new one.
func outcomeOf(e impact.Effect) *outcome {
	if i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.effect == e }); i >= 0 {
		return &outcomes[i]
	}
	return outcomeOf(impact.Unknown)
}

// Page lists what happens, worst first.
func (v impactView) Page() *report.Page {
	p := &report.Page{Command: "impact", What: "workload", Title: report.Words(v.title()).Toned(report.Bold)}
	add := func(tag, title string, rows []report.Row) {
		if len(rows) > 0 {
			p.Sections = append(p.Sections, report.Section{Tag: tag, Title: title, Rows: rows})
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		rows := v.workloadRows(o)
		if o.effect == impact.Refused {
			rows = append(rows, v.refusalRows()...)
		}
		add(o.tag, o.title, rows)
	}
	add("disappears", "objects that a pruning apply deletes while something may still need them", v.disappearingRows())
	unconsumed, gone := v.otherObjectRows()
	add("unconsumed", "configuration that no pod gets by env or volume; a program may read it through the API", unconsumed)
	add("gone", "objects that a pruning apply deletes and nothing needs", gone)
	return p
}

// title sums the report up: "2 workloads roll, 1 stays stale".
func (v impactView) title() string {
	counts := map[impact.Effect]int{}
	accepted := 0
	for i := range v.Workloads {
		w := &v.Workloads[i]
		counts[outcomeOf(w.Effect).effect]++
		if w.Effect == impact.Stale && w.Accepted {
			accepted++
		}
	}
	var parts []string
	for _, effect := range titleOrder {
		o, n, noun := outcomeOf(effect), counts[effect], ""
		if len(parts) == 0 {
			noun = report.Choose(n, "workload ", "workloads ")
		}
		parts = counted(parts, n, noun+o.one, noun+o.several)
		if effect == impact.Stale && accepted > 0 {
			parts[len(parts)-1] += report.Choose(n-accepted+1, " (accepted)", fmt.Sprintf(" (%d accepted)", accepted))
		}
	}
	rolls := len(parts) > 0
	parts = v.countErrors(parts, counts[impact.Refused])
	if rolls {
		return strings.Join(parts, ", ")
	}
	if parts = v.countOthers(parts); len(parts) > 0 {
		return "Nothing rolls. " + strings.Join(parts, ", ") + "."
	}
	return "Nothing rolls."
}

// counted appends a number with what it counts, unless it is 0.
func counted(parts []string, n int, one, several string) []string {
	if n == 0 {
		return parts
	}
	return append(parts, fmt.Sprintf("%d %s", n, report.Choose(n, one, several)))
}

// count returns how many elements meet a condition.
func count[T any](all []T, is func(*T) bool) int {
	n := 0
	for i := range all {
		if is(&all[i]) {
			n++
		}
	}
	return n
}

// countErrors appends the numbers of refused applies and of dangling references.
func (v impactView) countErrors(parts []string, refusedWorkloads int) []string {
	refused := refusedWorkloads + len(v.Refused) + count(v.Objects, func(o *impact.Object) bool { return o.Refused != "" })
	dangling := 0
	for i := range v.Disappearing {
		dangling += count(v.Disappearing[i].NeededBy, dangles)
	}
	parts = counted(parts, refused, "apply is refused", "applies are refused")
	return counted(parts, dangling, "reference dangles", "references dangle")
}

func dangles(n *impact.Need) bool { return n.Why == impact.StillNamed }

// countOthers appends the numbers of objects whose change rolls nothing.
func (v impactView) countOthers(parts []string) []string {
	unconsumed := count(v.Objects, (*impact.Object).Unconsumed)
	needed := count(v.Disappearing, func(d *impact.Disappearing) bool { return count(d.NeededBy, dangles) == 0 })
	parts = counted(parts, unconsumed, "object that no pod gets by env or volume differs", "objects that no pod gets by env or volume differ")
	return counted(parts, needed, "object that something may need disappears", "objects that something may need disappear")
}

func (v impactView) workloadRows(o *outcome) []report.Row {
	var rows []report.Row
	for i := range v.Workloads {
		w := &v.Workloads[i]
		if outcomeOf(w.Effect) != o {
			continue
		}
		row := report.Row{Tag: o.tag, Tone: toneOf(w), Name: report.Names(w.String()), Columns: []report.Phrase{nil, strategyPhrase(w.Strategy), nil}}
		if w.Replicas != nil {
			row.Columns[0] = report.Words(report.Plural(*w.Replicas, "replica"))
		}
		if w.Accepted {
			row.Columns[2] = report.Words("accepted by an annotation")
		}
		for _, cause := range some(w.Causes, report.Most, causePhrase) {
			row.Lines = append(row.Lines, report.Line{Text: cause})
		}
		row.Lines = explained(row.Lines, w.Reason, w.Fix)
		rows = append(rows, row)
	}
	return rows
}

// toneOf returns how much a workload asks for attention.
func toneOf(w *impact.Workload) report.Tone {
	t := outcomeOf(w.Effect).tone
	if w.Accepted {
		return min(t, report.Warns)
	}
	return t
}

// ownStrategy matches a strategy in known words. A number in it is too short for the
// digest of a commit.
var ownStrategy = sync.OnceValue(func() *regexp.Regexp {
	const part = `(maxSurge|maxUnavailable|partition) [0-9]{1,6}%?`
	return regexp.MustCompile(`^(RollingUpdate|Recreate|OnDelete|canary|blueGreen|` + part + `)(, ` + part + `)*$`)
})

// strategyPhrase returns a strategy, which may be anything in a manifest.
func strategyPhrase(strategy string) report.Phrase {
	switch strategy = report.OneLine(strategy); {
	case strategy == "":
		return nil
	case ownStrategy().MatchString(strategy):
		return report.Words(strategy)
	}
	return report.Names(strategy)
}

// some returns a phrase for each of the first elements, and one that counts the others.
func some[T any](all []T, most int, phrase func(*T) report.Phrase) []report.Phrase {
	shown, more := report.First(all, most)
	var phrases []report.Phrase
	for i := range shown {
		phrases = append(phrases, phrase(&shown[i]))
	}
	if more > 0 {
		phrases = append(phrases, report.Fold(more))
	}
	return phrases
}

// explained appends a reason and a fix, if there are any.
func explained(lines []report.Line, reason, fix string) []report.Line {
	if reason != "" {
		lines = append(lines, report.Line{Label: report.Words("reason"), Text: report.Prose(reason)})
	}
	if fix != "" {
		lines = append(lines, report.Line{Label: report.Words("fix"), Text: report.Prose(fix)})
	}
	return lines
}

// refusalRows are refusals of resources that are not workloads.
func (v impactView) refusalRows() []report.Row {
	var rows []report.Row
	for i := range v.Objects {
		if o := &v.Objects[i]; o.Refused != "" {
			rows = append(rows, objectRow("refused", o, explained(nil, o.Refused, o.Fix)))
			rows[len(rows)-1].Tone = report.Alarms
		}
	}
	for i := range v.Refused {
		f := &v.Refused[i]
		row := report.Row{Tag: "refused", Tone: report.Alarms, Name: report.Names(f.String())}
		if f.Field != "" {
			row.Lines = []report.Line{{Text: report.Path(f.Field, f.Field).Word(" changed")}}
		}
		row.Lines = explained(row.Lines, f.Reason, f.Fix)
		rows = append(rows, row)
	}
	return rows
}

// objectRow is the row of an object with its keys.
func objectRow(tag string, o *impact.Object, lines []report.Line) report.Row {
	name, text := objectPhrase(o.Ref, o.FormerName, o.Change)
	if keys := keysPhrase(o.Change, o.Keys, func(*impact.Key) bool { return true }); keys != nil {
		text = text.Word(": ").Add(keys)
	}
	return report.Row{Tag: tag, Name: name, Text: text, Lines: lines}
}

// otherObjectRows are objects whose change rolls nothing, and removed objects that
// nothing needs.
func (v impactView) otherObjectRows() (unconsumed, gone []report.Row) {
	needed := map[impact.Ref]bool{}
	for i := range v.Disappearing {
		needed[v.Disappearing[i].Ref] = true
	}
	for i := range v.Objects {
		o := &v.Objects[i]
		var lines []report.Line
		if len(o.Readers) > 0 {
			lines = append(lines, report.Line{Label: report.Words("referred to by"), Text: refs(o.Readers)})
		}
		shown, more := report.First(o.Evidence, report.Most)
		for _, evidence := range shown {
			lines = append(lines, report.Line{Label: report.Words("evidence"), Text: report.Prose(evidence)})
		}
		if more > 0 {
			lines = append(lines, report.Line{Text: report.Fold(more)})
		}
		switch {
		case o.Unconsumed():
			unconsumed = append(unconsumed, objectRow("unconsumed", o, lines))
		case len(o.Consumers) == 0 && !needed[o.Ref]:
			gone = append(gone, objectRow("gone", o, lines))
		}
	}
	return unconsumed, gone
}

func refs(rs []impact.Ref) report.Phrase {
	return report.Enumerate(slices.Values(rs), func(r impact.Ref) report.Phrase { return report.Names(r.String()) })
}

// needs are the reasons to need an object, worst first.
var needs = []struct {
	why   impact.Why
	label string
	tone  report.Tone
}{
	{impact.StillNamed, "dangling reference in", report.Alarms},
	{impact.StillRunning, "pods that nothing replaces refer to it", report.Warns},
	{impact.RunningJobs, "running Jobs refer to it", report.Warns},
	{impact.Rollout, "until the rollout ends, and for kubectl rollout undo", report.Calm},
}

func (v impactView) disappearingRows() []report.Row {
	var rows []report.Row
	for i := range v.Disappearing {
		d := &v.Disappearing[i]
		row := report.Row{Tag: "needed", Name: report.Names(d.String())}
		if d.Successor != "" {
			row.Text = report.Words(" (now ").Name(d.Successor).Word(")")
		}
		by := map[impact.Why][]impact.Ref{}
		for _, n := range d.NeededBy {
			by[n.Why] = append(by[n.Why], n.Ref)
		}
		if len(by[impact.StillNamed]) > 0 {
			row.Tag = "dangling"
		}
		for _, n := range needs {
			if len(by[n.why]) > 0 {
				row.Tone = max(row.Tone, n.tone)
				row.Lines = append(row.Lines, report.Line{Label: report.Words(n.label).Toned(n.tone), Text: refs(by[n.why])})
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b report.Row) int { return int(b.Tone) - int(a.Tone) })
	return rows
}
