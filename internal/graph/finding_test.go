package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/property"
)

func TestSentences_oneForTheSameCause(t *testing.T) {
	var findings []graph.Finding
	add := func(severity manifest.Severity, name string, path yamldoc.Path, message string) {
		findings = append(findings, graph.Finding{Severity: severity, Resource: &graph.Resource{Kind: "Pod", Name: name}, Path: path, Message: message})
	}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		add(manifest.Warning, name, "spec.key", "is wrong")
		add(manifest.Warning, name, yamldoc.Path("spec.list").Index(i), "is empty")
		add(manifest.Info, name, "", "stays")
	}
	add(manifest.Warning, "a", "spec.other", "is wrong")
	add(manifest.Warning, "b", "spec.other", "is wrong")
	add(manifest.Error, "a", "", "is wrong")
	add(manifest.Error, "b", "", "is wrong")
	add(manifest.Error, "c", "", "is wrong")
	add(manifest.Error, "d", "", "is wrong")
	var got []string
	for _, s := range graph.Sentences(graph.SortFindings(findings)) {
		got = append(got, string(s.Severity)+": "+s.Text)
	}
	want := `error: Pod a, Pod b, Pod c and Pod d: is wrong
warning: Pod a, Pod b, Pod c and 2 more: spec.key: is wrong
warning: Pod a, Pod b, Pod c and 2 more: spec.list[*]: is empty
warning: Pod a: spec.other: is wrong
warning: Pod b: spec.other: is wrong
info: Pod a: stays
info: Pod b: stays
info: Pod c: stays
info: Pod d: stays
info: Pod e: stays`
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each resource is named or counted once for each cause.
func TestSentences_countAll(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		resources := make([]*graph.Resource, 8)
		for i := range resources {
			resources[i] = &graph.Resource{Kind: "Pod", Name: fmt.Sprint("pod", i)}
		}
		findings := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Finding {
			return graph.Finding{
				Severity: rapid.SampledFrom([]manifest.Severity{manifest.Error, manifest.Warning}).Draw(t, "severity"),
				Resource: rapid.SampledFrom(resources).Draw(t, "resource"),
				Message:  rapid.SampledFrom([]string{"is wrong", "is empty"}).Draw(t, "message"),
			}
		}), 0, 30).Draw(t, "findings")
		sorted := graph.SortFindings(findings)
		counted := 0
		for _, s := range graph.Sentences(sorted) {
			more := 0
			if _, rest, ok := strings.Cut(s.Text, " and "); ok {
				_, _ = fmt.Sscanf(rest, "%d more", &more)
			}
			counted += strings.Count(s.Text, "Pod ") + more
		}
		if counted != len(sorted) {
			t.Fatalf("%d counted of %d", counted, len(sorted))
		}
	})
}
