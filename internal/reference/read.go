package reference

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Read is a name that a program gets as the value of a flag or environment variable about a ConfigMap or Secret, so
// that it probably reads the object through the API. Such a name is not updated when the object is renamed.
type Read struct {
	// Targets are the kinds that the flag or variable is about.
	Targets catalog.Target
	Name    string
	// Namespace is the namespace before the name, "" if there is none.
	Namespace string
	// By is the flag or the variable, and At the field with its value.
	By string
	At yamldoc.Path
}

// About returns the kinds that a word is about: the name of a flag, a variable or a field. It ignores case, dashes and
// underscores.
func About(word string) (about catalog.Target) {
	letters := make([]byte, 0, 64) // on the stack for all but long words: this is called for every argument
	for i := range len(word) {
		if c := word[i]; c != '-' && c != '_' {
			letters = append(letters, c|0x20)
		}
	}
	if bytes.Contains(letters, []byte("configmap")) {
		about |= catalog.ConfigMap
	}
	if bytes.Contains(letters, []byte("secret")) {
		about |= catalog.Secret
	}
	return about
}

// addRead adds the name in the value of a flag or a variable, if that is about ConfigMaps or Secrets and the value is a
// name, optionally preceded by a namespace.
func (w *walker) addRead(by, value string, at func() yamldoc.Path) {
	targets := About(by)
	if targets == 0 {
		return
	}
	namespace, name, qualified := strings.Cut(value, "/")
	switch {
	case !qualified:
		namespace, name = "", value
	case strings.HasPrefix(namespace, "$"), strings.HasPrefix(namespace, "{"):
		namespace = "" // a variable, as in $(POD_NAMESPACE)/app
	}
	if _, isName := catalog.Plain.Match(name); isName && (namespace == "" || isNamespace(namespace)) {
		w.reads = append(w.reads, Read{Targets: targets, Name: name, Namespace: namespace, By: by, At: at()})
	}
}

// addReads adds the reads of a pod spec's containers. It reads each part once, however many aliases refer to it.
func (w *walker) addReads(podSpec *yaml.Node, path yamldoc.Path) {
	if !w.once(podSpec) {
		return
	}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for i, container := range w.elements(podSpec, list) {
			if container.Anchor != "" && !w.once(container) {
				continue
			}
			words := argumentReader{walker: w}
			for _, field := range []string{"command", "args"} {
				words.readAll(container, field, func(j int) yamldoc.Path { return path.Key(list).Index(i).Key(field).Index(j) })
			}
			for j, variable := range w.elements(container, "env") {
				w.addRead(w.child(variable, "name"), w.child(variable, "value"), func() yamldoc.Path {
					return path.Key(list).Index(i).Key("env").Index(j).Key("value")
				})
			}
		}
	}
}

func (w *walker) once(n *yaml.Node) bool {
	if w.read == nil {
		w.read = map[*yaml.Node]bool{}
	}
	seen := w.read[n]
	w.read[n] = true
	return !seen
}

// readData adds the reads in the data of a ConfigMap, whose keys become variables through envFrom.
func (w *walker) readData() {
	data := w.mappingAt(w.root, "data")
	if data == nil || w.child(w.root, "kind") != "ConfigMap" || w.child(w.root, "apiVersion") != "v1" {
		return
	}
	_ = yamldoc.Each(data, w.budget, func(key string, value *yaml.Node, _ bool) error {
		if value = yamldoc.Resolve(value); value.Kind != yaml.ScalarNode || strings.ContainsAny(key, "-.") {
			return nil // the name of a file, or a setting of a controller that has rules
		}
		w.addRead(key, value.Value, func() yamldoc.Path { return yamldoc.Path("data").Key(key) })
		return nil
	})
}

// An argumentReader reads the arguments of one container, word by word: a flag and its value may be two arguments, and
// a shell script is one.
type argumentReader struct {
	*walker
	flag    string // the previous word, if a name may follow
	kubectl bool   // a previous word is kubectl
}

func (r *argumentReader) readAll(container *yaml.Node, field string, at func(int) yamldoc.Path) {
	list := r.at(container, field)
	if list == nil || list.Kind != yaml.SequenceNode || list.Anchor != "" && !r.once(list) {
		return
	}
	for i, argument := range list.Content {
		if argument = yamldoc.Resolve(argument); argument.Kind == yaml.ScalarNode && (argument.Anchor == "" || r.once(argument)) {
			r.readOne(argument.Value, func() yamldoc.Path { return at(i) })
		}
	}
}

func (r *argumentReader) readOne(argument string, at func() yamldoc.Path) {
	for word := range strings.FieldsFuncSeq(argument, func(c rune) bool { return strings.ContainsRune(" \t\r\n,;\"'`|&<>", c) }) {
		r.kubectl = r.kubectl || word == "kubectl" || strings.HasSuffix(word, "/kubectl") || word == "oc"
		flag, value := r.flag, word
		r.flag = ""
		if strings.HasPrefix(word, "-") || flag == "" {
			var divided bool
			if flag, value, divided = strings.Cut(word, "="); !divided && r.kubectl {
				flag, value, divided = strings.Cut(word, "/") // configmap/app
			}
			if !divided {
				if About(word) != 0 && (r.kubectl || strings.HasPrefix(word, "-")) {
					r.flag = word
				}
				continue
			}
		} else if r.kubectl && (value == "generic" || value == "tls" || value == "docker-registry") {
			r.flag = flag // kubectl create secret generic NAME
			continue
		}
		r.addRead(flag, value, at)
	}
}
