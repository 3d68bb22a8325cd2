package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

type impactView struct{ *impact.Report }

// Impact returns the view of the effect of an apply.
func Impact(r *impact.Report) report.View { return impactView{r} }

// Data returns the report.
func (v impactView) Data() any { return v.Report }

type outcome struct {
	effect impact.Effect
	tag    string
	tone   report.Tone
	// title explains the effect.
	title string
	// one and several follow a number of workloads in the page's title. The title counts restarts first, and counts
	// refused workloads together with other errors.
	one, several string
}

// outcomes are in the order of the sections.
var outcomes = []*outcome{
	{impact.Refused, "refused", report.Alarms, "the API server refuses the new manifest", "", ""},
	{impact.Kills, "kills", report.Alarms, "running work is stopped, and its results may be lost", "", ""},
	{impact.Stale, "stale", report.Alarms, "pods keep the old configuration until restarted", "stays stale", "stay stale"},
	{impact.Rolls, "rolls", report.Warns, "pods are replaced", "", ""},
	{impact.Waits, "waits", report.Warns, "pods are replaced after somebody acts", "waits for somebody to act", "wait for somebody to act"},
	{impact.RunsAgain, "runs again", report.Warns, "Jobs with another name, since what they run differs", "runs again", "run again"},
	{impact.NextRuns, "next run", report.Calm, "what runs stays; the next run or pod follows the new manifest", "changes with the next run", "change with the next run"},
	{impact.Unknown, "unknown", report.Calm, "an operator decides", "is up to an operator", "are up to an operator"},
	{impact.Starts, "starts", report.Calm, "new workloads", "starts", "start"},
	{impact.Stops, "stops", report.Calm, "removed workloads, which a pruning apply stops", "stops if the apply prunes", "stop if the apply prunes"},
}

func outcomeOf(e impact.Effect) *outcome {
	return outcomes[slices.IndexFunc(outcomes, func(o *outcome) bool { return o.effect == e })]
}

// Page lists the effects, worst first.
func (v impactView) Page() *report.Page {
	p := &report.Page{Command: "impact", What: "workload", Title: report.Words(v.title()).Add(v.avoidable()).Toned(report.Bold), Table: v.causes()}
	add := func(tag, title string, rows []report.Row) {
		open := slices.ContainsFunc(rows, func(r report.Row) bool { return r.Tone == report.Alarms })
		p.Add(report.Section{Tag: tag, Title: title, Rows: rows, Folded: true, Open: open})
	}
	for _, o := range outcomes {
		rows := v.workloadRows(o)
		if o.effect == impact.Refused {
			rows = append(rows, v.refusalRows()...)
		}
		add(o.tag, o.title, rows)
	}
	disappearing, ordinary := v.disappearingRows()
	add("disappears", "objects that a pruning apply deletes while something may still need them", disappearing)
	unconsumed, gone := v.otherObjectRows()
	add("unconsumed", "configuration that no pod gets by env or volume; a program may read it through the API", unconsumed)
	add("gone", "objects that a pruning apply deletes and nothing needs", gone)
	if slices.ContainsFunc(v.Workloads, func(w impact.Workload) bool { return len(w.Causes) > 1 }) && len(v.Causes) > 1 {
		p.Notes = append(p.Notes, report.Words("A workload with several causes counts for each of them."))
	}
	if ordinary > 0 {
		p.Notes = append(p.Notes, report.Words(report.Plural(ordinary, "old version")+report.Choose(ordinary, " is", " are")+" removed after the rollout."))
	}
	return p
}

