// Package transcript reads and writes the shell transcripts in the pages: blocks of the language console, in which
// lines that begin with "$ " are commands, followed by their output. Tests run the commands and compare the output.
package transcript

import (
	"regexp"
	"strings"
)

// A Transcript is one block.
type Transcript struct {
	Line     int // of the first command, in the page
	Commands []Command

	start, end int // of the text between the fences
}

// A Command is a command with its output.
type Command struct {
	Text   string
	Output string // including the final line feed, "" for none
}

var block = regexp.MustCompile("(?s)\n```console\n(.*?\n)```\n")

// Read returns the transcripts of a page.
func Read(page string) []Transcript {
	var all []Transcript
	for _, m := range block.FindAllStringSubmatchIndex(page, -1) {
		s := Transcript{Line: strings.Count(page[:m[2]], "\n") + 1, start: m[2], end: m[3]}
		for line := range strings.Lines(page[m[2]:m[3]]) {
			if text, ok := strings.CutPrefix(line, prompt); ok {
				s.Commands = append(s.Commands, Command{Text: strings.TrimSuffix(text, "\n")})
			} else if last := len(s.Commands) - 1; last >= 0 {
				s.Commands[last].Output += line
			}
		}
		all = append(all, s)
	}
	return all
}

// Write returns the page with its transcripts, as returned by Read, replaced.
func Write(page string, transcripts []Transcript) string {
	var b strings.Builder
	end := 0
	for i := range transcripts {
		s := &transcripts[i]
		b.WriteString(page[end:s.start] + s.String())
		end = s.end
	}
	return b.String() + page[end:]
}

// String returns the text between the fences.
func (s *Transcript) String() string {
	var b strings.Builder
	for _, c := range s.Commands {
		b.WriteString(prompt + c.Text + "\n" + c.Output)
	}
	return b.String()
}

const prompt = "$ "
