package catalog

// JobNames is what is known of where manifests name Jobs.
type JobNames struct {
	// Fields are fields of mappings, at any depth of any kind.
	Fields []JobField `yaml:"fields"`
	// Labels are keys of labels whose values are names.
	Labels Segments `yaml:"labels"`
	// Annotations are annotations of objects with names in their values.
	Annotations []JobAnnotation `yaml:"annotations"`
}

// A JobField is a field that holds names of Jobs if all values of another field of the
// mapping, If, are among Is.
type JobField struct {
	If string   `yaml:"if"`
	Is Segments `yaml:"is"`
	// Group are fields which must be about the group batch if they are present.
	Group []string `yaml:"group"`
	Name  string   `yaml:"name"`
	// Sources are for people.
	Sources []string `yaml:"sources"`
}

// A JobAnnotation is an annotation that names Jobs in a list divided by commas. The name
// comes last in the Format of an element.
type JobAnnotation struct {
	Key     Segment `yaml:"key"`
	Pattern string  `yaml:"format"`
	// Source is for people.
	Source string `yaml:"source"`
}

// Format returns that of each element.
func (a *JobAnnotation) Format() *Format { return parseFormat(a.Pattern) }

// JobNames returns where manifests name Jobs. It is shared and must not be changed.
func (c *Catalog) JobNames() *JobNames { return jobNames() }

var jobNames = readOnce[JobNames](jobNamesFile)
