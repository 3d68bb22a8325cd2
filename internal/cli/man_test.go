package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/test/support/golden"
)

// manDate is the date of the last change of the man page.
const manDate = "2026-11-22"

// manTail has what the commands' own help lacks.
const manTail = `.SH ENVIRONMENT
.TP
.B CONFIGHASH_SALT
The salt of both hashes if the functionConfig has none.
.TP
.B HELM_NAMESPACE
The namespace of manifests that name none, in a stream; Helm sets it for post-renderers.
.B \-\-namespace
and the functionConfig take precedence.
.TP
.B NO_COLOR
If set and not empty, the summary and the reports on a terminal have no colours; nor have they if
.B TERM
is empty or
.BR dumb .
.TP
.B GOGC, GOMAXPROCS, GOMEMLIMIT
As for every program written in Go.
.SH EXIT STATUS
.TP
.B 0
Success. With
.BR \-\-check :
nothing would change.
.TP
.B 1
The input or the functionConfig is wrong, or the output cannot be written.
A ResourceList is then written with only its results changed, and a stream is not written.
.TP
.B 2
The command line is wrong.
.TP
.B 3
.B \-\-check
found a difference. With
.BR "impact \-\-exit\-code" :
something rolls.
.TP
.B 4
With
.BR "impact \-\-exit\-code" :
something stays as it is that should change, or an apply is refused.
.SH SEE ALSO
.BR kubectl (1),
.BR kustomize (1),
.BR kpt (1),
.BR helm (1)
.PP
Documentation:
.UR https://github.com/confighash/confighash
README
.UE
`

func TestManPage_isUpToDate(t *testing.T) {
	root := NewRoot(os.Stdin, os.Stdout, os.Stderr)
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	var page bytes.Buffer
	writeMan(&page, root)
	path := filepath.Join("..", "..", "man", "confighash.1")
	golden.Compare(t, path, page.Bytes())
	if mandoc, err := exec.LookPath("mandoc"); err == nil {
		if out, err := exec.Command(mandoc, "-T", "lint", "-W", "warning", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("mandoc -T lint: %v\n%s", err, out)
		}
	}
}

func writeMan(out *bytes.Buffer, root *cobra.Command) {
	fmt.Fprintf(out, ".TH CONFIGHASH 1 %s confighash\n.SH NAME\nconfighash \\- %s\n", manDate, roff(lowerFirst(root.Short)))
	out.WriteString(".SH SYNOPSIS\n")
	manSynopsis(out, root)
	for _, c := range manCommands(root) {
		out.WriteString(".br\n")
		manSynopsis(out, c)
	}
	out.WriteString(".SH DESCRIPTION\n")
	paragraphs(out, root.Long)
	out.WriteString(".SH OPTIONS\n")
	manOptions(out, root)
	out.WriteString(".SH COMMANDS\n")
	for _, c := range manCommands(root) {
		fmt.Fprintf(out, ".SS %s\n", roff(use(c)))
		if c.Long == "" {
			fmt.Fprintf(out, "%s.\n", roff(c.Short))
		}
		paragraphs(out, c.Long)
		if c.HasAvailableLocalFlags() {
			manOptions(out, c)
		}
		manExamples(out, c, ".PP\nExamples:\n.PP\n")
	}
	manExamples(out, root, ".SH EXAMPLES\n")
	out.WriteString(manTail)
}

// manCommands returns the commands of this program, and cobra's commands for help and completion.
func manCommands(root *cobra.Command) []*cobra.Command {
	return append(root.Commands(), &cobra.Command{
		Use:   "completion bash|fish|powershell|zsh",
		Short: "Print the completion of a shell",
		Long:  "Print a script that completes commands, flags and their values in a shell; completion SHELL --help says how to load it.",
	}, &cobra.Command{Use: "help [COMMAND]", Short: "Print the help of a command"})
}

func use(c *cobra.Command) string {
	return strings.NewReplacer("…", "...", "confighash ", "").Replace(c.Use)
}

func manSynopsis(out *bytes.Buffer, c *cobra.Command) {
	text := use(c)
	if c.HasAvailableLocalFlags() && !strings.Contains(text, "[flags]") {
		text += " [flags]"
	}
	fmt.Fprintf(out, ".B confighash\n%s\n", roff(text))
}

// paragraphs writes a help text, whose list items begin with " - ".
func paragraphs(out *bytes.Buffer, text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if text == "" {
			return
		}
		if i > 0 && !strings.HasPrefix(paragraph, "  - ") {
			out.WriteString(".PP\n")
		}
		for line := range strings.Lines(paragraph) {
			line = strings.TrimRight(line, "\n")
			if item, ok := strings.CutPrefix(line, "  - "); ok {
				fmt.Fprintf(out, ".IP \\(bu 2\n%s\n", roff(item))
			} else {
				fmt.Fprintf(out, "%s\n", roff(strings.TrimLeft(line, " ")))
			}
		}
	}
}

var flagUsage = regexp.MustCompile(`^ +(?:-(\w), )?--([\w-]+)(?: (\w+))? {2,}(.*)$`)

func manOptions(out *bytes.Buffer, c *cobra.Command) {
	for line := range strings.Lines(c.LocalFlags().FlagUsagesWrapped(0)) {
		m := flagUsage.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if len(m) == 0 || c.HasParent() && m[2] == "help" {
			continue
		}
		out.WriteString(".TP\n.B ")
		if m[1] != "" {
			fmt.Fprintf(out, "\\-%s, ", m[1])
		}
		out.WriteString(roff("--" + m[2]))
		if m[3] != "" {
			fmt.Fprintf(out, " \\fI%s\\fR", m[3])
		}
		fmt.Fprintf(out, "\n%s.\n", roff(m[4]))
	}
}

func manExamples(out *bytes.Buffer, c *cobra.Command, heading string) {
	if c.Example == "" {
		return
	}
	out.WriteString(heading + ".nf\n.RS 2\n")
	for line := range strings.Lines(c.Example) {
		out.WriteString(roff(strings.TrimSpace(line)) + "\n")
	}
	out.WriteString(".RE\n.fi\n")
}

// roff escapes text for a man page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
