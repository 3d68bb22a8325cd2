// Package wave reads the annotations of wave (wave-k8s/wave, formerly of
// Pusher): whether it rolls a workload when its ConfigMaps and Secrets change,
// and which ones count besides those that the pod uses.
//
// wave reads them in the metadata of the workload alone, takes no value but
// exactly "true" for true, and compares names letter by letter. In one respect this
// package is more lenient: it trims spaces around a name. wave looks for the name
// with the spaces, which no object can have.
package wave

import (
	"fmt"
	"strings"
)

// The annotations.
const (
	UpdateOnConfigChange = Domain + "/update-on-config-change"
	ExtraConfigMaps      = Domain + "/extra-configmaps"
	ExtraSecrets         = Domain + "/extra-secrets"

	// Domain is the prefix of all annotations of wave.
	Domain = "wave.pusher.com"
)

// Annotations are those that wave reads, all on workloads, each with a function that
// says what is wrong with a value, "" if nothing is.
var Annotations = map[string]func(value string) string{UpdateOnConfigChange: exact, ExtraConfigMaps: names, ExtraSecrets: names}

func exact(value string) string {
	if value == "" || value == "true" || value == "false" {
		return ""
	}
	return fmt.Sprintf(`is %q, which wave takes for false; write "true" or "false"`, value)
}

func names(value string) string {
	if value == "" {
		return ""
	}
	for item := range strings.SplitSeq(value, ",") {
		if _, ok := parse("", item); !ok || strings.Trim(item, "abcdefghijklmnopqrstuvwxyz0123456789-./") != "" {
			return fmt.Sprintf("holds %q, which is not NAME or NAMESPACE/NAME; list names, separated by commas alone", item)
		}
	}
	return ""
}

// A Name is an object that an annotation names: it counts, though the pod may
// not use it. It need not exist, and all of its keys count.
type Name struct {
	Kind      string // ConfigMap or Secret
	Namespace string // the workload's own, if empty
	Name      string
}

// A Request is what the annotations of a workload ask for.
type Request struct {
	// Enabled reports that the workload rolls when its configuration changes.
	Enabled bool
	// Extra holds the objects that are named, ConfigMaps first, each once, as they are
	// listed. There are none unless Enabled.
	Extra []Name
}

// Read reads the annotations in the metadata of a workload.
func Read(annotations map[string]string) Request {
	if annotations[UpdateOnConfigChange] != "true" {
		return Request{}
	}
	w := Request{Enabled: true}
	seen := map[Name]bool{}
	add := func(kind, list string) {
		for item := range strings.SplitSeq(list, ",") {
			if name, ok := parse(kind, item); ok && !seen[name] {
				seen[name] = true
				w.Extra = append(w.Extra, name)
			}
		}
	}
	add("ConfigMap", annotations[ExtraConfigMaps])
	add("Secret", annotations[ExtraSecrets])
	return w
}

// parse reads NAME or NAMESPACE/NAME. It returns false for anything else.
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
