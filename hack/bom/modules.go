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

type platform struct {
	os, arch string
}

// A module is linked into the executable.
type module struct {
	Path    string
	Version string
	Sum     string // as in go.sum
	Main    bool   // the executable's own
	dir     string
	folders map[string]bool // of the linked packages
	imports map[string]bool // paths of the modules that these packages import
	on      map[string]bool // the operating systems where it is linked
}

// A listed package is what go list prints about it.
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

// linked returns the modules that fn is linked from on any of the platforms, including the main one, ordered by path.
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

// add records a package with its module. home maps import paths to module paths.
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

// A document is a licence, or a notice that must be distributed with one.
type document struct {
	name string // its path in the module, with slashes
	text string
}

// documents returns the module's licence files from the folders of the linked packages and from those above: code
// copied into a module brings its own licence.
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

// tidy removes white space at line ends, so that otherwise equal texts compare equal.
func tidy(text []byte) string {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

// isDocument reports whether a file name is one of a licence, a notice or a patent grant.
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

// terms identifies licences by a sentence. It has only licences that are compatible with the project's own; a person
// must look at any other.
var terms = []struct {
	id       string // the SPDX identifier
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

// licences returns the identifiers of the licences in the documents, as an SPDX expression.
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
			return "", fmt.Errorf("%s holds no licence that is known here: check that it is compatible with Apache-2.0, then name it in hack/bom/modules.go", d.name)
		}
	}
	if len(ids) == 0 {
		return "", errors.New("no licence was found")
	}
	return strings.Join(slices.Sorted(maps.Keys(ids)), " AND "), nil
}
