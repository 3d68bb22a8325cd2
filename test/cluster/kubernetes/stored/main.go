// Command stored shows how Kubernetes itself treats pod templates: it decodes them as kube-apiserver does, applies
// defaults, stores them, and reads them again.
//
// It reads pairs, one JSON object per line, {"old": YAML, "new": YAML}, and writes one line for each. The tests of
// internal/podtemplate compare its answers with their own. It is a separate program, since it needs other versions of
// modules.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"sigs.k8s.io/yaml"
)

type pair struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// An answer is the result for a pair.
type answer struct {
	// OldError and NewError are why a template is rejected.
	OldError string `json:"oldError,omitempty"`
	NewError string `json:"newError,omitempty"`
	// Same: a Deployment does not roll.
	Same bool `json:"same"`
	// Identical: neither does a StatefulSet or a DaemonSet, whose revisions are compared byte by byte.
	Identical bool `json:"identical"`
	// Dropped: a part of the new template is not stored because a feature gate is off.
	Dropped bool `json:"dropped"`
	// Stored is the new template in its stored form.
	Stored json.RawMessage `json:"stored,omitempty"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stored:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	w := bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var p pair
			if err := json.Unmarshal(line, &p); err != nil {
				return err
			}
			if err := encoder.Encode(compare(p)); err != nil {
				return err
			}
		}
		// A caller that asks one question at a time gets each answer before the next question.
		if lines.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return w.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func compare(p pair) answer {
	var a answer
	before, _, err := store(p.Old)
	if err != nil {
		a.OldError = err.Error()
	}
	after, dropped, err := store(p.New)
	if err != nil {
		a.NewError = err.Error()
	}
	if before == nil || after == nil {
		return a
	}
	a.Dropped = dropped
	a.Same = apiequality.Semantic.DeepEqual(before, after)
	was, err := json.Marshal(before)
	if err != nil {
		a.OldError = err.Error()
	}
	if a.Stored, err = json.Marshal(after); err != nil {
		a.NewError = err.Error()
	}
	a.Identical = bytes.Equal(was, a.Stored)
	return a
}

var (
	scheme  = legacyscheme.Scheme
	request = jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{Strict: true})
	storage = protobuf.NewSerializer(scheme, scheme)
	codec   = legacyscheme.Codecs.CodecForVersions(storage, storage, appsv1.SchemeGroupVersion, apps.SchemeGroupVersion)
)

// store returns what a controller sees of a template in a Deployment, and whether the API server's strategy would drop
// a part of it.
func store(template string) (stored *corev1.PodTemplateSpec, dropped bool, err error) {
	asJSON, err := yaml.YAMLToJSON([]byte(template))
	if err != nil {
		return nil, false, err
	}
	object, err := json.Marshal(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"template": json.RawMessage(asJSON)},
	})
	if err != nil {
		return nil, false, err
	}
	decoder := legacyscheme.Codecs.DecoderToVersion(request, apps.SchemeGroupVersion)
	decoded, _, err := decoder.Decode(object, nil, nil)
	if err != nil {
		return nil, false, err
	}
	inner := decoded.(*apps.Deployment)
	kept := inner.DeepCopy()
	deployment.Strategy.PrepareForCreate(context.Background(), kept)
	dropped = !apiequality.Semantic.DeepEqual(inner.Spec.Template, kept.Spec.Template)

	// Round trip through etcd's encoding.
	inStorage, err := runtime.Encode(codec, inner)
	if err != nil {
		return nil, false, err
	}
	read, err := runtime.Decode(codec, inStorage)
	if err != nil {
		return nil, false, err
	}
	var seen appsv1.Deployment
	if err := scheme.Convert(read, &seen, nil); err != nil {
		return nil, false, err
	}
	return &seen.Spec.Template, dropped, nil
}
