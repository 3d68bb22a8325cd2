// Package plan holds what a transformation wants done: edits of resources, and
// what is to be told of them. To carry it out is another package's work.
package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// A Plan is what a transformation changes and what it has to tell. The zero
// Plan changes nothing.
type Plan struct {
	// Edits are those of each resource that is edited.
	Edits map[*graph.Resource][]edit.Edit
	// Findings are warnings and information, in no order.
	Findings []graph.Finding

	errs []graph.Finding
}

// Edit adds edits of a resource.
func (p *Plan) Edit(r *graph.Resource, edits ...edit.Edit) {
	if len(edits) == 0 {
		return
	}
	if p.Edits == nil {
		p.Edits = map[*graph.Resource][]edit.Edit{}
	}
	p.Edits[r] = append(p.Edits[r], edits...)
}

// Tell adds a finding. An error among them keeps the plan from being carried
// out; see Err.
func (p *Plan) Tell(severity manifest.Severity, r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	p.Add(graph.Finding{Severity: severity, Resource: r, Path: path, Message: fmt.Sprintf(format, args...)})
}

// Add adds findings, as Tell does.
func (p *Plan) Add(findings ...graph.Finding) {
	for _, f := range findings {
		if f.Severity == manifest.Error {
			p.errs = append(p.errs, f)
		} else {
			p.Findings = append(p.Findings, f)
		}
	}
}

// maxErrors bounds how many errors are reported: one mistake in a base that has
// thousands of variants is made thousands of times.
const maxErrors = 100

// Err returns the errors among the findings joined, sorted, each a
// graph.Finding, up to a bound as Join has it. It returns nil if there are none.
func (p *Plan) Err() error {
	findings := graph.SortFindings(p.errs)
	errs := make([]error, len(findings))
	for i, f := range findings {
		errs[i] = f
	}
	return Join(errs)
}

// Join joins errors up to a bound, behind which the last one counts the others.
func Join(errs []error) error {
	if more := len(errs) - maxErrors; more > 0 {
		errs = append(slices.Clone(errs[:maxErrors]), fmt.Errorf("%d more errors are not listed", more))
	}
	return errors.Join(errs...)
}
