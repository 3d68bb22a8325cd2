// Package catalog holds what is known of Kubernetes kinds: which of their
// fields name a ConfigMap or a Secret, where their pod templates stand and
// what a change to one does, what else provides a Secret, and what is never
// renamed. All of it is data, YAML files built into the program; a further
// kind or field is a line there and no line of Go.
//
// # Files
//
// Under data there is one file for each API group, named for it: apps.yaml.
// The group without a name is in core.yaml. A file whose name begins with
// "_." holds for all groups that end so: _.crossplane.io.yaml for
// *.crossplane.io. What several files say of one kind adds up. A file is a
// stream of documents divided by lines of "---", and the first line of each
// names the kinds it is about:
//
//	kinds: [Deployment, ReplicaSet]
//
// ["*"] stands for all kinds of the group. Only documents whose first line
// names the kind asked for are ever parsed, so the catalogue may grow
// without a cost to those who need little of it. any.yaml, in the same form,
// holds for every kind of every group. subtrees.yaml holds lists of
// references that many kinds share, each under a first line
// "subtree: podSpec".
//
// Four files are about something else. never-rename.yaml and read-by-name.yaml
// have a document for each rule about objects whose names must stay, whatever users
// want and unless they want otherwise (see NameRule); a document whose first line is
// "names: [a, b]" is parsed only if an object has one of these names.
// passed-over.yaml lists kinds that are not part of what is applied, and
// look-alikes.yaml fields that look like references and are not.
//
// Kinds and subtrees are sorted, and so are references, by their paths. Those
// with "**" stand last, where they leave to others what is known better.
//
// # Kinds
//
// A document may say of its kinds:
//
//	scope: Cluster        # objects have no namespace
//	immutable: {paths: [spec], reason: …}  # what the API server does not let change
//	podTemplates: []      # see PodTemplate
//	workload: {}          # what is special about its pods; see Workload
//	references: []        # see below
//	exports: []           # values that references of other objects ask for
//	manifests: []         # paths to whole objects, or lists of them, made in the same cluster
//	foreignManifests: []  # the same, made in other clusters or namespaces: never followed
//	standIn:              # the object stands for a Secret, which a controller makes of
//	  content: [{path, keys, wholeIf, omit}]  # these parts of it; see Part
//	  metadata: PATH      # the metadata that the Secret gets; without it, the object's labels and annotations
//	  copiedUnless: PATH  # without this field the Secret gets the object's, too
//	  sealed: true        # it holds the Secret's content, encrypted
//
// A pod template has
//
//	path: PATH            # to a whole template, with metadata and spec; or
//	spec: PATH            # to the pod spec, and
//	annotations: PATH     # to the annotations, either of which may be all there is
//	subtree: NAME         # the references of the spec; podSpec if absent
//	change: CHANGE        # what follows when it changes; see Change
//	runs: true            # each run has pods of its own, which end with it
//	except: [{when, change, reason}]  # cases in which something else does
//	kustomize: true       # as on a reference
//
// It brings the subtree of its spec with it, and podAnnotations.
//
// # References
//
// A reference has a path: the keys that lead to the scalar, divided by
// slashes ("\/" is a slash within a key), through lists without mention. In
// a key "*" stands for any run of characters; "**" stands for any number of
// keys. The path is followed by what is found there, one of
//
//	target: ConfigMap | Secret | both
//	of: {group, kind}     # the name of an object of a kind that stands for Secrets
//	subtree: NAME         # the references of a subtree, from there on
//	embedded: []          # the value is itself YAML or JSON with such references
//
// and more of how to read it:
//
//	format: PATTERN       # or several, tried in order; see Format
//	list: ","             # the value is a list with this separator
//	role: consumer | producer | both  # producer: a controller writes the object
//	namespace: PATH       # the field with the object's namespace
//	namespaceDefault: N   # the namespace where that field is absent
//	elsewhere: true       # the namespace is told by no field: a controller's own
//	kind: {path, values, ignoreCase, default, group, groupDefault}  # see KindField
//	kindFrom: {group, kind, name, export}  # see KindFrom
//	key: PATH             # the field with the one key that is consumed
//	items: PATH           # the field with a volume's items, which tell the keys
//	optional: PATH        # the field that says whether the object may be absent
//	default: PATH         # where the name comes from if the field is absent or empty
//	defaultName: PATTERN  # the name then, with {} for what default leads to: a name that is fixed
//	when: []              # conditions, all of which must hold; see Condition
//	versions: []          # the API versions concerned, all if absent
//	names: true           # one element of a list of names: may become two
//	derived: [SUFFIX]     # the objects of the name and a suffix are read too
//	tentative: true       # a reference only if an object of that name is there
//	consumed: true        # containers get the content; a change calls for new pods
//	via: extra-sources    # see Via; of what is consumed, the path says it
//	follows: true         # follows a rename, and is no reason for one
//	pins: {reason, when}  # why the object named keeps its name, under these conditions
//	mountedBy: [KEYS]     # of a pod spec's volumes: the lists of containers that mount them
//	kustomize: true       # kustomize's own nameReference follows this field
//	note, source: TEXT
//
// Where several references have the same path, the first whose conditions
// hold and whose format fits a value is taken for that value.
//
// Except for the reference's own, paths start from the mapping that holds
// the scalar; "../" goes to the mapping around it, and "/" to the object's
// root. On a reference with a subtree role, elsewhere, when, and versions
// hold for all that the subtree brings in; kustomize must stand on both.
package catalog
