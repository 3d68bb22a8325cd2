package podtemplate

import "strings"

// pullPolicy returns the imagePullPolicy that the API server fills in for an
// image: Always for one with the tag latest, or with neither tag nor digest, or else
// IfNotPresent, for what it cannot read too (ParseImageName in k8s.io/kubernetes
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
	case hasDigest && !isDigest(digest):
		return false
	}
	isIdentifier := len(image) == 64 && isHex(image)
	return isRepository(name) && !isIdentifier
}

// cutTag cuts name at the colon before a tag.
func cutTag(name string) (repository, tag string, found bool) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 || strings.IndexByte(name[colon:], '/') >= 0 {
		return name, "", false
	}
	return name[:colon], name[colon+1:], true
}

// maxRepository is how long the path of a repository may be, less its domain.
const maxRepository = 255

// isRepository reports whether name is a repository's, with or without a domain.
func isRepository(name string) bool {
	path := name
	if first, rest, found := strings.Cut(name, "/"); found && isDomainLike(first) {
		if !isDomain(first) {
			return false
		}
		path = rest
		if first != "docker.io" && first != "index.docker.io" {
			return isPath(path) && len(path) <= maxRepository
		}
	}
	if strings.IndexByte(path, '/') < 0 {
		path = "library/" + path
	}
	return isPath(path) && len(path) <= maxRepository
}

// isDomainLike reports whether the first part of a name is taken for a domain.
func isDomainLike(s string) bool {
	return s == "localhost" || strings.ContainsAny(s, ".:") || strings.ToLower(s) != s
}

// isDomain reports whether s is a host, with or without a port.
func isDomain(s string) bool {
	host := s
	if end := strings.LastIndexByte(s, ']'); s != "" && s[0] == '[' && end > 1 {
		for i := 1; i < end; i++ {
			if c := s[i : i+1]; c != ":" && !isHex(strings.ToLower(c)) {
				return false
			}
		}
		return s[end+1:] == "" || isPort(s[end+1:])
	}
	if colon := strings.IndexByte(s, ':'); colon >= 0 {
		if !isPort(s[colon:]) {
			return false
		}
		host = s[:colon]
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isAlphanumeric(c|0x20) && c != '-' || c < '-' {
				return false
			}
		}
	}
	return true
}

// isPort reports whether s is a colon and digits.
func isPort(s string) bool {
	return len(s) > 1 && s[0] == ':' && digits(s[1:]) == len(s)-1
}

// isPath reports whether s is made of components that slashes part.
func isPath(s string) bool {
	for component := range strings.SplitSeq(s, "/") {
		if !isComponent(component) {
			return false
		}
	}
	return true
}

// isComponent reports whether s is made of small letters and digits, with ".", "_",
// "__" or any number of "-" between them.
func isComponent(s string) bool {
	if s == "" || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := 0; i < len(s); {
		start, c := i, s[i]
		if isAlphanumeric(c) {
			i++
			continue
		}
		for i < len(s) && s[i] == c {
			i++
		}
		switch run := i - start; {
		case c == '-', c == '.' && run == 1, c == '_' && run <= 2:
		default:
			return false
		}
		if !isAlphanumeric(s[i]) {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// isDigest reports whether s is a digest of an algorithm that the API server knows.
func isDigest(s string) bool {
	algorithm, sum, _ := strings.Cut(s, ":")
	length := map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}[algorithm]
	return length > 0 && len(sum) == length && isHex(sum)
}

// isHex reports whether s is made of hexadecimal digits in small letters.
func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
