package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Parse parses the chunks of in, on all processors, and calls visit with each chunk and its items. visit must not keep
// nodes, as the tree is dropped afterwards. The chunks, and the results of visit for them, are in the order of the
// input.
//
// If a document turns out not to be splittable, it becomes one chunk, for which visit is called again; the results for
// its parts are discarded.
//
// It fails if a document is not valid YAML, or an item is not a mapping. Errors of visit are returned unchanged. All
// errors are joined, in the order of the input.
func Parse[T any](in *Input, visit func(*Chunk, []Item) (T, error)) ([]*Chunk, []T, error) {
	n := 0
	for _, d := range in.documents {
		n += len(d.parts)
	}
	p := parsing[T]{visit: visit, aliased: aliasedInAll, chunks: make([]*Chunk, 0, n), values: make([]T, 0, n)}
	jobs := make([]job[T], 0, n)
	for i := range in.documents {
		d := &in.documents[i]
		p.aliased += len(d.text)
		for _, part := range d.parts {
			if part.chunk != nil {
				jobs = append(jobs, job[T]{document: d, chunk: part.chunk})
			}
		}
	}
	Parallel(len(jobs), func(i int) { p.run(&jobs[i], false) })
	// The total size of aliases is bounded, so chunks with aliases are processed in order.
	for i := range jobs {
		if j := &jobs[i]; j.chunk.aliased > 0 && j.err == nil {
			p.run(j, true)
		}
	}
	for len(jobs) > 0 {
		n := 1
		for n < len(jobs) && jobs[n].document == jobs[0].document {
			n++
		}
		p.finish(in, jobs[:n])
		jobs = jobs[n:]
	}
	return p.chunks, p.values, errors.Join(p.errs...)
}

type job[T any] struct {
	document *document
	chunk    *Chunk
	value    T
	err      error
	unfit    bool // the chunk does not parse as what it was split as
}

type parsing[T any] struct {
	visit   func(*Chunk, []Item) (T, error)
	aliased int // how many more nodes aliases may add
	chunks  []*Chunk
	values  []T
	errs    []error
}

// run does a job. It leaves chunks with aliases to a second run.
func (p *parsing[T]) run(j *job[T], again bool) {
	parser, _ := parsers.Get().(*yamldoc.Parser)
	defer parsers.Put(parser)
	items, err := j.chunk.items(parser)
	if err != nil {
		j.err, j.unfit = err, true
		return
	}
	switch n := j.chunk.aliased; {
	case n > 0 && !again:
		return
	case n > p.aliased:
		j.err = fmt.Errorf("%s: the aliases of this document and those before it expand to too many nodes; the limit is %d, and one for each byte of the input; write out what they stand for, or use fewer", j.chunk.At(j.chunk.Line), aliasedInAll)
		return
	case n > 0:
		p.aliased -= n
	}
	j.value, j.err = p.visit(j.chunk, items)
}

// finish collects the results of the jobs of one document. If any of its chunks was unfit, it parses the document whole
// first.
func (p *parsing[T]) finish(in *Input, jobs []job[T]) {
	unfit := false
	for _, j := range jobs {
		unfit = unfit || j.unfit && !j.chunk.json && (len(jobs) > 1 || j.chunk.form == formElement)
	}
	if unfit {
		d := jobs[0].document
		parts := d.parts
		d.keepWhole(formDocument, nil)
		if in.IsResourceList {
			if err := in.keepResourceList(d); err != nil {
				d.parts = parts // so that it can be written with the error in its results
				p.errs = append(p.errs, err)
				return
			}
		}
		jobs = []job[T]{{document: d, chunk: d.parts[0].chunk}}
		p.run(&jobs[0], true)
	}
	for _, j := range jobs {
		p.chunks, p.values = append(p.chunks, j.chunk), append(p.values, j.value)
		if j.err != nil {
			p.errs = append(p.errs, j.chunk.orSaid(j.err))
		}
	}
}

// orSaid returns err, or a clearer error if the chunk is a message that a command printed instead of a manifest.
func (c *Chunk) orSaid(err error) error {
	text := bytes.TrimLeft(c.Text, white)
	severity, _, found := bytes.Cut(text, []byte(": "))
	if c.form != formDocument || !found || !slices.Contains([]string{"error", "fatal", "warning"}, string(bytes.ToLower(severity))) {
		return err
	}
	const longest = 200
	line := []rune(string(bytes.TrimRight(text[:lineEnd(text, 0)], white)))
	if len(line) > longest {
		line = append(line[:longest], '…')
	}
	at := c.Line + bytes.Count(c.Text[:len(c.Text)-len(text)], []byte("\n"))
	return fmt.Errorf("%s: this is a message of another command: %q; correct what it names, and keep stderr out of the pipe", c.At(at), string(line))
}

// Visit parses the chunk, again if Parse did before, and calls visit with its items. visit must not keep nodes, as the
// tree is dropped afterwards. It returns the error of parsing or of visit.
func (c *Chunk) Visit(visit func([]Item) error) error {
	parser, _ := parsers.Get().(*yamldoc.Parser)
	defer parsers.Put(parser)
	items, err := c.items(parser)
	if err != nil {
		return err
	}
	return visit(items)
}

// parsers holds unused parsers, to reuse their memory.
var parsers = sync.Pool{New: func() any { return new(yamldoc.Parser) }}

// Parallel calls work with 0 to n-1 on all processors.
func Parallel(n int, work func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				work(int(i) - 1)
			}
		})
	}
	group.Wait()
}
