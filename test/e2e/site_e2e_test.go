//go:build e2e

package e2e_test

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// siteUser searches the site.
//
//go:embed testdata/site.js
var siteUser string

// buildSite returns a folder with the site, or skips the test.
func buildSite(t *testing.T) string {
	t.Helper()
	hugo := filepath.Join(harness.Root(), "bin", "tools", "hugo")
	if _, err := os.Stat(hugo); err != nil {
		t.Skip("bin/tools/hugo is not there; make bin/tools/hugo builds it, in some minutes")
	}
	dir := t.TempDir()
	harness.MustRun(t, nil, filepath.Join(harness.Root(), "hack", "playground"), dir)
	harness.MustRun(t, nil, hugo, "build", "--source", filepath.Join(harness.Root(), "site"), "--destination", dir, "--noBuildLock", "--panicOnWarning")
	return dir
}

var (
	siteLink = regexp.MustCompile(`<(\w+) [^>]*?\b(?:href|src)="([^"]*)"`)
	siteID   = regexp.MustCompile(`\bid="([^"]*)"`)
	siteLoad = regexp.MustCompile(`(?:url\(|@import|fetch\(|importScripts\()\s*["'\x60]?(?:https?:)?//`)
)

// repositoryFile begins links to files of the repository.
const repositoryFile = "https://github.com/confighash/confighash/blob/main/"

// TestE2E_theSiteIsWhole follows each link of each page. All links within the site must be relative, since its address
// is unknown, and no page may load anything from elsewhere.
func TestE2E_theSiteIsWhole(t *testing.T) {
	files := harness.Contents(t, buildSite(t))
	ids := map[string][]string{}
	for name, text := range files {
		if path.Ext(name) == ".html" {
			for _, m := range siteID.FindAllStringSubmatch(text, -1) {
				ids[name] = append(ids[name], html.UnescapeString(m[1]))
			}
		}
	}
	links := 0
	for name, text := range files {
		switch path.Ext(name) {
		case ".css", ".js":
			if found := siteLoad.FindString(text); found != "" {
				t.Errorf("%s loads something from elsewhere: %s", name, found)
			}
		case ".html":
			if !strings.Contains(text, `http-equiv="Content-Security-Policy" content="default-src 'none'; `) {
				t.Errorf("%s may load something from elsewhere", name)
			}
			for _, m := range siteLink.FindAllStringSubmatch(text, -1) {
				links++
				if err := followLink(files, ids, name, m[1], html.UnescapeString(m[2])); err != nil {
					t.Errorf("%s: %s: %v", name, m[0], err)
				}
			}
		}
	}
	if links < 2_000 {
		t.Errorf("%d links on the site, want at least 2000", links)
	}
	checkSitePages(t, files)
}

// followLink returns the error of a page's link.
func followLink(files map[string]string, ids map[string][]string, from, element, link string) error {
	to, err := url.Parse(link)
	switch {
	case err != nil:
		return err
	case to.Scheme == "data" && element == "link":
		return nil
	case to.Scheme != "" && element != "a":
		return errors.New("it is loaded from elsewhere")
	case strings.HasPrefix(link, repositoryFile):
		_, err := os.Stat(filepath.Join(harness.Root(), filepath.FromSlash(strings.TrimPrefix(to.Path, "/confighash/confighash/blob/main/"))))
		return err
	case to.Scheme != "":
		return nil
	case strings.HasPrefix(to.Path, "/") || to.Host != "":
		return errors.New("it is not relative")
	}
	target := from
	if to.Path != "" {
		target = path.Join(path.Dir(from), to.Path)
		if _, ok := files[target]; !ok {
			target = path.Join(target, "index.html")
		}
	}
	if _, ok := files[target]; !ok {
		return errors.New("it leads to no file")
	}
	if to.Fragment != "" && !slices.Contains(ids[target], to.Fragment) {
		return errors.New("it leads to no heading")
	}
	return nil
}

// checkSitePages compares the pages, and the search index, with the Markdown in docs.
func checkSitePages(t *testing.T, files map[string]string) {
	t.Helper()
	var index []struct {
		Title, Address, Text string
		Headings             []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(files["search.json"]), &index); err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, p := range index {
		name := path.Join(strings.TrimPrefix(p.Address, "/"), "index.html")
		titles[name] = p.Title
		for _, heading := range p.Headings {
			if !strings.Contains(files[name], ` id="`+html.EscapeString(heading.ID)+`"`) {
				t.Errorf("search.json: %s has no heading %q", name, heading.ID)
			}
		}
		if len(p.Text) < 200 {
			t.Errorf("search.json has %d bytes of %s", len(p.Text), name)
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/internals/*.md"} {
		pages, err := fs.Glob(os.DirFS(harness.Root()), pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages: %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(filepath.Join(harness.Root(), filepath.FromSlash(page)))
			if err != nil {
				t.Fatal(err)
			}
			heading, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
			name := path.Join(strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(page, ".md"), "README")), "index.html")
			if title := strings.ReplaceAll(heading, "`", ""); titles[name] != title {
				t.Errorf("%s: the search has %s with the title %q, want %q", page, name, titles[name], title)
			}
		}
	}
}

// TestE2E_theSiteFindsPages types words into the search of a page.
func TestE2E_theSiteFindsPages(t *testing.T) {
	dir := buildSite(t)
	var seen struct{ Found, Addresses []string }
	startBrowser(t).useSite(t, dir, siteUser, nil, &seen)
	if !slices.ContainsFunc(seen.Addresses[:min(3, len(seen.Addresses))], func(address string) bool {
		return strings.HasPrefix(address, "docs/old-versions/")
	}) {
		t.Errorf("the search found %q at %q", seen.Found, seen.Addresses)
	}
}

// useSite serves the site in dir below a folder, runs a script that uses it, and decodes the script's result into seen.
func (b *browser) useSite(t *testing.T, dir, script string, input, seen any) {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/site/", http.StripPrefix("/site", http.FileServer(http.Dir(dir))))
	mux.HandleFunc("/site/user", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,><body>")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	b.open(t, server.URL+"/site/user")
	b.evaluate(t, fmt.Sprintf("(async input => {\n%s})(%s)", script, text), seen)
}
