package impact

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// avoidable returns the keys of labels and annotations that a workload restarts for, sorted,
// if it does so for them alone: charts change them with each version, and
// spec.podMetadata drops them. It returns nil for other workloads.
//
// A chart's checksum may include what is not known to be consumed. So one that changes by
// itself counts only if all is known that the pods consume.
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

// splitKey splits the path of a field, as causes have it, before the last key.
func splitKey(field string) (mapping, key string) {
	before := "."
	if inner, ok := strings.CutSuffix(field, "]"); ok { // a key with other characters than letters
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
