package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A platform is what Go builds for.
type platform struct {
	os, arch string
}

// A module is one that the executable is linked from.
type module struct {
	Path    string
	Version string
	Sum     string // as in go.sum
	Main    bool   // it is the executable's own
	dir     string
	folders map[string]bool // of the packages that are linked
	imports map[string]bool // paths of the modules that these import
	on      map[string]bool // the operating systems where it is linked
}

// A listed package is what go list says of one.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string
	Module     *struct {
		Path, Version, Sum, Dir string
		Main                    bool
		Replace                 *struct{ Path string }
	}
}

// linked returns the modules that fn is linked from on any of the platforms,
// the main one included, ordered by their paths.
func linked(root string, platforms ...platform) ([]*module, error) {
	all := map[string]*module{}
	for _, p := range platforms {
		packages, err := list(root, p)
		if err != nil {
			return nil, err
		}
		home := map[string]string{}
		for i := range packages {
			if m := packages[i].Module; m != nil {
				home[packages[i].ImportPath] = m.Path
			}
		}
		for i := range packages {
			if err := add(all, &packages[i], p, home); err != nil {
				return nil, err
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *module) int { return cmp.Compare(a.Path, b.Path) }), nil
}

// add notes a package with its module. home reports an import path where it
// belongs.
func add(all map[string]*module, p *listed, on platform, home map[string]string) error {
	if p.Standard || p.Module == nil {
		return nil
	}
	if p.Module.Replace != nil {
		return fmt.Errorf("go.mod replaces %s by %s: what is linked would not be what its name and version say", p.Module.Path, p.Module.Replace.Path)
	}
	m := all[p.Module.Path]
	if m == nil {
		m = &module{
			Path: p.Module.Path, Version: p.Module.Version, Sum: p.Module.Sum, Main: p.Module.Main, dir: p.Module.Dir,
			folders: map[string]bool{}, imports: map[string]bool{}, on: map[string]bool{},
		}
		all[m.Path] = m
	}
	m.on[on.os] = true
	m.folders[p.Dir] = true
	for _, i := range p.Imports {
		if of := home[i]; of != "" && of != m.Path {
			m.imports[of] = true
		}
	}
	return nil
}

// list asks Go for the packages that fn is linked from.
func list(root string, p platform) ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Imports,Module", "./fn")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// A document is a licence, or a notice that is to be handed on with one.
type document struct {
	name string // its path in the module, with slashes
	text string
}

// documents returns what the module says of its licence, beside the packages
// that are linked and in the folders above them: what was copied into a
// module brings its own.
func (m *module) documents() ([]document, error) {
	seen := map[string]bool{}
	var found []document
	for folder := range m.folders {
		for ; strings.HasPrefix(folder, m.dir) && !seen[folder]; folder = filepath.Dir(folder) {
			seen[folder] = true
			here, err := documentsIn(m.dir, folder)
			if err != nil {
				return nil, err
			}
			found = append(found, here...)
		}
	}
	slices.SortFunc(found, func(a, b document) int { return cmp.Compare(a.name, b.name) })
	return found, nil
}

func documentsIn(root, folder string) ([]document, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []document
	for _, e := range entries {
		if e.IsDir() || !isDocument(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, document{name: filepath.ToSlash(name), text: tidy(text)})
	}
	return found, nil
}

// tidy makes equal texts of those that differ in nothing but white space at
// the ends of their lines.
func tidy(text []byte) string {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

// isDocument reports whether a file of that name holds a licence, a notice or a
// grant of patents.
func isDocument(name string) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, ".go") {
		return false
	}
	for _, start := range []string{"license", "licence", "copying", "notice", "patents"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// terms lists sentences by which the licences are known, those alone that go
// together with the project's own: another one is to be looked at by someone.
var terms = []struct {
	id       string // of SPDX
	sentence string
	without  string
}{
	{"Apache-2.0", "Apache License, Version 2.0", ""},
	{"Apache-2.0", "Apache License Version 2.0, January 2004", ""},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms", "Neither the name of"},
	{"BSD-3-Clause", "Neither the name of", ""},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose", ""},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy", ""},
}

// licences returns the identifiers of the licences that the documents hold,
// joined as SPDX does.
func licences(docs []document) (string, error) {
	ids := map[string]bool{}
	for _, d := range docs {
		name := strings.ToLower(d.name[strings.LastIndex(d.name, "/")+1:])
		if strings.HasPrefix(name, "notice") || strings.HasPrefix(name, "patents") {
			continue
		}
		text := strings.Join(strings.Fields(d.text), " ")
		known := false
		for _, t := range terms {
			if strings.Contains(text, t.sentence) && (t.without == "" || !strings.Contains(text, t.without)) {
				ids[t.id] = true
				known = true
			}
		}
		if !known {
			return "", fmt.Errorf("%s holds no licence that is known here: see whether it goes together with Apache-2.0, then name it in hack/bom/modules.go", d.name)
		}
	}
	if len(ids) == 0 {
		return "", errors.New("no licence was found")
	}
	return strings.Join(slices.Sorted(maps.Keys(ids)), " AND "), nil
}
