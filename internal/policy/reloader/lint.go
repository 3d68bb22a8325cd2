package reloader

import (
	"fmt"
	"strconv"
	"strings"
)

// Domain is the ending of the prefixes of Reloader's own keys.
const Domain = "reloader.stakater.com"

// Annotations returns the annotations that Reloader reads on workloads, on their pod templates and on objects. Each has
// a function that returns what is wrong with a value, "" if it is valid. Expressions are not checked here: Patterns
// returns the invalid ones.
func (c *Controller) Annotations() (workload, podTemplate, object map[string]func(value string) string) {
	expressions := func(string) string { return "" }
	podTemplate = map[string]func(string) string{c.auto: boolean, c.search: exact}
	workload = map[string]func(string) string{
		c.auto: boolean, c.search: exact,
		c.pausePeriod: func(string) string { return "cannot be followed: one apply is one rollout; remove it" },
		"reloader.stakater.com/rollout-strategy": func(value string) string {
			if value == "" || value == "rollout" {
				return ""
			}
			return fmt.Sprintf(`is %q, but a build can only change the pod template; write "rollout" or remove it`, value)
		},
	}
	for _, k := range c.kinds {
		podTemplate[k.auto], podTemplate[k.named] = boolean, expressions
		workload[k.auto], workload[k.named], workload[k.exclude] = boolean, expressions, names
	}
	object = map[string]func(string) string{c.match: exact, c.ignore: exact}
	return workload, podTemplate, object
}

// boolean checks a value that Reloader reads with strconv.ParseBool.
func boolean(value string) string {
	if _, err := strconv.ParseBool(value); err == nil {
		return ""
	}
	return exact(value)
}

// exact checks a value that Reloader compares with "true".
func exact(value string) string {
	if value == "" || value == "true" || value == "false" {
		return ""
	}
	return fmt.Sprintf(`is %q, which Reloader takes for false; write "true" or "false"`, value)
}

// names checks a list of literal names.
func names(value string) string {
	for _, item := range items(value) {
		if strings.Trim(item, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			return fmt.Sprintf("holds %q, which is not a name; list names, separated by commas", item)
		}
	}
	return ""
}
