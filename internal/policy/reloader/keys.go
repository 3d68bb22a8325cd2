package reloader

import (
	"cmp"
	"strings"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// The kinds that Reloader watches. Of a SecretProviderClass it watches the
// versions that the driver reports from the cluster, not the spec.
const (
	ConfigMap           = "ConfigMap"
	Secret              = "Secret"
	SecretProviderClass = "SecretProviderClass"
)

// kinds are the kinds watched, in the order of what is kept for each.
var kinds = [...]string{ConfigMap, Secret, SecretProviderClass}

// kindIndex returns the place of a kind in kinds, -1 for any other.
func kindIndex(kind string) int {
	for i, k := range kinds {
		if k == kind {
			return i
		}
	}
	return -1
}

// Handles reports whether Reloader rolls workloads of a kind, by its own flags
// and annotations.
func Handles(group, kind string) bool {
	switch group {
	case "apps":
		return kind == "Deployment" || kind == "DaemonSet" || kind == "StatefulSet"
	case "batch":
		return kind == "CronJob" || kind == "Job"
	case "argoproj.io":
		return kind == "Rollout"
	}
	return false
}

// domain is what the prefixes of Reloader's own keys end in.
const domain = "reloader.stakater.com"

// keys are the annotation keys in force.
type keys struct {
	auto, search  string // on workloads
	match, ignore string // on objects
	kinds         [len(kinds)]kindKeys

	pausePeriod, rolloutStrategy string // on workloads, about how they roll
	pausedAt, lastReloadedFrom   string // written by the controller
}

// kindKeys are the keys on workloads about objects of one kind.
type kindKeys struct{ auto, named, exclude string }

// newKeys returns the keys in force under flags that changed some of them.
func newKeys(settings v1alpha1.Reloader) keys {
	key := func(name string) string { return cmp.Or(settings.AnnotationKeys[name], name) }
	return keys{
		auto:   key("reloader.stakater.com/auto"),
		search: key("reloader.stakater.com/search"),
		match:  key("reloader.stakater.com/match"),
		ignore: key("reloader.stakater.com/ignore"),
		kinds: [...]kindKeys{
			{
				auto:    key("configmap.reloader.stakater.com/auto"),
				named:   key("configmap.reloader.stakater.com/reload"),
				exclude: "configmaps.exclude.reloader.stakater.com/reload",
			},
			{
				auto:    key("secret.reloader.stakater.com/auto"),
				named:   key("secret.reloader.stakater.com/reload"),
				exclude: "secrets.exclude.reloader.stakater.com/reload",
			},
			{
				auto:    "secretproviderclass.reloader.stakater.com/auto",
				named:   "secretproviderclass.reloader.stakater.com/reload",
				exclude: "secretproviderclasses.exclude.reloader.stakater.com/reload",
			},
		},
		pausePeriod:      key("deployment.reloader.stakater.com/pause-period"),
		pausedAt:         key("deployment.reloader.stakater.com/paused-at"),
		rolloutStrategy:  "reloader.stakater.com/rollout-strategy",
		lastReloadedFrom: "reloader.stakater.com/last-reloaded-from",
	}
}

// ours reports whether a key has a prefix of Reloader's.
func ours(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	front, ok := strings.CutSuffix(prefix, domain)
	return ok && (front == "" || strings.HasSuffix(front, "."))
}
