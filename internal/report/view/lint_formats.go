package view

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/internal/report"
)

// rulesPage has a section on each rule.
const rulesPage = "https://github.com/confighash/confighash/blob/main/docs/lint.md"

type jsonObject = map[string]any

// SARIF writes lint's findings as a SARIF 2.1.0 log, with this version of the program. It returns the writer's error.
func SARIF(w io.Writer, r *lint.Report, version string) error {
	rules, results := []jsonObject{}, []jsonObject{}
	for _, rule := range lint.Rules() {
		uri := rulesPage + "#" + rule.Name
		rules = append(rules, jsonObject{
			"id": rule.Name, "helpUri": uri, "shortDescription": jsonObject{"text": rule.Title}, "help": jsonObject{"text": rule.Title + " See " + uri},
			"defaultConfiguration": jsonObject{"level": rule.Severity},
		})
	}
	for i, f := range slices.Concat(r.Findings, r.Accepted) {
		place := url.URL{Path: filepath.ToSlash(f.File)} // relative if the file is
		if strings.HasPrefix(place.Path, "/") {
			place.Scheme = "file"
		}
		region := jsonObject{"startLine": f.Line}
		if f.Column > 0 {
			region["startColumn"] = f.Column
		}
		result := jsonObject{
			"ruleId": f.Rule, "ruleIndex": slices.Index(lint.RuleNames(), f.Rule), "level": f.Severity,
			"message": jsonObject{"text": fmt.Sprintf("%s: %s. To fix it: %s.", f.Resource, f.Message, f.Fix)},
			"locations": []jsonObject{{
				"physicalLocation": jsonObject{"artifactLocation": jsonObject{"uri": place.String()}, "region": region},
				"logicalLocations": []jsonObject{{"fullyQualifiedName": fmt.Sprintf("%s: %s", f.Resource, f.Field), "kind": "member"}},
			}},
		}
		if i >= len(r.Findings) {
			suppression := jsonObject{"kind": "inSource"}
			if f.Reason != "" {
				suppression["justification"] = f.Reason
			}
			result["suppressions"] = []jsonObject{suppression}
		}
		results = append(results, result)
	}
	return report.WriteJSON(w, jsonObject{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "version": "2.1.0",
		"runs": []jsonObject{{
			"tool":       jsonObject{"driver": jsonObject{"name": "confighash", "version": version, "informationUri": rulesPage, "rules": rules}},
			"columnKind": "unicodeCodePoints", "results": results,
		}},
	})
}

// JUnit writes lint's findings as a JUnit XML test run. Each finding is a test case: it fails, unless it is a note, or
// is skipped if it is accepted. Each rule without findings is a test case that passes. It returns the writer's error.
func JUnit(w io.Writer, r *lint.Report) error {
	suite := junitSuite{Name: "confighash lint"}
	found := map[string]bool{}
	for i, f := range slices.Concat(r.Findings, r.Accepted) {
		found[f.Rule] = true
		test := junitCase{Class: f.Rule, Name: fmt.Sprintf("%s: %s", f.Resource, f.Field), File: f.File, Line: f.Line}
		text := fmt.Sprintf("%s:%d: %s: %s\nTo fix it: %s\n%s#%s", f.File, f.Line, f.Severity, f.Message, f.Fix, rulesPage, f.Rule)
		switch {
		case i >= len(r.Findings):
			test.Skipped = &junitReason{Message: strings.TrimSuffix("accepted: "+f.Reason, ": ")}
			suite.Skipped++
		case f.Severity == lint.Note:
			test.Output = text
		default:
			test.Failure = &junitReason{f.Message, f.Severity, text}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, test)
	}
	for _, rule := range lint.RuleNames() {
		if !found[rule] {
			suite.Cases = append(suite.Cases, junitCase{Class: rule, Name: "no findings"})
		}
	}
	suite.Tests = len(suite.Cases)
	out, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	}
	return err
}

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	File    string       `xml:"file,attr,omitempty"`
	Line    int          `xml:"line,attr,omitempty"`
	Failure *junitReason `xml:"failure"`
	Skipped *junitReason `xml:"skipped"`
	Output  string       `xml:"system-out,omitempty"`
}

type junitReason struct {
	Message string        `xml:"message,attr"`
	Type    lint.Severity `xml:"type,attr,omitempty"`
	Text    string        `xml:",chardata"`
}
