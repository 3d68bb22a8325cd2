// Package plan holds the edits to make and the findings to report. Package function
// applies them.
package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Plan holds the changes and findings of a transformation. The zero Plan changes nothing.
type Plan struct {
	// Edits are the edits of each changed resource.
	Edits map[*graph.Resource][]edit.Edit
	// Findings are warnings and information, in no particular order.
	Findings []graph.Finding
	// Full keeps information, which Add otherwise discards.
	Full bool

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

// Errorf adds an error, which prevents the plan from being applied; see Err.
func (p *Plan) Errorf(r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	p.Reportf(manifest.Error, r, path, format, args...)
}

// Warnf adds a warning.
func (p *Plan) Warnf(r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	p.Reportf(manifest.Warning, r, path, format, args...)
}

// Reportf adds a finding of any severity.
func (p *Plan) Reportf(severity manifest.Severity, r *graph.Resource, path yamldoc.Path, format string, args ...any) {
	p.Add(graph.Finding{Severity: severity, Resource: r, Path: path, Message: fmt.Sprintf(format, args...)})
}

// Inform adds f as information.
func (p *Plan) Inform(f graph.Finding) {
	f.Severity = manifest.Info
	p.Add(f)
}

// Add adds findings. An error prevents the plan from being applied.
func (p *Plan) Add(findings ...graph.Finding) {
	for _, f := range findings {
		switch {
		case f.Severity == manifest.Error:
			p.errs = append(p.errs, f)
		case f.Severity != manifest.Info || p.Full:
			p.Findings = append(p.Findings, f)
		}
	}
}

// maxErrors bounds how many errors are reported: a mistake in a base with thousands of variants occurs thousands of
// times.
const maxErrors = 100

// Err returns the errors among the findings, each a graph.Finding, sorted and joined by Join; nil if there are none.
func (p *Plan) Err() error {
	findings := graph.SortFindings(p.errs)
	errs := make([]error, len(findings))
	for i, f := range findings {
		errs[i] = f
	}
	return Join(errs)
}

// Join joins the first 100 errors and one that counts the others.
func Join(errs []error) error {
	if more := len(errs) - maxErrors; more > 0 {
		errs = append(slices.Clone(errs[:maxErrors]), fmt.Errorf("%d more errors are not listed", more))
	}
	return errors.Join(errs...)
}
