// Package wave reads the annotations of wave (wave-k8s/wave, formerly of Pusher): whether it rolls a workload when its
// ConfigMaps and Secrets change, and which ones count besides those that the pod uses.
//
// wave reads only the metadata of the workload, requires exactly "true", and compares names literally. This package is
// more lenient in one respect: it trims spaces around a name, where wave would look for the name with the spaces, which
// no object can have.
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

// Annotations are the annotations that wave reads, all on workloads. Each has a function that returns what is wrong
// with a value, "" if it is valid.
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

// A Name is an object that an annotation names. All of its keys count, even if the pod does not use it. It need not
// exist.
type Name struct {
	Kind      string // ConfigMap or Secret
	Namespace string // empty for the workload's own
	Name      string
}

// A Request is the request in a workload's annotations.
type Request struct {
	// Enabled: the workload rolls when its configuration changes.
	Enabled bool
	// Extra are the named objects without duplicates, ConfigMaps first, in the order of the lists. It is empty unless
	// Enabled.
	Extra []Name
}

// Read reads the annotations in a workload's metadata.
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
	return name, name.Name != "" && (!qualified || name.Namespace != "") && !strings.Contains(rest, "/")
}
