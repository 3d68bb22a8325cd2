package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

func TestEdit_gathersByResource(t *testing.T) {
	a, b := &graph.Resource{Name: "a"}, &graph.Resource{Name: "b"}
	set, remove := edit.SetEntry{Parent: "metadata", Key: "k", Value: "v"}, edit.RemoveEntry{Parent: "metadata", Key: "k"}
	var p Plan
	p.Edit(a)
	if p.Edits != nil {
		t.Error("no edits are an edit")
	}
	p.Edit(a, set)
	p.Edit(b, remove)
	p.Edit(a, remove, set)
	p.Edit(b)
	want := map[*graph.Resource][]edit.Edit{a: {set, remove, set}, b: {remove}}
	if diff := cmp.Diff(want[a], p.Edits[a]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[b], p.Edits[b]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(p.Edits) != 2 {
		t.Errorf("%d resources are edited", len(p.Edits))
	}
}

func TestReportf_keepsErrorsFromFindings(t *testing.T) {
	r := &graph.Resource{Kind: "ConfigMap", Name: "app", Namespace: "prod"}
	p := Plan{Full: true}
	p.Warnf(r, "data", "%d%% of %q", 50, "a")
	p.Add(graph.Finding{Severity: manifest.Info, Resource: r, Message: "as is: %d"})
	if err := p.Err(); err != nil {
		t.Errorf("a warning is an error: %v", err)
	}
	p.Errorf(r, "data", "none")
	var said []string
	for _, f := range p.Findings {
		said = append(said, string(f.Severity)+": "+f.String())
	}
	want := []string{`warning: ConfigMap prod/app: data: 50% of "a"`, "info: ConfigMap prod/app: as is: %d"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.Err(); err == nil || err.Error() != "ConfigMap prod/app: data: none" {
		t.Errorf("got %v", err)
	}
	var finding graph.Finding
	if !errors.As(p.Err(), &finding) || finding.Resource != r || finding.Path != "data" {
		t.Errorf("the error is not a finding of the resource: %+v", finding)
	}
}

func TestAdd_leavesOutInformation(t *testing.T) {
	var p Plan
	p.Inform(graph.Finding{Resource: &graph.Resource{}, Message: "as is"})
	if len(p.Findings) > 0 {
		t.Errorf("found %v, which nobody asks for", p.Findings)
	}
}

func TestErr_isSortedWithoutDuplicates(t *testing.T) {
	a, b := &graph.Resource{Kind: "ConfigMap", Name: "a"}, &graph.Resource{Kind: "ConfigMap", Name: "b"}
	var p Plan
	p.Errorf(b, "", "second")
	p.Errorf(a, "y", "first")
	p.Errorf(a, "x", "first")
	p.Errorf(b, "", "second")
	want := "ConfigMap a: x: first\nConfigMap a: y: first\nConfigMap b: second"
	if err := p.Err(); err == nil || err.Error() != want {
		t.Errorf("got %v, want\n%s", err, want)
	}
}

func TestErr_isBounded(t *testing.T) {
	for _, tc := range []struct {
		errors, lines int
		last          string
	}{
		{99, 99, "ConfigMap n098: wrong"},
		{100, 100, "ConfigMap n099: wrong"},
		{101, 101, "1 more errors are not listed"},
		{250, 101, "150 more errors are not listed"},
	} {
		var p Plan
		for i := range tc.errors {
			p.Errorf(&graph.Resource{Kind: "ConfigMap", Name: fmt.Sprintf("n%03d", i)}, "", "wrong")
		}
		lines := strings.Split(p.Err().Error(), "\n")
		if len(lines) != tc.lines || lines[len(lines)-1] != tc.last {
			t.Errorf("%d errors: %d lines, the last %q", tc.errors, len(lines), lines[len(lines)-1])
		}
	}
}
