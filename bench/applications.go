package main

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"text/template"
)

//go:embed resources.tmpl
var texts string

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
}).Parse(texts))

func render(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are ours
	}
	return b.String()
}

// An application is one of the many applications in a package: a Deployment with five references, and the Service,
// ConfigMap and Secret it needs. Number and Level determine everything in it.
type application struct {
	Number int
	Level  string
}

func (a application) Name() string     { return fmt.Sprintf("app-%04d", a.Number) }
func (a application) Password() string { return fmt.Sprintf("correct-horse-%d", a.Number) }
func (a application) CacheSize() int   { return 64 + a.Number%512 }
func (a application) HasFile() bool    { return a.Number%3 == 0 }

func (a application) documents() []string {
	return strings.Split(render("application", a), "---\n")
}
