// Package transcript reads and writes the transcripts of a shell that the pages show:
// blocks of the language console, in which lines that begin with "$ " are
// commands, and the lines after one what it prints. Tests run the commands and
// hold the pages to what comes out.
package transcript

import (
	"regexp"
	"strings"
)

// A Transcript is one block.
type Transcript struct {
	Line     int // of the page, that of the first command
	Commands []Command

	start, end int // of what is between the fences
}

// A Command is a command with what it prints.
type Command struct {
	Text   string
	Output string // with the line feed at its end, "" for none
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

// Write returns the page with these transcripts, which Read returned of it, in the
// place of its own.
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

// String returns the transcript as it stands between the fences.
func (s *Transcript) String() string {
	var b strings.Builder
	for _, c := range s.Commands {
		b.WriteString(prompt + c.Text + "\n" + c.Output)
	}
	return b.String()
}

const prompt = "$ "