// title summarizes the report: "2 workloads restart (6 pods), 1 stays stale".
func (v impactView) title() string {
	of := func(e impact.Effect) int {
		return count(v.Workloads, func(w *impact.Workload) bool { return w.Effect == e })
	}
	parts := counted(nil, v.Summary.Restarts(), "workload restarts", "workloads restart")
	if len(parts) > 0 {
		pods := podParts(v.Summary.Pods, " pod", " pods")
		pods = counted(pods, v.Summary.Kills, "loses running work", "lose running work")
		parts[0] += " (" + strings.Join(pods, ", ") + ")"
	}
	for _, o := range outcomes {
		noun, n := "", of(o.effect)
		if o.one == "" {
			continue
		}
		if len(parts) == 0 {
			noun = report.Choose(n, "workload ", "workloads ")
		}
		parts = counted(parts, n, noun+o.one, noun+o.several)
		accepted := count(v.Workloads, func(w *impact.Workload) bool { return w.Effect == impact.Stale && w.Accepted })
		if o.effect == impact.Stale && accepted > 0 {
			parts[len(parts)-1] += report.Choose(n-accepted+1, " (accepted)", fmt.Sprintf(" (%d accepted)", accepted))
		}
	}
	rolls := len(parts) > 0
	refused := of(impact.Refused) + len(v.Refused) + count(v.Objects, func(o *impact.Object) bool { return o.Refused != "" })
	parts = counted(parts, refused, "apply is refused", "applies are refused")
	dangling, needed := 0, 0
	for i := range v.Disappearing {
		n := count(v.Disappearing[i].NeededBy, func(n *impact.Need) bool { return n.Why == impact.StillNamed })
		dangling += n
		if n == 0 && !ordinary(&v.Disappearing[i]) {
			needed++
		}
	}
	parts = counted(parts, dangling, "reference dangles", "references dangle")
	if rolls {
		return strings.Join(parts, ", ")
	}
	parts = counted(parts, v.Summary.Unconsumed, "object that no pod gets by env or volume differs", "objects that no pod gets by env or volume differ")
	parts = counted(parts, needed, "object that something may need disappears", "objects that something may need disappear")
	if len(parts) == 0 {
		return "Nothing restarts."
	}
	return "Nothing restarts. " + strings.Join(parts, ", ") + "."
}

// avoidable returns how many restarts spec.podMetadata would avoid.
func (v impactView) avoidable() report.Phrase {
	if v.Summary.Avoidable == 0 {
		return nil
	}
	var keys []string
	for _, w := range v.Workloads {
		keys = append(keys, w.Avoidable...)
	}
	slices.Sort(keys)
	restarts := report.Plural(int64(v.Summary.Rolls+v.Summary.Waits+v.Summary.Kills), "restart")
	words := fmt.Sprintf(". %d of %s %s avoidable: ", v.Summary.Avoidable, restarts, report.Choose(v.Summary.Avoidable, "is", "are"))
	return report.Words(words).Add(report.Enumerate(slices.Compact(keys), func(key *string) report.Phrase { return report.Names(*key) }))
}

// counted appends a number with its noun, unless it is 0.
func counted(parts []string, n int, one, several string) []string {
	if n == 0 {
		return parts
	}
	return append(parts, fmt.Sprintf("%d %s", n, report.Choose(n, one, several)))
}

func count[T any](all []T, is func(*T) bool) int {
	n := 0
	for i := range all {
		if is(&all[i]) {
			n++
		}
	}
	return n
}

func (v impactView) workloadRows(o *outcome) []report.Row {
	var rows []report.Row
	for _, w := range v.Workloads {
		if w.Effect != o.effect {
			continue
		}
		row := report.Row{Tag: o.tag, Tone: toneOf(&w), Name: report.Names(w.String()), Columns: make([]report.Phrase, 3)}
		if w.Replicas != nil {
			row.Columns[0] = report.Words(report.Plural(*w.Replicas, "replica"))
		}
		if w.Strategy != "" {
			row.Columns[1] = report.Prose(w.Strategy)
		}
		switch {
		case w.Accepted:
			row.Columns[2] = report.Words("accepted by an annotation")
		case w.Avoidable != nil:
			row.Columns[2] = report.Words("avoidable")
		}
		row.Lines = explained(report.Some(w.Causes, report.Most, causePhrase), w.Reason, w.Fix)
		rows = append(rows, row)
	}
	return rows
}

func toneOf(w *impact.Workload) report.Tone {
	t := outcomeOf(w.Effect).tone
	if w.Accepted {
		return min(t, report.Warns)
	}
	return t
}

