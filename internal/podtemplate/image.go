package podtemplate

import (
	"regexp"
	"strings"
	"sync"
)

// pullPolicy returns the imagePullPolicy that the API server fills in for an
// image: Always for one with the tag latest, or with neither tag nor digest, or else
// IfNotPresent, also for what it cannot parse (ParseImageName in k8s.io/kubernetes
// pkg/util/parsers, over github.com/distribution/reference).
func pullPolicy(image string) string {
	if pullsAlways(image) {
		return "Always"
	}
	return "IfNotPresent"
}

func pullsAlways(image string) bool {
	name, digest, hasDigest := strings.Cut(image, "@")
	name, tag, hasTag := cutTag(name)
	switch {
	case hasTag && tag != "latest", !hasTag && hasDigest:
		return false
	case hasDigest && !expressions().digest.MatchString(digest):
		return false
	}
	return isRepository(name) && !expressions().identifier.MatchString(image)
}

func cutTag(name string) (repository, tag string, found bool) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 || strings.IndexByte(name[colon:], '/') >= 0 {
		return name, "", false
	}
	return name[:colon], name[colon+1:], true
}

func isRepository(name string) bool {
	domain, path, found := strings.Cut(name, "/")
	if !found || domain != "localhost" && !strings.ContainsAny(domain, ".:") && strings.ToLower(domain) == domain {
		domain, path = "docker.io", name
	}
	if (domain == "docker.io" || domain == "index.docker.io") && !strings.Contains(path, "/") {
		path = "library/" + path
	}
	const longest = 255 // without the domain
	return len(path) <= longest && expressions().domain.MatchString(domain) && expressions().path.MatchString(path)
}

type imageExpressions struct{ domain, path, digest, identifier *regexp.Regexp }

// expressions compiles them once they are needed: most images have another tag.
var expressions = sync.OnceValue(func() imageExpressions {
	const (
		label     = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`
		component = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
	)
	return imageExpressions{
		domain:     regexp.MustCompile(`^(?:` + label + `(?:\.` + label + `)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$`),
		path:       regexp.MustCompile(`^` + component + `(?:/` + component + `)*$`),
		digest:     regexp.MustCompile(`^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$`),
		identifier: regexp.MustCompile(`^[a-f0-9]{64}$`),
	}
})
