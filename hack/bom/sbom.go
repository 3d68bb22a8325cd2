package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The parts of a CycloneDX document that are used here: https://cyclonedx.org/docs/1.6/json/
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licenses   []license  `json:"licenses"`
		CPE        string     `json:"cpe,omitempty"`
		PURL       string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	// A license has either an expression or an identifier.
	license struct {
		Expression string     `json:"expression,omitempty"`
		License    *licenseID `json:"license,omitempty"`
	}
	licenseID struct {
		ID string `json:"id"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// writeSBOM writes the bill of materials of a binary that was built from the module in root. It has no timestamp or
// serial number, so that it is reproducible.
func writeSBOM(out io.Writer, root, binary, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	on := platform{os: settings["GOOS"], arch: settings["GOARCH"]}
	modules, err := linked(root, on)
	if err != nil {
		return err
	}
	if err := sameModules(binary, info, modules); err != nil {
		return err
	}
	sum, err := digest(binary)
	if err != nil {
		return err
	}

	standard := stdlib(info.GoVersion)
	doc := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	refs := map[string]string{}
	for _, m := range modules {
		if m.Main {
			m.Version = version
		}
		refs[m.Path] = purl(m.Path, m.Version)
	}
	for _, m := range modules {
		c, err := m.component(refs[m.Path])
		if err != nil {
			return err
		}
		if m.Main {
			c.Type, c.Hashes = "application", []hash{{Algorithm: "SHA-256", Content: sum}}
			doc.Metadata = metadata{Component: c, Properties: []property{
				{Name: "confighash:goos", Value: on.os},
				{Name: "confighash:goarch", Value: on.arch},
				{Name: "confighash:file", Value: filepath.Base(binary)},
			}}
		} else {
			doc.Components = append(doc.Components, c)
		}
		d := dependency{Ref: c.Ref}
		for _, path := range slices.Sorted(maps.Keys(m.imports)) {
			d.DependsOn = append(d.DependsOn, refs[path])
		}
		d.DependsOn = append(d.DependsOn, standard.Ref)
		doc.Dependencies = append(doc.Dependencies, d)
	}
	doc.Components = append(doc.Components, standard)
	doc.Dependencies = append(doc.Dependencies, dependency{Ref: standard.Ref})

	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(doc)
}

// sameModules checks that the binary was linked from the modules that the tree would link now.
func sameModules(binary string, info *buildinfo.BuildInfo, modules []*module) error {
	want := map[string]bool{info.Main.Path: true}
	for _, d := range info.Deps {
		want[d.Path+" "+d.Version+" "+d.Sum] = true
	}
	got := map[string]bool{}
	for _, m := range modules {
		if m.Main {
			got[m.Path] = true
		} else {
			got[m.Path+" "+m.Version+" "+m.Sum] = true
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("%s was not built from this tree: it is linked from %d modules that are not those of ./fn; build it again", binary, len(want))
	}
	return nil
}

func (m *module) component(ref string) (component, error) {
	docs, err := m.documents()
	if err != nil {
		return component{}, err
	}
	if m.Main {
		// The image's builder does not have the project's own LICENSE.
		docs = []document{{name: "LICENSE", text: "Apache License, Version 2.0"}}
	}
	ids, err := licences(docs)
	if err != nil {
		return component{}, fmt.Errorf("%s: %w", m.Path, err)
	}
	c := component{Type: "library", Ref: ref, Name: m.Path, Version: m.Version, Licenses: named(ids), PURL: ref}
	if m.Sum != "" {
		c.Properties = []property{{Name: "confighash:go.sum", Value: m.Sum}}
	}
	return c, nil
}

// named wraps one licence, or an expression of several, as CycloneDX requires.
func named(ids string) []license {
	if strings.Contains(ids, " ") {
		return []license{{Expression: ids}}
	}
	return []license{{License: &licenseID{ID: ids}}}
}

// stdlib returns Go's own part, under the name that vulnerability scanners look for.
func stdlib(goVersion string) component {
	version, _, _ := strings.Cut(strings.TrimPrefix(goVersion, "go"), " ")
	ref := purl("stdlib", version)
	return component{
		Type: "library", Ref: ref, Name: "stdlib", Version: version, PURL: ref,
		Licenses: named("BSD-3-Clause"),
		CPE:      "cpe:2.3:a:golang:go:" + version + ":*:*:*:*:*:*:*",
	}
}

func purl(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
