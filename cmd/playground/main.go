//go:build js && wasm

// Command playground is confighash as a web worker. It offers the playground's page three functions, each of which
// returns an object.
package main

import (
	"bytes"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// memoryLimit is where the garbage collector starts to work hard: a WebAssembly module has 4 GiB at most.
const memoryLimit = 2 << 30

func main() {
	debug.SetMemoryLimit(memoryLimit)
	functions := map[string]any{}
	for name, f := range map[string]func(part func(string) *part) (map[string]any, error){
		"process": process, "graph": showGraph, "impact": showImpact,
	} {
		functions[name] = js.FuncOf(func(_ js.Value, args []js.Value) any {
			answer, err := f(func(name string) *part { return &part{name, args[0].Get(name).String()} })
			if err != nil {
				return map[string]any{"errors": sentences(err)}
			}
			return answer
		})
	}
	js.Global().Set("confighash", functions)
	select {}
}

// A part is an input field of the page: functionConfig, manifests or before.
type part struct{ name, text string }

type partError struct {
	part string
	error
}

func (p *part) failed(err error) error { return &partError{p.name, err} }

// sentences returns the lines of an error, and the part that each is about.
func sentences(err error) []any {
	name := ""
	if e, ok := err.(*partError); ok { //nolint:errorlint // nothing wraps it
		name, err = e.part, e.error
	}
	var all []any
	for _, e := range function.Errors(err) {
		all = append(all, map[string]any{"part": name, "text": strings.TrimSpace(e.Error())})
	}
	return all
}

// A run is the result of running the function over manifests.
type run struct {
	spec *v1alpha1.Spec
	text []byte
	out  *function.Output
}

// transform runs the function. The functionConfig of a ResourceList wins over the page's.
func transform(config, manifests *part) (*run, error) {
	in, err := manifest.Split([]byte(manifests.text))
	if err != nil {
		return nil, manifests.failed(err)
	}
	r, options := &run{}, function.Options{}
	if in.FunctionConfig == nil {
		if options.Config, err = v1alpha1.ParseYAML([]byte(config.text)); err != nil {
			return nil, config.failed(err)
		}
		r.spec = &options.Config.Spec
	}
	var out bytes.Buffer
	if r.out, err = function.Process([]byte(manifests.text), &out, options); err != nil {
		return nil, manifests.failed(err)
	}
	r.text = out.Bytes()
	return r, nil
}

func (r *run) graph(of *part) (*graph.Graph, error) {
	g, err := load.Of([]load.File{{Data: r.text}}, load.Options{Spec: r.spec})
	if err != nil {
		return nil, of.failed(err)
	}
	return g, nil
}

// process answers with the output and the messages.
func process(part func(string) *part) (map[string]any, error) {
	r, err := transform(part("functionConfig"), part("manifests"))
	if err != nil {
		return nil, err
	}
	var messages []any
	for _, m := range r.out.Messages {
		messages = append(messages, map[string]any{"severity": string(m.Severity), "text": m.Text})
	}
	return map[string]any{"output": string(r.text), "messages": messages, "summary": r.out.Summary, "idle": r.out.Idle}, nil
}

// showGraph answers with a page that shows who uses what in the output.
func showGraph(part func(string) *part) (map[string]any, error) {
	manifests := part("manifests")
	r, err := transform(part("functionConfig"), manifests)
	if err != nil {
		return nil, err
	}
	g, err := r.graph(manifests)
	if err != nil {
		return nil, err
	}
	found, err := usage.New(g, catalog.Builtin())
	if err != nil {
		return nil, err
	}
	return page(view.Graph(found, view.ByObject))
}

// showImpact answers with a page that predicts what applying the manifests restarts.
func showImpact(part func(string) *part) (map[string]any, error) {
	var sides [2]*graph.Graph
	for i, name := range []string{"before", "manifests"} {
		side := part(name)
		r, err := transform(part("functionConfig"), side)
		if err == nil {
			sides[i], err = r.graph(side)
		}
		if err != nil {
			return nil, err
		}
	}
	predicted, err := impact.Compare(sides[0], sides[1])
	if err != nil {
		return nil, err
	}
	return page(view.Impact(predicted))
}

func page(v report.View) (map[string]any, error) {
	var out strings.Builder
	err := report.Write(&out, v, report.HTML, false)
	return map[string]any{"page": out.String()}, err
}
