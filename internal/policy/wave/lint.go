package wave

import (
	"slices"
	"strconv"
	"strings"
)

// A Problem is an annotation that certainly does something else than was meant.
type Problem struct {
	Key         string // the annotation
	PodTemplate bool   // whether it stands on the pod template
	Message     string // a sentence whose subject is the annotation
}

// LintWorkload returns what is wrong with the annotations of a workload itself.
func LintWorkload(workload map[string]string) []Problem {
	var problems []Problem
	for _, key := range ours(workload) {
		for _, message := range lint(key, workload) {
			problems = append(problems, Problem{Key: key, Message: message})
		}
	}
	return problems
}

// LintPodTemplate returns what is wrong with the annotations of a pod template.
func LintPodTemplate(podTemplate map[string]string) []Problem {
	var problems []Problem
	for _, key := range ours(podTemplate) {
		problems = append(problems, Problem{key, true, misplaced(key, "the pod template")})
	}
	return problems
}

// LintObject returns what is wrong with the annotations of a ConfigMap or a
// Secret, where wave reads none.
func LintObject(kind string, annotations map[string]string) []Problem {
	var problems []Problem
	for _, key := range ours(annotations) {
		problems = append(problems, Problem{key, false, misplaced(key, "a "+kind)})
	}
	return problems
}

// ours returns the keys with wave's prefix, in order.
func ours(annotations map[string]string) []string {
	var keys []string
	for key := range annotations {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// lint says what is wrong with an annotation of a workload.
func lint(key string, workload map[string]string) []string {
	value := workload[key]
	switch key {
	case UpdateOnConfigChange:
		if value != "true" && meansTrue(value) {
			return []string{"is " + strconv.Quote(value) + `, and wave takes nothing but "true" for true; write "true"`}
		}
		return nil
	case ExtraConfigMaps, ExtraSecrets:
		messages := lintNames(value)
		if _, ok := workload[UpdateOnConfigChange]; !ok {
			messages = append(messages, "has no effect without "+UpdateOnConfigChange+`: "true"; add that, or remove this`)
		}
		return messages
	}
	return []string{stray(key)}
}

// meansTrue reports whether people write this for true.
func meansTrue(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "t", "1", "yes", "y", "on", "enabled":
		return true
	}
	return false
}

// lintNames looks at a list of names. One that is empty altogether is none.
func lintNames(value string) []string {
	if value == "" {
		return nil
	}
	var messages []string
	for item := range strings.SplitSeq(value, ",") {
		quoted := strconv.Quote(item)
		switch name, ok := parse("", item); {
		case strings.TrimSpace(item) == "":
			messages = append(messages, "holds an empty name; write commas only between names")
		case strings.Count(item, "/") > 1:
			messages = append(messages, "holds "+quoted+", which has more than one slash and is left out; write NAME or NAMESPACE/NAME")
		case !ok:
			messages = append(messages, "holds "+quoted+", of which one half is empty; write NAME or NAMESPACE/NAME")
		case !isName(name.Namespace) || !isName(name.Name):
			messages = append(messages, "holds "+quoted+", which can be no name: wave reads no patterns; list the names themselves")
		case item != join(name):
			messages = append(messages, "holds "+quoted+", and wave takes blanks for part of the name, and finds no such object; write "+strconv.Quote(join(name)))
		}
	}
	slices.Sort(messages)
	return slices.Compact(messages)
}

func join(n Name) string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// misplaced says what is wrong with an annotation where wave reads none.
func misplaced(key, here string) string {
	switch key {
	case UpdateOnConfigChange, ExtraConfigMaps, ExtraSecrets:
		return "is read in the metadata of the workload itself only, not on " + here + "; move it there"
	}
	return stray(key)
}

// stray says of an annotation with wave's prefix that nobody reads it.
func stray(key string) string {
	if key == configHash || key == schedulingDisabled {
		return "is written by wave into the cluster, and has no use in a manifest; remove it"
	}
	return "is no annotation of wave's; it knows " + UpdateOnConfigChange + ", " + ExtraConfigMaps + " and " + ExtraSecrets
}
