package v1alpha1

import "strings"

// A FieldError is an error in one field of a functionConfig.
type FieldError struct {
	// Path leads to the field, as in spec.include[0].name. Keys with characters other than letters, digits, "-" and "_"
	// are in brackets and quotes. An empty Path is the functionConfig as a whole.
	Path    string
	Message string
}

// Error returns the path and the message.
func (e FieldError) Error() string {
	if e.Path == "" {
		return "functionConfig: " + e.Message
	}
	return e.Path + ": " + e.Message
}

// Errors are all errors in a functionConfig, in the document's order; for each mapping, duplicate keys come first, then
// missing fields.
type Errors []FieldError

// Error returns the errors, one per line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors, each a FieldError.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, one := range e {
		errs[i] = one
	}
	return errs
}
