package podtemplate

import (
	"regexp"
	"strings"
	"sync"
)

// pullPolicy returns the imagePullPolicy that the API server fills in for an image: Always
// for one with the tag latest, or with neither tag nor digest, or else IfNotPresent, also
// for what it cannot parse.
func pullPolicy(image string) string {
	const longest = 255
	name, _, _ := strings.Cut(image, ":latest")
	if isImageID := len(image) == 64 && strings.Trim(image, "0123456789abcdef") == ""; !isImageID && len(name) <= longest && latest().MatchString(image) {
		return "Always"
	}
	return "IfNotPresent"
}

// latest matches what ParseImageName in k8s.io/kubernetes pkg/util/parsers, over
// github.com/distribution/reference, takes for a name with the tag latest. Before a slash, a
// name with a full stop or a colon is a domain. It is compiled once it is needed: most images
// have another tag.
var latest = sync.OnceValue(func() *regexp.Regexp {
	const (
		label     = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`
		domain    = `(?:` + label + `(?:\.` + label + `)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`
		first     = `[a-z0-9]+(?:(?:_|__|-+)[a-z0-9]+)*`
		component = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
		digest    = `sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}`
	)
	return regexp.MustCompile(`^(?:(?:` + domain + `|` + first + `)(?:/` + component + `)+|` + component + `)(?::latest(?:@(?:` + digest + `))?)?$`)
})
