package function

import (
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/diff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// Check reads manifests from data, as Process does, and writes to w how what
// Process would write differs from them: a unified diff, or nothing where they
// stay byte for byte. Results of a ResourceList are no difference. changed tells
// whether there is one.
//
// No value of a Secret stands in the diff. Where there is an error, nothing is
// written, unless it is a *WriteError.
func Check(data []byte, w io.Writer, o Options) (changed bool, out *Output, err error) {
	defer func() { err = settled(err) }()
	in, err := manifest.Split(data)
	if err != nil {
		return false, nil, err
	}
	config, err := configOf(in, o)
	if err != nil {
		return false, nil, err
	}
	g, p, err := planFor(in, config)
	if err != nil {
		return false, nil, err
	}
	replaced, err := apply(g, p)
	if err != nil {
		return false, nil, err
	}
	changes := in.Changes(replaced)
	d := diff.Diff{Old: "input", New: "output", Heading: headings(g.Resources), Secrets: diff.MayHoldSecrets(data)}
	if err := d.Write(w, changes); err != nil {
		return true, nil, &WriteError{err}
	}
	return len(changes) > 0, report(p.Findings, config.Spec.Report), nil
}

// headings returns a function that tells which resource stands on a line.
func headings(resources []*graph.Resource) func(int) string {
	byLine := slices.Clone(resources)
	slices.SortStableFunc(byLine, func(a, b *graph.Resource) int { return a.Line - b.Line })
	return func(line int) string {
		at, _ := slices.BinarySearchFunc(byLine, line+1, func(r *graph.Resource, line int) int { return r.Line - line })
		if at == 0 {
			return ""
		}
		return strings.Join(strings.Fields(byLine[at-1].String()), " ")
	}
}