func explained(lines []report.Phrase, reason, fix string) []report.Phrase {
	for _, line := range [][2]string{{"reason: ", reason}, {"fix: ", fix}} {
		if line[1] != "" {
			lines = append(lines, report.Words(line[0]).Add(report.Prose(line[1])))
		}
	}
	return lines
}

func (v impactView) refusalRows() []report.Row {
	var rows []report.Row
	for i := range v.Objects {
		if o := &v.Objects[i]; o.Refused != "" {
			rows = append(rows, objectRow("refused", o, explained(nil, o.Refused, o.Fix)))
			rows[len(rows)-1].Tone = report.Alarms
		}
	}
	for _, f := range v.Refused {
		row := report.Row{Tag: "refused", Tone: report.Alarms, Name: report.Names(f.String())}
		if f.Field != "" {
			row.Lines = []report.Phrase{report.Path(f.Field, f.Field).Word(" changed")}
		}
		row.Lines = explained(row.Lines, f.Reason, f.Fix)
		rows = append(rows, row)
	}
	return rows
}

func objectRow(tag string, o *impact.Object, lines []report.Phrase) report.Row {
	name, text := objectPhrase(o.Ref, o.FormerName, o.Change)
	if keys := keysPhrase(o.Change, o.Keys, report.Most, func(impact.Key) bool { return true }); keys != nil {
		text = text.Word(": ").Add(keys)
	}
	return report.Row{Tag: tag, Name: name, Text: text, Lines: lines}
}

// otherObjectRows returns the objects whose change rolls nothing, and removed objects that nothing needs.
func (v impactView) otherObjectRows() (unconsumed, gone []report.Row) {
	needed := map[impact.Ref]bool{}
	for i := range v.Disappearing {
		needed[v.Disappearing[i].Ref] = true
	}
	for _, o := range v.Objects {
		lines := report.Some(o.Evidence, report.Most, func(evidence *string) report.Phrase {
			return report.Words("evidence: ").Add(report.Prose(*evidence))
		})
		if len(o.Readers) > 0 {
			lines = slices.Insert(lines, 0, report.Words("referred to by: ").Add(refs(o.Readers)))
		}
		switch {
		case o.Unconsumed():
			unconsumed = append(unconsumed, objectRow("unconsumed", &o, lines))
		case len(o.Consumers) == 0 && !needed[o.Ref]:
			gone = append(gone, objectRow("gone", &o, lines))
		}
	}
	return unconsumed, gone
}

func refs(rs []impact.Ref) report.Phrase {
	return report.Enumerate(rs, func(r *impact.Ref) report.Phrase { return report.Names(r.String()) })
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
	{impact.Rollback, "for a rollback to an earlier version", report.Calm},
}

// ordinary reports whether a disappearing object is an old version that is only needed until the rollout ends, as after
// every change.
func ordinary(d *impact.Disappearing) bool {
	return d.Successor != "" && !d.Unkept && !slices.ContainsFunc(d.NeededBy, func(n impact.Need) bool { return n.Why != impact.Rollout })
}

// disappearingRows returns the objects that something may still need, and the number of ordinary ones, which are left
// out.
func (v impactView) disappearingRows() (rows []report.Row, ordinaries int) {
	for _, d := range v.Disappearing {
		if ordinary(&d) {
			ordinaries++
			continue
		}
		row := report.Row{Tag: "needed", Name: report.Names(d.String())}
		if d.Successor != "" {
			row.Text = report.Words(" (now ").Name(d.Successor).Word(")")
		}
		by := map[impact.Why][]impact.Ref{}
		for _, n := range d.NeededBy {
			by[n.Why] = append(by[n.Why], n.Ref)
		}
		switch {
		case len(by[impact.StillNamed]) > 0:
			row.Tag = "dangling"
		case d.Unkept:
			row.Tag, row.Tone = "not kept", report.Alarms
		}
		for _, n := range needs {
			if len(by[n.why]) > 0 {
				row.Tone = max(row.Tone, n.tone)
				row.Lines = append(row.Lines, report.Words(n.label+":").Toned(n.tone).Word(" ").Add(refs(by[n.why])))
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b report.Row) int { return int(b.Tone) - int(a.Tone) })
	return rows, ordinaries
}
