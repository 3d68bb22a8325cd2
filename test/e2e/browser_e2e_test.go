//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A browser is a Chromium that a test controls with the DevTools protocol, over two pipes.
type browser struct {
	to      *os.File
	from    *bufio.Reader
	session string
	last    int // id of a call
}

// startBrowser starts a browser with an empty page, which ends with the test. It can only reach this machine, and the
// test fails if a console has a message.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("chromium is not installed: %v", err)
	}
	itsInput, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, itsOutput, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The test's own context ends before its cleanup.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--window-size=1400,1000",
		"--remote-debugging-pipe", "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, 10*time.Second
	cmd.ExtraFiles = []*os.File{itsInput, itsOutput}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	itsInput.Close()
	itsOutput.Close()
	b := &browser{to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		defer cancel()
		to.Close() // it ends without its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("chromium: %v", err)
		}
		for line := range strings.Lines(stderr.String()) {
			if strings.Contains(line, ":CONSOLE") {
				t.Error(line)
			}
		}
	})
	var target struct{ TargetID, SessionID string }
	b.call(t, "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	b.call(t, "Page.enable", nil, nil)
	b.call(t, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	return b
}

// A message is a result of a call, or an event.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// call calls a method and decodes its result.
func (b *browser) call(t *testing.T, method string, params map[string]any, result any) {
	t.Helper()
	b.last++
	call := map[string]any{"id": b.last, "method": method, "params": params}
	if b.session != "" {
		call["sessionId"] = b.session
	}
	text, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		t.Fatal(err)
	}
	m := b.next(t, func(m message) bool { return m.ID == b.last })
	if m.Error != nil {
		t.Fatalf("%s: %s", method, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			t.Fatal(err)
		}
	}
}

// next returns the next message that satisfies is.
func (b *browser) next(t *testing.T, is func(message) bool) message {
	t.Helper()
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			t.Fatal(err)
		}
		if is(m) {
			return m
		}
	}
}

// open loads a page and waits until its script has run.
func (b *browser) open(t *testing.T, address string) {
	t.Helper()
	b.call(t, "Page.navigate", map[string]any{"url": address}, nil)
	b.next(t, func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// evaluate decodes the value of an expression in the page, which may be a promise.
func (b *browser) evaluate(t *testing.T, expression string, value any) {
	t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call(t, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if err := json.Unmarshal(got.Result.Value, value); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
}

// keyCodes are the codes of keys that write nothing, or something other than their name.
var keyCodes = map[string]struct {
	code int
	text string
}{
	"Backspace": {8, ""}, "Tab": {9, ""}, "Enter": {13, "\r"}, " ": {32, " "}, "ArrowLeft": {37, ""}, "ArrowRight": {39, ""},
}

// press presses keys one after the other.
func (b *browser) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		event := map[string]any{"type": "keyDown", "key": key, "text": key}
		if known, ok := keyCodes[key]; ok {
			event["windowsVirtualKeyCode"], event["text"] = known.code, known.text
		}
		b.call(t, "Input.dispatchKeyEvent", event, nil)
		event["type"] = "keyUp"
		b.call(t, "Input.dispatchKeyEvent", event, nil)
	}
}
