package gc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/test/support/property"
)

// live is an object of a random cluster.
type live struct {
	// id is the object's name in messages, text its manifest.
	id, text string
	// name is a hashed object's name, "" for all others.
	name string
}

var someNamespace = rapid.SampledFrom([]string{"shop", "ops"})

// hashedNames maps names of ConfigMaps to the value of k, their only key.
var hashedNames = map[string]string{"app-5k8t4666t7": "v1", "app-92cg8h8d48": "v2", "web-5k8t4666t7": "v1", "web.d-92cg8h8d48": "v2"}

var someHashedName = rapid.SampledFrom(slices.Sorted(func(yield func(string) bool) {
	for name := range hashedNames {
		if !yield(name) {
			return
		}
	}
}))

// someCluster draws distinct live objects.
var someCluster = rapid.Custom(func(t *rapid.T) []live {
	var all []live
	add := func(apiVersion, kind, namespace, name, rest string, hashedName string) {
		in := ""
		if namespace != "" {
			in = ", namespace: " + namespace
			namespace, _, _ = strings.Cut(namespace, ",")
			namespace += "/"
		}
		id := kind + " " + namespace + name
		if !slices.ContainsFunc(all, func(o live) bool { return o.id == id }) {
			all = append(all, live{id, fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s%s}\n%s\n", apiVersion, kind, name, in, rest), hashedName})
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "objects") {
		name := someHashedName.Draw(t, "name")
		switch rapid.IntRange(0, 4).Draw(t, "object") {
		case 0:
			add("v1", "ConfigMap", someNamespace.Draw(t, "in"), strings.Replace(name, "a", "x", 1), "data: {k: other}", "")
		case 1: // the hash is in the middle of the name, and the object names another one
			add("v1", "ConfigMap", someNamespace.Draw(t, "in")+recorded(name), name+"-z", "data: {k: "+someHashedName.Draw(t, "other")+"}", name+"-z")
		case 2: // Istio reads it if a Gateway names the one without -cacert
			add("v1", "Secret", someNamespace.Draw(t, "in")+recorded(name), name+"-cacert", "", name+"-cacert")
		default:
			add("v1", "ConfigMap", someNamespace.Draw(t, "in"), name, "data: {k: "+hashedNames[name]+"}", name)
		}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "referrers") {
		name, in := someHashedName.Draw(t, "name"), someNamespace.Draw(t, "in")
		if rapid.IntRange(0, 3).Draw(t, "longer") == 0 {
			name += "-z"
		}
		pod := fmt.Sprintf("{containers: [{name: c, envFrom: [{configMapRef: {name: %s}}]}]}", name)
		referrer := fmt.Sprintf("r%d", i)
		switch rapid.IntRange(0, 8).Draw(t, "referrer") {
		case 0:
			add("v1", "Pod", in, referrer, "spec: "+pod, "")
		case 1:
			add("apps/v1", "ReplicaSet", in, referrer, "spec: {replicas: 0, template: {spec: "+pod+"}}", "")
		case 2:
			add("apps/v1", "ControllerRevision", in, referrer, "data: {spec: {template: {spec: "+pod+"}}}", "")
		case 3:
			add("example.com/v1", "Thing", in, referrer, "spec: {configMapRef: {name: "+name+", namespace: "+someNamespace.Draw(t, "there")+"}}", "")
		case 4:
			add("example.com/v1", "Thing", "", referrer, "spec: {configMapName: "+name+"}", "")
		case 5:
			add("example.com/v1", "Thing", in, referrer, "spec:\n  says: "+name, "")
		case 6:
			add("rbac.authorization.k8s.io/v1", "Role", in, referrer, "rules: [{apiGroups: [''], resources: [configmaps], resourceNames: ["+name+"], verbs: [get]}]", "")
		case 7:
			add("networking.istio.io/v1", "Gateway", in, referrer, "spec: {servers: [{tls: {credentialName: "+name+"}}]}", "")
		default:
			add("v1", "ConfigMap", in, referrer, "data:\n  says: "+name, "")
		}
	}
	return rapid.Permutation(all).Draw(t, "order")
})

// recorded returns the metadata after the namespace of an object that confighash renamed.
func recorded(name string) string {
	_, hash, _ := strings.Cut(name, "-")
	return ", annotations: {confighash.dev/hash: " + hash + "}"
}

func manifests(objects []live) string {
	var texts []string
	for _, o := range objects {
		texts = append(texts, o.text)
	}
	return strings.Join(texts, "---\n")
}

// unused returns the objects that gc lists.
func unused(t *rapid.T, objects []live) []string {
	set := NewSet()
	if err := set.Read([]byte(manifests(objects))); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, o := range set.Judge(Options{Now: time.Now()}) {
		if o.Kept == "" {
			listed = append(listed, o.String())
		}
	}
	return listed
}

func TestJudge_listsHashedObjectsThatNoEdgeLeadsTo(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		objects := someCluster.Draw(t, "cluster")
		listed := unused(t, objects)
		g, err := load.Graph([]string{load.Stdin}, strings.NewReader(manifests(objects)), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]string{}
		var follow func(e *graph.Edge)
		follow = func(e *graph.Edge) {
			for _, match := range e.Current() {
				for _, object := range match.Candidates {
					used[object.String()] = e.Referrer.String()
				}
			}
			for i := range e.Derived {
				follow(&e.Derived[i])
			}
		}
		for _, r := range g.Resources {
			for i := range r.Edges {
				follow(&r.Edges[i])
			}
		}
		for _, o := range objects {
			isListed := slices.Contains(listed, o.id)
			switch {
			case isListed && o.name == "":
				t.Fatalf("%s has no hash in its name and is listed", o.id)
			case isListed && slices.ContainsFunc(objects, func(other live) bool { return other.id != o.id && strings.Contains(other.text, "says: "+o.name+"\n") }):
				t.Fatalf("%s is listed, and some text has its name", o.id)
			case isListed && used[o.id] != "":
				t.Fatalf("%s refers to %s, which is listed", used[o.id], o.id)
			case o.name != "" && !isListed && used[o.id] == "" && !slices.ContainsFunc(objects, func(other live) bool { return mentions(other, o) }):
				t.Fatalf("nothing contains the name of %s, which is not listed", o.id)
			}
		}
	})
}

