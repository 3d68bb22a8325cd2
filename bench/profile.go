package main

import (
	"bytes"
	"io"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/confighash/confighash/pkg/function"
)

// writeProfile has the function transform 20,000 resources for some seconds, with
// the executable's setting of the garbage collector, and writes a profile of that.
func writeProfile(path, spec string) error {
	var input bytes.Buffer
	applications(&input, 20_000, spec)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	debug.SetGCPercent(400)
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); time.Since(start) < 10*time.Second; {
		if _, err := function.Process(input.Bytes(), io.Discard, function.Options{}); err != nil {
			return err
		}
	}
	return nil
}
