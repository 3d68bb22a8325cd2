package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// A section is a part of the report, for text and Markdown alike.
type section struct {
	tag   string
	title string
	rows  []row
}

// A row is a resource with what there is to tell of it.
type row struct {
	// tag is one word, or two, by which a row is found.
	tag  string
	tone report.Tone
	// what names the resource, and columns stand beside it: of all rows of a
	// section the same number.
	what    report.Phrase
	columns []report.Phrase
	details []detail
}

// A detail is a line below a row. A label stands before it, such as "reason".
type detail struct {
	label string
	text  report.Phrase
	tone  report.Tone
}

// An outcome is how an effect is told.
type outcome struct {
	effect impact.Effect
	tag    string
	tone   report.Tone
	// title says what the effect means.
	title string
	// one and several follow a number of workloads in the sum.
	one, several string
}

// outcomes are in the order of sections.
var outcomes = []outcome{
	{impact.Refused, "refused", report.Alarms, "the API server refuses the new manifest", "", ""},
	{impact.Kills, "kills", report.Alarms, "running work is stopped, and what it has done may be lost", "loses running work", "lose running work"},
	{impact.Stale, "stale", report.Alarms, "pods go on with an earlier configuration until somebody restarts them", "stays stale", "stay stale"},
	{impact.Rolls, "rolls", report.Warns, "pods are replaced", "rolls", "roll"},
	{impact.Waits, "waits", report.Warns, "pods are replaced once somebody acts", "waits for somebody to act", "wait for somebody to act"},
	{impact.NextRuns, "next run", report.Calm, "what runs stays as it is, and the next run or pod follows the new manifest", "changes with the next run", "change with the next run"},
	{impact.Unknown, "unknown", report.Calm, "an operator decides", "is left to an operator", "are left to an operator"},
	{impact.Starts, "starts", report.Calm, "new workloads", "starts", "start"},
	{impact.Stops, "stops", report.Calm, "workloads that are gone, and stop where an apply prunes", "stops where an apply prunes", "stop where an apply prunes"},
}

// sumOrder is the order of effects in the sum: what rolls comes first, since that
// is what a reader asks.
var sumOrder = []impact.Effect{
	impact.Rolls, impact.Kills, impact.Stale, impact.Waits, impact.NextRuns, impact.Unknown, impact.Starts, impact.Stops,
}

// told returns how an effect is told, one that is new to this package as unknown.
func told(e impact.Effect) *outcome {
	if i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.effect == e }); i >= 0 {
		return &outcomes[i]
	}
	return told(impact.Unknown)
}

// sum tells the report in a line: "2 workloads roll, 1 stays stale".
func sum(r *impact.Report) string {
	counts := map[impact.Effect]int{}
	accepted := 0
	for i := range r.Workloads {
		w := &r.Workloads[i]
		counts[told(w.Effect).effect]++
		if w.Effect == impact.Stale && w.Accepted {
			accepted++
		}
	}
	var parts []string
	for _, effect := range sumOrder {
		n := counts[effect]
		if n == 0 {
			continue
		}
		noun := ""
		if len(parts) == 0 {
			noun = report.Choose(n, " workload", " workloads")
		}
		o := told(effect)
		part := fmt.Sprintf("%d%s %s", n, noun, report.Choose(n, o.one, o.several))
		if effect == impact.Stale && accepted > 0 {
			part += report.Choose(n-accepted+1, " (accepted)", fmt.Sprintf(" (%d accepted)", accepted))
		}
		parts = append(parts, part)
	}
	return sentence(parts, alarmsOf(r, counts[impact.Refused]), asides(r))
}

// sentence puts the sum together from what happens to workloads, from errors,
// and from what there is to tell where nothing happens.
func sentence(workloads, alarms, asides []string) string {
	if len(workloads) > 0 {
		return strings.Join(slices.Concat(workloads, alarms), ", ")
	}
	if len(alarms)+len(asides) > 0 {
		return "Nothing rolls. " + strings.Join(slices.Concat(alarms, asides), ", ") + "."
	}
	return "Nothing rolls."
}

