package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// pageFile has the tables. The path starts at the module's directory.
const pageFile = "docs/compare.md"

// The page's text between these lines is generated from the results.
const (
	begin = "<!-- make compare writes what follows -->\n"
	end   = "<!-- end of what make compare writes -->\n"
)

// updatePage writes the tables into the page.
func updatePage(all *results) error {
	content, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(content), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has not the two lines between which the tables are", pageFile)
	}
	return os.WriteFile(pageFile, []byte(before+begin+page(all)+end+after), 0o644)
}

// page returns the tables as Markdown.
func page(all *results) string {
	var b strings.Builder
	var ran []toolResult
	for _, t := range all.Tools {
		if t.NotRun == "" {
			ran = append(ran, t)
		}
	}
	fmt.Fprintf(&b, "\nMeasured on %s with Kubernetes %s (%s):\n\n", all.Date, all.Kubernetes, all.Machine)
	totals(&b, ran, all.Rows)
	b.WriteString("\nRestarts of each workload, by change. What is **bold** is wrong:\n\n")
	table(&b, ran, "change", "needed")
	for _, r := range all.Rows {
		fmt.Fprintf(&b, "| %s | %s |", r.Change, numbers(r.Needs, r.Needs))
		for _, t := range ran {
			fmt.Fprintf(&b, " %s |", r.Cells[t.Name].text(r.Needs))
		}
		b.WriteString("\n")
	}
	lost(&b, ran, all.Rows)
	b.WriteString("\nWhat the controllers used of the API in this run:\n\n")
	for _, t := range ran {
		if t.Rights == nil {
			continue
		}
		var rights []string
		for _, resource := range slices.Sorted(maps.Keys(t.Rights)) {
			rights = append(rights, fmt.Sprintf("%s (%s)", resource, strings.Join(t.Rights[resource], ", ")))
		}
		fmt.Fprintf(&b, "- %s: %s\n", t.Name, strings.Join(rights, ", "))
	}
	for _, t := range all.Tools {
		if t.NotRun != "" {
			fmt.Fprintf(&b, "\n%s was not run: %s.\n", t.Name, t.NotRun)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// totals writes the table with a line for each total.
func totals(b *strings.Builder, ran []toolResult, rows []rowResult) {
	workloads := 0
	for _, r := range rows {
		workloads += len(r.Needs)
	}
	table(b, ran, fmt.Sprintf("of %d workloads in %d changes", workloads, len(rows)))
	for _, line := range sums {
		fmt.Fprintf(b, "| %s |", line.title)
		for _, t := range ran {
			fmt.Fprintf(b, " %s |", line.value(t))
		}
		b.WriteString("\n")
	}
}

// sums are the lines of the first table.
var sums = []struct {
	title string
	value func(toolResult) string
}{
	{"version", func(t toolResult) string { return t.Version }},
	{"missed restarts", func(t toolResult) string { return number(t.Missed) }},
	{"needless restarts", func(t toolResult) string { return number(t.Extra) }},
	{"second restarts for one change", func(t toolResult) string { return number(t.Double) }},
	{"old value not back after an undo", func(t toolResult) string { return number(t.Stale) }},
	{"old pods without their object after a prune", func(t toolResult) string { return number(t.Lost) }},
	{"applies refused", func(t toolResult) string { return number(t.Refused) }},
	{"restarts right after the install", func(t toolResult) string { return number(t.Reinstalled) }},
	{"ReplicaSets of the old image with the new configuration", func(t toolResult) string { return number(t.Mixed) }},
	{"restarts when the controller starts again", func(t toolResult) string { return ifController(t, number(t.Restarted)) }},
	{"requests of the controller", func(t toolResult) string { return ifController(t, number(t.Requests[controller])) }},
	{"requests of the applies", func(t toolResult) string { return number(t.Requests[deployer]) }},
	{"memory of the controller", func(t toolResult) string { return ifController(t, fmt.Sprintf("%d MB", t.Memory>>20)) }},
	{"200 Deployments: seconds until the last pod template", func(t toolResult) string { return fmt.Sprintf("%.0f", t.AloneSeconds) }},
	{"200 Deployments: requests of all", func(t toolResult) string {
		return number(t.AloneRequests[controller] + t.AloneRequests[deployer])
	}},
}

// lost lists the changes under which confighash is wrong and another tool is right.
func lost(b *strings.Builder, ran []toolResult, rows []rowResult) {
	b.WriteString("\nWhere confighash is wrong and another tool is right:\n\n")
	for _, r := range rows {
		var wrong, right []string
		for _, t := range ran {
			switch good := r.Cells[t.Name].right(r.Needs); {
			case t.Ours && !good:
				wrong = append(wrong, t.Name)
			case !t.Ours && good:
				right = append(right, t.Name)
			}
		}
		if wrong != nil && right != nil {
			fmt.Fprintf(b, "- %s: wrong under %s; right under %s\n", r.Change, strings.Join(wrong, "; "), strings.Join(right, "; "))
		}
	}
}

// right reports whether the tool's result is what the row needs.
func (c cell) right(needs []int) bool {
	return slices.Equal(c.Got, needs) && !c.Stale && !c.Lost && c.Refused == ""
}

// table writes the head of a table with a column for each tool.
func table(b *strings.Builder, tools []toolResult, heads ...string) {
	for _, head := range heads {
		fmt.Fprintf(b, "| %s ", head)
	}
	for _, t := range tools {
		fmt.Fprintf(b, "| %s ", t.Name)
	}
	fmt.Fprintf(b, "|\n%s%s|\n", strings.Repeat("| --- ", len(heads)), strings.Repeat("| ---: ", len(tools)))
}

// ifController returns text if the tool has a controller, otherwise a dash.
func ifController(t toolResult, text string) string {
	if t.Memory == 0 {
		return "–"
	}
	return text
}

// number writes a number with commas.
func number(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
	}
	return fmt.Sprint(n)
}

// text returns the text for a table cell.
func (c cell) text(needs []int) string {
	text := numbers(c.Got, needs)
	switch {
	case c.Refused != "":
		return "**refused**"
	case c.Lost:
		return "**" + strings.Trim(text, "*") + ", lost**"
	case c.Stale:
		return "**" + strings.Trim(text, "*") + ", new value**"
	}
	return text
}

// numbers writes restarts by workload, as one number if all are equal.
func numbers(got, needs []int) string {
	alike := true
	for i := range got {
		alike = alike && got[i] == got[0] && needs[i] == needs[0]
	}
	var parts []string
	for i := range got {
		if alike && i > 0 {
			break
		}
		part := fmt.Sprint(got[i])
		if got[i] != needs[i] {
			part = "**" + part + "**"
		}
		parts = append(parts, part)
	}
	if !alike && len(got) > 3 { // a few of many
		sum := 0
		for _, n := range got {
			sum += n
		}
		return fmt.Sprintf("**%d in all**", sum)
	}
	return strings.Join(parts, ", ")
}
