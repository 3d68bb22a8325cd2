// Package wave reads the annotations of wave (wave-k8s/wave, formerly of
// Pusher): whether it rolls a workload when its ConfigMaps and Secrets change,
// and which ones count besides those that the pod uses.
//
// wave reads them in the metadata of the workload alone, takes no value but
// exactly "true" for true, and reads names as they stand. In one respect this
// package is kinder: blanks around a name are not part of it. wave looks for
// the name with the blanks, which no object can have. The Lint functions tell
// of it, and of what else wave reads otherwise than it was meant.
package wave

import "strings"

// The annotations.
const (
	UpdateOnConfigChange = "wave.pusher.com/update-on-config-change"
	ExtraConfigMaps      = "wave.pusher.com/extra-configmaps"
	ExtraSecrets         = "wave.pusher.com/extra-secrets" //nolint:gosec // the key of an annotation, no secret

	// wave writes these into the cluster: on pod templates the hash, on
	// workloads the name of the scheduler while it keeps their pods back.
	configHash         = "wave.pusher.com/config-hash"
	schedulingDisabled = "wave.pusher.com/scheduling-disabled"

	prefix = "wave.pusher.com/"
)

// A Name is what an annotation names: an object that counts, though the pod may
// not use it. It need not exist, and all of its keys count.
type Name struct {
	Kind      string // ConfigMap or Secret
	Namespace string // the workload's own, if empty
	Name      string
}

// A Workload is what the annotations of a workload ask for.
type Workload struct {
	// Enabled tells that the workload rolls when its configuration changes.
	Enabled bool
	// Extra holds what counts besides, ConfigMaps first, each once, as they are
	// listed. There is none unless Enabled.
	Extra []Name
}

// extras are the annotations that name objects, and the kinds of these.
var extras = [...]struct{ key, kind string }{
	{ExtraConfigMaps, "ConfigMap"},
	{ExtraSecrets, "Secret"},
}

// Read reads the annotations in the metadata of a workload.
func Read(annotations map[string]string) Workload {
	if annotations[UpdateOnConfigChange] != "true" {
		return Workload{}
	}
	w := Workload{Enabled: true}
	seen := map[Name]bool{}
	for _, e := range extras {
		value := annotations[e.key]
		if value == "" {
			continue
		}
		for item := range strings.SplitSeq(value, ",") {
			if name, ok := parse(e.kind, item); ok && !seen[name] {
				seen[name] = true
				w.Extra = append(w.Extra, name)
			}
		}
	}
	return w
}

// parse reads NAME or NAMESPACE/NAME. It is false of anything else.
func parse(kind, item string) (name Name, ok bool) {
	namespace, rest, qualified := strings.Cut(item, "/")
	if !qualified {
		namespace, rest = "", item
	}
	name = Name{Kind: kind, Namespace: strings.TrimSpace(namespace), Name: strings.TrimSpace(rest)}
	if name.Name == "" || qualified && name.Namespace == "" || strings.Contains(rest, "/") {
		return Name{}, false
	}
	return name, true
}