// alarmsOf counts what is an error wherever it stands.
func alarmsOf(r *impact.Report, refused int) []string {
	var parts []string
	refused += len(r.Refused)
	for i := range r.Objects {
		if r.Objects[i].Refused != "" {
			refused++
		}
	}
	if refused > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", refused, report.Choose(refused, "apply is refused", "applies are refused")))
	}
	dangling := 0
	for i := range r.Disappearing {
		for _, need := range r.Disappearing[i].NeededBy {
			if dangles(need) {
				dangling++
			}
		}
	}
	if dangling > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", dangling, report.Choose(dangling, "reference dangles", "references dangle")))
	}
	return parts
}

func dangles(n impact.Need) bool { return n.Why == impact.StillNamed }

// asides count what rolls nothing.
func asides(r *impact.Report) []string {
	var parts []string
	unconsumed := 0
	for i := range r.Objects {
		if r.Objects[i].Unconsumed() {
			unconsumed++
		}
	}
	if unconsumed > 0 {
		parts = append(parts, fmt.Sprintf("%s that no pod gets by env or volume %s", report.Plural(unconsumed, "object"), report.Choose(unconsumed, "differs", "differ")))
	}
	n := 0
	for i := range r.Disappearing {
		if !slices.ContainsFunc(r.Disappearing[i].NeededBy, dangles) { // those are among the alarms
			n++
		}
	}
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%s that something may need %s", report.Plural(n, "object"), report.Choose(n, "disappears", "disappear")))
	}
	return parts
}

// sections are all that the report has to tell, worst first.
func sections(r *impact.Report) []section {
	var all []section
	add := func(tag, title string, rows []row) {
		if len(rows) > 0 {
			all = append(all, section{tag, title, rows})
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		rows := workloadRows(r, o)
		if o.effect == impact.Refused {
			rows = append(rows, refusalRows(r)...)
		}
		add(o.tag, o.title, rows)
	}
	add("disappears", "objects that go where an apply prunes, and that something may need", disappearingRows(r))
	unconsumed, gone := unconsumedRows(r)
	add("unconsumed", "configuration that no pod gets by env or volume; a program may read it through the API", unconsumed)
	add("gone", "objects that go where an apply prunes, and that nothing needs", gone)
	return all
}

func workloadRows(r *impact.Report, o *outcome) []row {
	var rows []row
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if told(w.Effect) != o {
			continue
		}
		row := row{tag: o.tag, tone: toneOf(w), what: report.Names(w.String()), columns: []report.Phrase{nil, strategyPhrase(w.Strategy), nil}}
		if w.Replicas != nil {
			row.columns[0] = report.Words(replicasText(*w.Replicas))
		}
		if w.Accepted {
			row.columns[2] = report.Words("accepted by an annotation")
		}
		row.causes(w.Causes)
		row.explain(w.Reason, w.Fix)
		rows = append(rows, row)
	}
	return rows
}

// toneOf returns how much a workload asks for a reader's eye.
func toneOf(w *impact.Workload) report.Tone {
	t := told(w.Effect).tone
	if w.Accepted {
		return min(t, report.Warns)
	}
	return t
}

func replicasText(n int64) string {
	return fmt.Sprintf("%d %s", n, report.Choose(n, "replica", "replicas"))
}

// ownStrategy is a strategy in words that are known. A number in it is too short for
// the digest of a commit.
var ownStrategy = sync.OnceValue(func() *regexp.Regexp {
	const part = `(maxSurge|maxUnavailable|partition) [0-9]{1,6}%?`
	return regexp.MustCompile(`^(RollingUpdate|Recreate|OnDelete|canary|blueGreen|` + part + `)(, ` + part + `)*$`)
})

// strategyPhrase tells a strategy, of which a manifest may say anything.
func strategyPhrase(strategy string) report.Phrase {
	switch strategy = report.OneLine(strategy); {
	case strategy == "":
		return nil
	case ownStrategy().MatchString(strategy):
		return report.Words(strategy)
	}
	return report.Names(strategy)
}

// causes adds a line for each cause, and counts those beyond the first few.
func (r *row) causes(causes []impact.Cause) {
	shown, more := report.First(causes, report.Most)
	for i := range shown {
		r.details = append(r.details, detail{text: causePhrase(&shown[i])})
	}
	if more > 0 {
		r.details = append(r.details, detail{text: report.Phrase{report.Fold(more)}})
	}
}

