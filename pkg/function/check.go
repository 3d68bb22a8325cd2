package function

import (
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/diff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// Check reads manifests from data, as Process does, and writes to w a unified diff from them to the output of Process,
// nothing if the two are identical. It does not compare results of a ResourceList. changed reports whether there is a
// difference.
//
// The diff shows no value of a Secret. On an error nothing is written, unless it is a *WriteError.
func Check(data []byte, w io.Writer, o Options) (changed bool, out *Output, err error) {
	in, err := manifest.Split(data)
	if err != nil {
		return false, nil, err
	}
	r, err := newRun(in, o)
	if err != nil {
		return false, nil, of(in, err)
	}
	changes := in.Changes(r.replaced)
	d := diff.Diff{Heading: headings(r.graph.Resources), Secrets: diff.MayHoldSecrets(data) || slices.ContainsFunc(slices.Concat(r.added, r.kept.Added), diff.MayHoldSecrets)}
	if err := d.Write(w, changes); err != nil {
		return true, nil, &WriteError{err}
	}
	out, _ = r.output(in)
	return len(changes) > 0, out, nil
}

func headings(resources []*graph.Resource) func(int) string {
	byLine := slices.SortedStableFunc(slices.Values(resources), func(a, b *graph.Resource) int { return a.Line - b.Line })
	return func(line int) string {
		at, _ := slices.BinarySearchFunc(byLine, line+1, func(r *graph.Resource, line int) int { return r.Line - line })
		if at == 0 {
			return ""
		}
		return strings.Join(strings.Fields(byLine[at-1].String()), " ")
	}
}
