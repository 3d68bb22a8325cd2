package function

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// An Output is the report of a run in addition to the manifests.
type Output struct {
	// Results are the warnings, and what else the functionConfig's report asks for, in the form of a ResourceList.
	Results []Result
	// Messages are the same results as sentences.
	Messages []Message
	// Idle is why nothing in a stream is named after its content or stamped: "" if something is, or a Result explains
	// it.
	Idle string
	// Summary is a sentence with the numbers of changes in a stream, "" for a ResourceList.
	Summary string
}

// A Result is a diagnostic about a resource, in the KRM functions specification.
type Result struct {
	Message  string
	Severity Severity
	// ResourceRef, Field and File are nil if the result does not concern one.
	ResourceRef *ResourceRef
	Field       *Field
	File        *File
}

// Severity is the severity of a Result.
type Severity string

// The severities of the KRM functions specification.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// A ResourceRef names the resource that a Result is about.
type ResourceRef struct {
	APIVersion, Kind, Name, Namespace string
}

// A Field names the field that a Result is about.
type Field struct {
	Path string
}

// A File names the file that a resource was read from, and its index there.
type File struct {
	Path  string
	Index int
}

// A Message is a Result as a sentence that names the resource, or one sentence for several equal Results about the same
// field.
type Message struct {
	Severity Severity
	Text     string
}

func publicResults(results []manifest.Result) []Result {
	var list []Result
	for _, r := range results {
		list = append(list, Result{r.Message, Severity(r.Severity), (*ResourceRef)(r.ResourceRef), (*Field)(r.Field), (*File)(r.File)})
	}
	return list
}

// maxWarnings bounds how many warnings are reported: one takes hundreds of times as much memory as the word that it may
// be about.
const maxWarnings = 10_000

// output returns what the functionConfig's report asks for, also as results of a ResourceList.
func (r *run) output(in *manifest.Input) (*Output, []manifest.Result) {
	var results []manifest.Result
	var messages []Message
	warnings := 0
	told := slices.DeleteFunc(graph.SortFindings(r.plan.Findings), func(f graph.Finding) bool {
		if f.Severity == manifest.Warning {
			warnings++
		}
		return f.Severity == manifest.Warning && warnings > maxWarnings
	})
	for _, f := range told {
		results = append(results, f.Result())
	}
	for _, s := range graph.Sentences(told) {
		messages = append(messages, Message{Severity(s.Severity), s.Text})
	}
	if more := warnings - maxWarnings; more > 0 {
		text := fmt.Sprintf("%d more warnings are not listed", more)
		results = append(results, manifest.Result{Severity: manifest.Warning, Message: text})
		messages = append(messages, Message{SeverityWarning, text})
	}
	out := &Output{Results: publicResults(results), Messages: messages}
	if !in.IsResourceList {
		out.Idle, out.Summary = r.idle(out), r.summary()
	}
	return out, results
}

func errorResults(err error) []manifest.Result {
	var results []manifest.Result
	for _, e := range Errors(err) {
		if finding, ok := errors.AsType[graph.Finding](e); ok {
			results = append(results, finding.Result())
		} else {
			results = append(results, manifest.Result{Severity: manifest.Error, Message: strings.TrimSpace(e.Error())})
		}
	}
	return results
}

// A ConfigError joins the errors of a run whose functionConfig has a name.
type ConfigError struct {
	error
	// FunctionConfig is its kind and name, for example ConfigHash "roll-on-config-change".
	FunctionConfig string
}

// Unwrap returns the errors.
func (e *ConfigError) Unwrap() []error { return []error{e.error} }

// of returns err as a ConfigError if the functionConfig in the input has a name. kpt uses the name function-input if
// there is no file.
func of(in *manifest.Input, err error) error {
	text := func(n *yaml.Node) string {
		if n == nil || n.Kind != yaml.ScalarNode {
			return ""
		}
		return graph.Clip(n.Value)
	}
	name := text(yamldoc.Value(yamldoc.Value(in.FunctionConfig, "metadata"), "name"))
	if name == "" || name == "function-input" {
		return err
	}
	return &ConfigError{err, fmt.Sprintf("%s %q", text(yamldoc.Value(in.FunctionConfig, "kind")), name)}
}

// A WriteError is an error in writing the output.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return "writing the output: " + e.Err.Error() }

// Unwrap returns the error of the writer.
func (e *WriteError) Unwrap() error { return e.Err }

// Errors returns the errors that err joins, each of which is a sentence or a separate explanation.
func Errors(err error) []error {
	return graph.Errors(err)
}
