package impact

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// avoidable returns the sorted keys of labels and annotations for which a workload restarts, if it restarts only for
// them: charts change these keys with each version, and spec.podMetadata drops them. It returns nil for other
// workloads.
//
// A chart's checksum may include configuration that the catalogue does not see. So one that changes by itself counts
// only if everything that the pods consume is known.
func (w *Workload) avoidable(s *subject) []string {
	if !w.TemplateChanges || w.Effect != Rolls && w.Effect != Waits && w.Effect != Kills {
		return nil
	}
	var keys []string
	known := catalog.Builtin().PodMetadata()
	for _, cause := range w.Causes {
		metadata, key := splitKey(cause.Field)
		switch {
		case cause.Change != Changed:
			return nil
		case strings.HasSuffix(metadata, "etadata.labels") && known.Changes.Labels.Match(key):
		case !strings.HasSuffix(strings.ToLower(metadata), "annotations") || !known.Changes.Annotations.Match(key):
			return nil
		case known.Checksums.Match(key) && !s.knowsAll():
			return nil
		}
		keys = append(keys, graph.Clip(key))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// splitKey splits the path of a field, in the form that causes have, before its last key.
func splitKey(field string) (mapping, key string) {
	before := "."
	if inner, ok := strings.CutSuffix(field, "]"); ok { // a key with characters other than letters
		field, before = inner, "["
	}
	i := max(strings.LastIndex(field, before), 0)
	return field[:i], strings.TrimPrefix(field[i:], before)
}

func (s *subject) knowsAll() bool {
	consumes := false
	for i := range s.new.Edges {
		if e := &s.new.Edges[i]; e.Ref.Consumed && !e.Ref.Tentative {
			if len(e.Matches)+len(e.Makers) == 0 {
				return false
			}
			consumes = true
		}
	}
	return consumes
}
