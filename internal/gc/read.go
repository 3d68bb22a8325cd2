package gc

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// defaultNamespace is used for namespaced objects without a namespace; live objects always have one.
const defaultNamespace = "default"

// Read adds the objects of a stream, such as the output of kubectl get -o json or -o yaml. It returns an error if the
// stream or an object cannot be read.
func (s *Set) Read(data []byte) error {
	in, err := manifest.Split(data)
	if err != nil {
		return err
	}
	return s.read(in, source{})
}

type source struct {
	// apiVersion and kind apply to items without their own, as in typed lists.
	apiVersion, kind string
	// release is the Secret or ConfigMap of the Helm release that contains the items, which Helm would apply in
	// namespace.
	release, namespace string
}

type found struct {
	objects []*Object
	words   map[word]*use
}

func (s *Set) read(in *manifest.Input, from source) error {
	_, all, err := manifest.Parse(in, func(chunk *manifest.Chunk, items []manifest.Item) (found, error) {
		f := found{words: map[word]*use{}}
		for _, item := range items {
			if err := s.item(&f, chunk, item, from); err != nil {
				return f, err
			}
		}
		return f, nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range all {
		for _, object := range f.objects {
			s.objects[graph.ID{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name}] = object
		}
		for w, u := range f.words {
			if known := s.words[w]; known != nil {
				known.add(u)
			} else {
				s.words[w] = u
			}
		}
	}
	return nil
}

// item adds the facts of one item. They are copies, so that the text can be freed.
func (s *Set) item(f *found, chunk *manifest.Chunk, item manifest.Item, from source) error {
	if from.kind != "" && yamldoc.Text(item.Node, "kind") == "" {
		item.Node.Content = append(item.Node.Content, scalar("apiVersion"), scalar(from.apiVersion), scalar("kind"), scalar(from.kind))
	}
	version := yamldoc.Text(item.Node, "apiVersion")
	group := version[:max(strings.IndexByte(version, '/'), 0)]
	if s.builder.Catalog.NeverRefers(group, yamldoc.Text(item.Node, "kind")) {
		return nil
	}
	built, err := s.builder.Build(chunk, []manifest.Item{item})
	if err != nil {
		return err
	}
	r := built[0]
	// Live objects without a namespace are cluster-scoped, whatever the catalogue says.
	switch {
	case r.Namespace != "":
		r.ClusterScoped = false
	case r.Target != 0 || from.release != "" && !r.ClusterScoped && !r.ScopeUnknown:
		r.Namespace = cmp.Or(from.namespace, defaultNamespace)
	default:
		r.ClusterScoped = true
	}
	w := words{found: f, r: r, by: strings.Clone(r.String())}
	if from.release != "" {
		w.by, w.prefix = from.release, "its manifest: "
	}
	w.references()
	if from.release != "" {
		return w.walk(item.Node, r.Namespace)
	}
	if r.Target != 0 && r.Base != r.Name {
		f.objects = append(f.objects, s.object(r, item.Node))
	}
	if err := w.walk(item.Node, ""); err != nil {
		return err
	}
	return s.release(r, item.Node)
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// object returns a hashed object. If it has an owner or is being deleted, it is held: that decides its fate.
func (s *Set) object(r *graph.Resource, item *yaml.Node) *Object {
	metadata := yamldoc.Value(item, "metadata")
	o := &Object{
		Kind: strings.Clone(r.Kind), Namespace: strings.Clone(r.Namespace), Name: strings.Clone(r.Name), UID: strings.Clone(yamldoc.Text(metadata, "uid")),
		base: strings.Clone(r.Lineage()),
	}
	_, o.marked = r.Annotations[v1alpha1.AnnotationSuperseded]
	for label := range strings.SplitSeq(o.Name, ".") {
		if label = strings.Trim(label, "-"); o.label == "" || hashed(label) {
			o.label = label
		}
	}
	o.Created, _ = time.Parse(time.RFC3339, yamldoc.Text(metadata, "creationTimestamp"))
	rule := s.builder.Catalog.NameRule(catalog.Object{Kind: r.Kind, Namespace: r.Namespace, Name: r.Base, Type: r.Type, Labels: r.Labels, Annotations: r.Annotations})
	owners, finalizers := yamldoc.Value(metadata, "ownerReferences"), yamldoc.Value(metadata, "finalizers")
	switch {
	case yamldoc.Text(metadata, "deletionTimestamp") != "":
		o.held = "is being deleted"
	case owners != nil && len(owners.Content) > 0:
		o.held = fmt.Sprintf("belongs to %s %s", graph.Clip(yamldoc.Text(owners.Content[0], "kind")), graph.Clip(yamldoc.Text(owners.Content[0], "name")))
	case finalizers != nil && len(finalizers.Content) > 0:
		o.held = "has the finalizer " + graph.Clip(finalizers.Content[0].Value)
	case r.Ignored():
		o.held = "has the annotation " + v1alpha1.AnnotationIgnore
	case rule != nil:
		o.held = "is known by its name: " + rule.Reason
	}
	return o
}