func (r *row) explain(reason, fix string) {
	if reason != "" {
		r.details = append(r.details, detail{label: "reason", text: report.Phrase{report.Prose(reason)}})
	}
	if fix != "" {
		r.details = append(r.details, detail{label: "fix", text: report.Phrase{report.Prose(fix)}})
	}
}

// refusalRows are refusals of what is no workload.
func refusalRows(r *impact.Report) []row {
	var rows []row
	for i := range r.Objects {
		o := &r.Objects[i]
		if o.Refused == "" {
			continue
		}
		row := row{tag: "refused", tone: report.Alarms, what: objectRow(o)}
		row.explain(o.Refused, o.Fix)
		rows = append(rows, row)
	}
	for i := range r.Refused {
		f := &r.Refused[i]
		row := row{tag: "refused", tone: report.Alarms, what: report.Names(f.String())}
		if f.Field != "" {
			row.details = append(row.details, detail{text: report.Phrase{report.Path(f.Field, f.Field), report.Word(" changed")}})
		}
		row.explain(f.Reason, f.Fix)
		rows = append(rows, row)
	}
	return rows
}

// objectRow tells an object with its keys.
func objectRow(o *impact.Object) report.Phrase {
	told := objectPhrase(o.Ref, o.FormerName, o.Change)
	if len(o.Keys) > 0 {
		keys := someKeys{o.Keys, len(o.Keys)}
		told = append(told, report.Word(": "))
		told = append(told, keys.phrase(o.Change)...)
	}
	return told
}

// unconsumedRows are objects that differ, and that roll nothing; and those that are
// gone, and that nothing needs.
func unconsumedRows(r *impact.Report) (unconsumed, gone []row) {
	needed := map[impact.Ref]bool{}
	for i := range r.Disappearing {
		needed[r.Disappearing[i].Ref] = true
	}
	for i := range r.Objects {
		o := &r.Objects[i]
		row := row{tag: "unconsumed", what: objectRow(o)}
		if len(o.Readers) > 0 {
			row.details = append(row.details, detail{label: "referred to by", text: refs(o.Readers)})
		}
		shown, more := report.First(o.Evidence, report.Most)
		for _, evidence := range shown {
			row.details = append(row.details, detail{label: "evidence", text: report.Phrase{report.Prose(evidence)}})
		}
		if more > 0 {
			row.details = append(row.details, detail{text: report.Phrase{report.Fold(more)}})
		}
		switch {
		case o.Unconsumed():
			unconsumed = append(unconsumed, row)
		case len(o.Consumers) == 0 && !needed[o.Ref]:
			row.tag = "gone"
			gone = append(gone, row)
		}
	}
	return unconsumed, gone
}

func refs(rs []impact.Ref) report.Phrase {
	return report.Enumerate(rs, func(r impact.Ref) report.Phrase { return report.Names(r.String()) })
}

// needs are how reasons to need an object are told, worst first.
var needs = []struct {
	why   impact.Why
	label string
	tone  report.Tone
}{
	{impact.StillNamed, "dangling reference of", report.Alarms},
	{impact.StillRunning, "pods that nothing replaces refer to it", report.Warns},
	{impact.RunningJobs, "Jobs that run now refer to it", report.Warns},
	{impact.Rollout, "until the rollout is through, and for kubectl rollout undo", report.Calm},
}

func disappearingRows(r *impact.Report) []row {
	var rows []row
	for i := range r.Disappearing {
		d := &r.Disappearing[i]
		row := row{tag: "needed", what: report.Names(d.String())}
		if d.Successor != "" {
			row.what = append(row.what, report.Word(" (now "), report.Name(d.Successor), report.Word(")"))
		}
		for _, n := range needs {
			var by []impact.Ref
			for _, need := range d.NeededBy {
				if need.Why == n.why {
					by = append(by, need.Ref)
				}
			}
			if len(by) == 0 {
				continue
			}
			if n.why == impact.StillNamed {
				row.tag = "dangling"
			}
			row.tone = max(row.tone, n.tone)
			row.details = append(row.details, detail{label: n.label, text: refs(by), tone: n.tone})
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return int(b.tone) - int(a.tone) })
	return rows
}
