package gen

import "slices"

// listKeys are the keys of core kinds that hold lists of mappings.
var listKeys = []string{
	"containers", "ephemeralContainers", "env", "envFrom", "excludeResourceRules", "imagePullSecrets",
	"initContainers", "paths", "resourceRules", "rules", "secrets", "sources", "tls", "volumes",
}

// Set puts a value at a path of an object of a core kind, and creates the mappings and lists on the way.
func Set[P ~[]S, S ~string](object map[string]any, path P, value any) {
	for _, segment := range path[:len(path)-1] {
		key := string(segment)
		switch next := object[key].(type) {
		case map[string]any:
			object = next
		case []any:
			object = next[0].(map[string]any)
		default:
			inner := map[string]any{}
			object[key] = inner
			if slices.Contains(listKeys, key) {
				object[key] = []any{inner}
			}
			object = inner
		}
	}
	object[string(path[len(path)-1])] = value
}
