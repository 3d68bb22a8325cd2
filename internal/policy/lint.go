package policy

import (
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Lint returns warnings of annotations for the controller that the policy
// stands for which certainly do something else than was meant, or ask for what
// cannot be had when manifests are built.
func (p *Policy) Lint() []graph.Finding {
	var findings []graph.Finding
	tell := func(r *graph.Resource, annotations yamldoc.Path, key, message string) {
		findings = append(findings, graph.Finding{Severity: manifest.Warning, Resource: r, Path: annotations.Key(key), Message: message})
	}
	if !p.AsksWorkloads() {
		return nil
	}
	for _, r := range p.graph.Resources {
		if r.Ignored() {
			continue
		}
		p.lint(r, tell)
	}
	return findings
}

const metadataAnnotations yamldoc.Path = "metadata.annotations"

func (p *Policy) lint(r *graph.Resource, tell func(r *graph.Resource, annotations yamldoc.Path, key, message string)) {
	if r.Target != 0 || r.StandsFor {
		if p.policy == v1alpha1.PolicyReloader {
			for _, problem := range p.reloader.LintObject(r.Kind, r.Annotations) {
				tell(r, metadataAnnotations, problem.Key, problem.Message)
			}
		} else {
			for _, problem := range wave.LintObject(r.Kind, r.Annotations) {
				tell(r, metadataAnnotations, problem.Key, problem.Message)
			}
		}
	}
	if len(r.PodTemplates) == 0 {
		return
	}
	if p.policy == v1alpha1.PolicyReloader {
		for _, problem := range p.reloader.LintWorkload(r.Kind, r.Annotations) {
			tell(r, metadataAnnotations, problem.Key, problem.Message)
		}
	} else {
		for _, problem := range wave.LintWorkload(r.Annotations) {
			tell(r, metadataAnnotations, problem.Key, problem.Message)
		}
	}
	for i := range r.PodTemplates {
		t := &r.PodTemplates[i]
		if p.policy == v1alpha1.PolicyReloader {
			for _, problem := range p.reloader.LintPodTemplate(r.Annotations, t.Annotations) {
				tell(r, t.AnnotationsAt, problem.Key, problem.Message)
			}
		} else {
			for _, problem := range wave.LintPodTemplate(t.Annotations) {
				tell(r, t.AnnotationsAt, problem.Key, problem.Message)
			}
		}
	}
}
