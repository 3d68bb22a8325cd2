package podtemplate

import (
	"regexp"
	"strings"
	"sync"
)

// pullPolicy returns the API server's default imagePullPolicy for an image: Always with the tag latest, or with neither
// tag nor digest; otherwise IfNotPresent, also for an invalid image.
func pullPolicy(image string) string {
	const longest = 255
	name, _, _ := strings.Cut(image, ":latest")
	if isImageID := len(image) == 64 && strings.Trim(image, "0123456789abcdef") == ""; !isImageID && len(name) <= longest && latest().MatchString(image) {
		return "Always"
	}
	return "IfNotPresent"
}

// latest matches the images that ParseImageName in k8s.io/kubernetes pkg/util/parsers, based on
// github.com/distribution/reference, parses as a name with the tag latest. A name with a dot or a colon before a slash
// is a domain. It is compiled on first use: most images have another tag.
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
