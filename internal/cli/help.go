package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/lint"
)

//go:embed help/*.txt
var help embed.FS

// describe gives root and the commands below it the help and examples from help/NAME.txt, if that file exists.
func describe(root *cobra.Command) {
	text := func(name string) string {
		data, _ := help.ReadFile("help/" + name + ".txt")
		return strings.TrimSuffix(string(data), "\n")
	}
	var rules []string
	for _, rule := range lint.Rules() {
		rules = append(rules, fmt.Sprintf("  - %s (%s): %s", rule.Name, rule.Severity, rule.Title))
	}
	for _, c := range slices.Concat(root.Commands(), []*cobra.Command{root}) {
		filled := strings.Replace(text(c.Name()), "{git}", text("git"), 1)
		filled = strings.Replace(filled, "{rules}", strings.Join(rules, "\n"), 1)
		c.Long, c.Example, _ = strings.Cut(filled, "\n\nExamples:\n")
	}
}
