package impact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// Fixes without a command, for kinds without their own.
const (
	deletePods  = "delete its pods after the apply"
	restartPods = "restart its pods after the apply"
)

func (c *comparison) restart(s *subject, p *templatePair) string {
	by, comma := restartPods, " "
	if command := workloadOf(s.new).Restart; command != "" {
		by, comma = c.fill(command, s.new), ", "
	}
	restarts := func(i *influence) bool { return i.configures() && !i.ignored() }
	if s.new.Ignored() || !slices.ContainsFunc(s.on[p.index], restarts) {
		return by
	}
	how := ", or"
	if len(p.checksums()) > 0 {
		how = " again, with a policy and selectors that include what changed, or"
	} else if kept := c.kept(s, p); kept != "" {
		how = kept + "; or"
	}
	return "run confighash over the manifests" + how + comma + by
}

// kept returns how to run confighash if mode Rename does not help the pods of a template, because what changed
// represents a Secret, or has no hash although other objects have one; otherwise "".
func (c *comparison) kept(s *subject, p *templatePair) string {
	for _, i := range s.on[p.index] {
		now := i.object.now()
		switch {
		case !i.configures(), slices.Equal(i.via(), []string{string(catalog.ViaExtraSource)}):
		case now.StandsFor, now.Encrypted:
			return " with mode Annotate, since Rename keeps the name of " + c.ref(i.object.pair).String()
		case c.renames && now.Recorded() == "":
			return ", with mode Annotate if Rename keeps the name of " + c.ref(i.object.pair).String()
		}
	}
	return ""
}

func (c *comparison) replacement(r *graph.Resource) string {
	if len(r.PodTemplates) == 0 {
		return "delete it before the apply, or give the new one another name"
	}
	return c.fill(cmp.Or(workloadOf(r).Replace, "delete it before the apply, so that it is created again"), r)
}

// fill replaces {} in a fix of the catalogue by what kubectl needs to find a resource. As people copy it, an invalid
// name is left out.
func (c *comparison) fill(fix string, r *graph.Resource) string {
	found := strings.ToLower(r.Kind) + "/" + plain(r.Name)
	if namespace := c.after.NamespaceOf(r); namespace != "" {
		found += " -n " + plain(namespace)
	}
	return strings.Replace(fix, "{}", found, 1)
}

// plain returns a name that is safe in a shell, "NAME" otherwise.
func plain(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return "NAME"
	}
	return name
}
