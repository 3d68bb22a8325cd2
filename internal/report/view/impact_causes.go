package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// causes returns the table of causes, most restarts first, without empty columns.
func (v impactView) causes() [][]report.Phrase {
	if len(v.Causes) == 0 {
		return nil
	}
	titles := []string{"what changed", "workloads that restart", "pods", "avoidable", "next runs", "other"}
	rows := [][]report.Phrase{report.Some(titles, len(titles), func(title *string) report.Phrase { return report.Words(*title).Toned(report.Bold) })}
	empty := []bool{false, true, true, true, true, true}
	for _, t := range v.Causes {
		restarts := t.Restarts()
		row := []report.Phrase{totalPhrase(&t.Cause), number(restarts), nil, number(t.Avoidable), number(t.Effects[impact.NextRuns]), othersPhrase(&t)}
		if restarts > 0 {
			row[2] = report.Words(strings.Join(podParts(t.Pods, "", ""), ", "))
		}
		for j := range row {
			empty[j] = empty[j] && len(row[j]) == 0
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		j := 0
		rows[i] = slices.DeleteFunc(row, func(report.Phrase) bool { j++; return empty[j-1] })
	}
	return rows
}

// totalPhrase returns a cause for all of its workloads, without hashes in names.
func totalPhrase(c *impact.Cause) report.Phrase {
	if c.IsImage() {
		return report.Words("image ").Name(c.From).Word(" → ").Name(c.To)
	}
	if c.Object == nil {
		return fieldPhrase(c)
	}
	object, former := baseOf(c)
	name, change := objectPhrase(object, former, c.Change)
	const most = 3
	keys := keysPhrase(c.Change, c.Keys, most, func(k impact.Key) bool { return k.Consumed })
	if keys == nil {
		keys = keysPhrase(c.Change, c.Keys, most, func(impact.Key) bool { return true })
	}
	if keys != nil {
		change = change.Word(": ").Add(keys)
	}
	return name.Add(change)
}

// baseOf returns the object of a cause without the hash in its name, and its former name if that differs in more than
// the hash.
func baseOf(c *impact.Cause) (object impact.Ref, former string) {
	object, former = *c.Object, c.FormerName
	if base := withoutHash(object.Name); base == former || base == withoutHash(former) {
		object.Name, former = base, ""
	}
	return object, former
}

// withoutHash returns a name without its last part, if that is as long as a hash.
func withoutHash(name string) string {
	const length = 10
	if at := strings.LastIndexByte(name, '-'); at > 0 && len(name)-at-1 == length {
		return name[:at]
	}
	return name
}

func number(n int) report.Phrase {
	if n == 0 {
		return nil
	}
	return report.Words(strconv.Itoa(n))
}

// podParts returns the number of pods: "6 pods", "1 per node", "unknown for 2".
func podParts(p impact.Pods, one, several string) []string {
	var parts []string
	if p.Known > 0 || p.PerNode+p.Unknown == 0 {
		parts = append(parts, strconv.FormatInt(p.Known, 10)+report.Choose(p.Known, one, several))
	}
	if p.PerNode > 0 {
		parts = append(parts, fmt.Sprintf("%d per node", p.PerNode))
	}
	switch {
	case p.Unknown > 0 && parts == nil:
		parts = append(parts, "unknown"+several)
	case p.Unknown > 0:
		parts = append(parts, fmt.Sprintf("unknown for %d", p.Unknown))
	}
	return parts
}

// othersPhrase counts the workloads that neither restart nor follow with their next run: "2 stale, 1 waits".
func othersPhrase(t *impact.Total) report.Phrase {
	var parts []string
	for _, o := range outcomes {
		if !slices.Contains([]impact.Effect{impact.Rolls, impact.Kills, impact.NextRuns}, o.effect) {
			parts = counted(parts, t.Effects[o.effect], o.tag, o.tag)
		}
	}
	if parts == nil {
		return nil
	}
	return report.Words(strings.Join(parts, ", "))
}

// A Budget limits how many workloads and pods may restart; nil is unlimited.
type Budget struct{ Workloads, Pods *int }

// Exceeds returns a sentence, without its full stop, if a report exceeds the budget, otherwise "". The sentence has the
// numbers, the budget and the main causes.
func (b Budget) Exceeds(r *impact.Report) string {
	var parts []string
	add := func(n int64, what, verb, flag string, most *int) {
		if most != nil && n > int64(*most) {
			parts = append(parts, fmt.Sprintf("%s%s, more than %s %d", report.Plural(n, what), verb, flag, *most))
		}
	}
	add(int64(r.Summary.Restarts()), "workload", report.Choose(r.Summary.Restarts(), " restarts", " restart"), "--max-workloads", b.Workloads)
	add(r.Summary.Pods.Known, "pod", report.Choose(r.Summary.Pods.Known, " restarts", " restart"), "--max-pods", b.Pods)
	if parts == nil {
		return ""
	}
	const most = 3
	var because []report.Phrase
	for _, t := range r.Causes[:min(most, len(r.Causes))] {
		if n := t.Restarts(); n > 0 {
			because = append(because, totalPhrase(&t.Cause).Word(" ("+report.Plural(n, "workload")+", pods: "+strings.Join(podParts(t.Pods, "", ""), ", ")+")"))
		}
	}
	sentence := strings.Join(parts, ", and ")
	if because != nil {
		sentence += "; most because of " + report.Join(because...).String()
	}
	return sentence
}
