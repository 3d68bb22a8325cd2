package transcript_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/confighash/confighash/test/support/transcript"
)

const page = "# A page\n\n```console\n$ ls\na\nb\n\nc\n$ cd a\n```\n\n```sh\n$ no\n```\nand\n```console\n$ pwd\n/a\n```\nend\n"

func TestRead(t *testing.T) {
	want := []transcript.Transcript{
		{Line: 4, Commands: []transcript.Command{{Text: "ls", Output: "a\nb\n\nc\n"}, {Text: "cd a"}}},
		{Line: 17, Commands: []transcript.Command{{Text: "pwd", Output: "/a\n"}}},
	}
	if diff := cmp.Diff(want, transcript.Read(page), cmpopts.IgnoreUnexported(transcript.Transcript{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrite(t *testing.T) {
	transcripts := transcript.Read(page)
	if diff := cmp.Diff(page, transcript.Write(page, transcripts)); diff != "" {
		t.Errorf("what was read is written otherwise (-page +written):\n%s", diff)
	}
	transcripts[0].Commands[0].Output = "x\n"
	transcripts[1].Commands[0].Output = ""
	want := strings.NewReplacer("a\nb\n\nc\n", "x\n", "$ pwd\n/a\n", "$ pwd\n").Replace(page)
	if diff := cmp.Diff(want, transcript.Write(page, transcripts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