// mentions reports whether another object contains the name of o.
func mentions(other, o live) bool {
	_, content, _ := strings.Cut(other.text, "}\n") // after the metadata
	return other.id != o.id && strings.Contains(content, o.name[strings.LastIndex(o.name, ".")+1:])
}

func TestJudge_listsAfterDeletionOnlyWhatTheDeletedReferredTo(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		objects := someCluster.Draw(t, "cluster")
		for range len(objects) + 1 {
			listed := unused(t, objects)
			if len(listed) == 0 {
				return
			}
			var deleted, left []live
			for _, o := range objects {
				if slices.Contains(listed, o.id) {
					deleted = append(deleted, o)
				} else {
					left = append(left, o)
				}
			}
			for _, o := range left {
				referred := o.name == "" || slices.ContainsFunc(deleted, func(d live) bool { return mentions(d, o) })
				if !referred && slices.Contains(unused(t, left), o.id) {
					t.Fatalf("%s is listed only after others are deleted, none of which refers to it", o.id)
				}
			}
			objects = left
		}
		t.Fatal("gc lists objects without end")
	})
}

func TestRead_findsNamesAtAnyDepth(t *testing.T) {
	set := NewSet()
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: app-5k8t4666t7, namespace: shop}, data: {k: v1}}\n---\n"
	deep := "{apiVersion: example.com/v1, kind: Thing, metadata: {name: thing, namespace: shop}, spec: " +
		strings.Repeat("{key: ", 2000) + "app-5k8t4666t7" + strings.Repeat("}", 2001)
	if err := set.Read([]byte(object + deep)); err != nil {
		t.Fatal(err)
	}
	if objects := set.Judge(Options{}); len(objects) != 1 || objects[0].Kept != "Thing shop/thing refers to it (spec.key.key…)" {
		t.Errorf("the object that a deep field names is %q", objects[0].Kept)
	}
}

func TestHashed_findsWhatMayBeAHash(t *testing.T) {
	for name, want := range map[string]bool{
		"app-4h2mbtbbt6": true, "a.b-4h2mbtbbt6": true, "app-4h2mbtbbt6-x": true, "app-4h2mbtbbt6.x": true,
		"4h2mbtbbt6": false, "-4h2mbtbbt": false, "app": false, "app-4h2mbtbbt": false, "app-4h2mbtbbt6x": false,
		strings.Repeat("a", 253) + "-4h2mbtbbt6": false,
	} {
		if got := hashed(name); got != want {
			t.Errorf("hashed(%q) = %t, want %t", name, got, want)
		}
	}
}
