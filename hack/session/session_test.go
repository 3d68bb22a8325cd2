package session_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/confighash/confighash/hack/session"
)

const page = "# A page\n\n```console\n$ ls\na\nb\n\nc\n$ cd a\n```\n\n```sh\n$ no\n```\nand\n```console\n$ pwd\n/a\n```\nend\n"

func TestRead(t *testing.T) {
	want := []session.Session{
		{Line: 4, Commands: []session.Command{{Text: "ls", Output: "a\nb\n\nc\n"}, {Text: "cd a"}}},
		{Line: 17, Commands: []session.Command{{Text: "pwd", Output: "/a\n"}}},
	}
	if diff := cmp.Diff(want, session.Read(page), cmpopts.IgnoreUnexported(session.Session{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrite(t *testing.T) {
	sessions := session.Read(page)
	if diff := cmp.Diff(page, session.Write(page, sessions)); diff != "" {
		t.Errorf("what was read is written otherwise (-page +written):\n%s", diff)
	}
	sessions[0].Commands[0].Output = "x\n"
	sessions[1].Commands[0].Output = ""
	want := strings.NewReplacer("a\nb\n\nc\n", "x\n", "$ pwd\n/a\n", "$ pwd\n").Replace(page)
	if diff := cmp.Diff(want, session.Write(page, sessions)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
