package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func output(t *testing.T, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out, root, args); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestNotices_coverTheLinkedModules(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE")); err != nil {
		t.Skipf("this Go came without its licence: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(root, "THIRD_PARTY_LICENSES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(output(t, "notices")), string(got)); diff != "" {
		t.Errorf("THIRD_PARTY_LICENSES.txt is not up to date, run make notices (-want +got):\n%s", diff)
	}
}

// buildBinary builds the executable with the Makefile's flags.
func buildBinary(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "confighash")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, "./fn")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

func TestSBOM_listsTheModulesOfTheBinary(t *testing.T) {
	binary := buildBinary(t)
	text := output(t, "sbom", "-version", "v1.2.3", binary)
	if again := output(t, "sbom", "-version", "v1.2.3", binary); !bytes.Equal(text, again) {
		t.Errorf("the second run gave another document:\n%s", cmp.Diff(string(text), string(again)))
	}
	var doc bom
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}

	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"stdlib": strings.TrimPrefix(info.GoVersion, "go")}
	for _, d := range info.Deps {
		want[d.Path] = d.Version
	}
	got := map[string]string{}
	refs := map[string]bool{doc.Metadata.Component.Ref: true}
	for _, c := range doc.Components {
		got[c.Name] = c.Version
		refs[c.Ref] = true
		if want := "pkg:golang/" + c.Name + "@" + c.Version; c.PURL != want {
			t.Errorf("%s: package URL %q, want %q", c.Name, c.PURL, want)
		}
		if len(c.Licenses) != 1 {
			t.Errorf("%s: %d licences, want one or one expression", c.Name, len(c.Licenses))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}

	sum, err := digest(binary)
	if err != nil {
		t.Fatal(err)
	}
	main := doc.Metadata.Component
	if main.Name != info.Main.Path || main.Version != "v1.2.3" || main.Type != "application" {
		t.Errorf("the document is about %s %s %s", main.Type, main.Name, main.Version)
	}
	if diff := cmp.Diff([]hash{{Algorithm: "SHA-256", Content: sum}}, main.Hashes); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}

	for _, d := range doc.Dependencies {
		if !refs[d.Ref] {
			t.Errorf("dependencies of %s, which is not a component, or is there twice", d.Ref)
		}
		delete(refs, d.Ref)
	}
	if len(refs) > 0 {
		t.Errorf("no dependencies are given of %v", refs)
	}
}

func TestSBOM_refusesABinaryOfAnotherTree(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	err = run(&bytes.Buffer{}, root, []string{"sbom", self})
	if err == nil || !strings.Contains(err.Error(), "was not built from this tree") {
		t.Errorf("run: %v, want an error that says that the binary was not built from this tree", err)
	}
}

func TestRun_refusesOtherArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"other"}, {"notices", "more"}, {"sbom"}, {"sbom", "one", "two"}} {
		var out bytes.Buffer
		if err := run(&out, root, args); err == nil || err.Error() != usage || out.Len() > 0 {
			t.Errorf("run(%q): %v and %d bytes, want the usage as an error and nothing", args, err, out.Len())
		}
	}
}

func TestLicences(t *testing.T) {
	const (
		mit    = "Permission is hereby granted, free of charge,\nto any person obtaining a copy of this software"
		bsd2   = "Redistribution and use in source and binary forms, with or without\nmodification"
		bsd3   = bsd2 + "\n * Neither the name of Google Inc."
		apache = "   Apache License\n  Version 2.0, January 2004"
		gpl    = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007"
	)
	tests := []struct {
		name string
		docs []document
		want string
		err  string
	}{
		{name: "one", docs: []document{{"LICENSE", mit}}, want: "MIT"},
		{name: "two in one file", docs: []document{{"LICENSE", mit + apache}}, want: "Apache-2.0 AND MIT"},
		{name: "two files", docs: []document{{"LICENSE", apache}, {"a/third_party/LICENSE.txt", bsd3}}, want: "Apache-2.0 AND BSD-3-Clause"},
		{name: "with two clauses", docs: []document{{"COPYING", bsd2}}, want: "BSD-2-Clause"},
		{name: "a notice is none", docs: []document{{"LICENSE", apache}, {"a/NOTICE", "by many"}, {"PATENTS", "granted"}}, want: "Apache-2.0"},
		{name: "none", docs: []document{{"NOTICE", apache}}, err: "no licence was found"},
		{name: "an unknown licence", docs: []document{{"LICENSE", mit}, {"a/LICENSE", gpl}}, err: "a/LICENSE holds no licence that is known here"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := licences(test.docs)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if got != test.want {
				t.Errorf("licences: %q, want %q", got, test.want)
			}
		})
	}
}

func TestDocuments_includeLinkedAndParentFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE", "license.go", "notlinked/LICENSE", "a/NOTICE.md", "a/b/code.txt", "a/b/COPYING", "a/b/c/LICENCE"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name+"  \r\n\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m := &module{dir: dir, folders: map[string]bool{filepath.Join(dir, "a", "b"): true, dir: true}}
	got, err := m.documents()
	if err != nil {
		t.Fatal(err)
	}
	want := []document{
		{"LICENSE", "text of LICENSE\n"},
		{"a/NOTICE.md", "text of a/NOTICE.md\n"},
		{"a/b/COPYING", "text of a/b/COPYING\n"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(document{})); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}
