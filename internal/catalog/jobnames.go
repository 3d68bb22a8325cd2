package catalog

// JobNames describes where manifests name Jobs.
type JobNames struct {
	// Fields are fields of mappings, at any depth of any kind.
	Fields []JobField `yaml:"fields"`
	// Labels are keys of labels whose values are names of Jobs.
	Labels Segments `yaml:"labels"`
	// Annotations are annotations whose values name Jobs.
	Annotations []JobAnnotation `yaml:"annotations"`
}

// A JobField is a field that holds names of Jobs if every value of another field of the mapping, If, is in Is.
type JobField struct {
	If string   `yaml:"if"`
	Is Segments `yaml:"is"`
	// Group are fields that must hold the group batch if they are present.
	Group []string `yaml:"group"`
	Name  string   `yaml:"name"`
	// Sources is documentation.
	Sources []string `yaml:"sources"`
}

// A JobAnnotation is an annotation with a comma-separated list of Jobs. The name is the last part of each element's
// Format.
type JobAnnotation struct {
	Key    Segment `yaml:"key"`
	Format *Format `yaml:"format"`
	// Source is documentation.
	Source string `yaml:"source"`
}

// JobNames returns where manifests name Jobs. It is shared and must not be changed.
func (c *Catalog) JobNames() *JobNames { return jobNames() }

var jobNames = readOnce[JobNames](jobNamesFile)
