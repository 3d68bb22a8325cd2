package gc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// A Cluster is read with kubectl, which knows how to reach it. It is never written to.
type Cluster struct {
	// Flags are the kubectl flags that select the cluster.
	Flags []string
	// Skip are resources without references, as RESOURCE.GROUP.
	Skip []string
}

const (
	// pageSize is how many objects one run of kubectl reads; it is kubectl's own default.
	pageSize = 500
	// readers is how many kubectl processes run at a time. They mostly wait for the cluster.
	readers = 4
)

type kind struct{ resource, group, apiVersion, kind string }

// String returns the resource in kubectl's syntax.
func (k kind) String() string { return strings.TrimSuffix(k.resource+"."+k.group, ".") }

// Read reads all objects of a cluster that may refer to others, page by page. It fails if one kind cannot be read.
func (c *Cluster) Read(ctx context.Context, s *Set) error {
	if _, err := exec.LookPath("kubectl"); err != nil {
		return errors.New("kubectl is not on the PATH; install it, or give what it prints in --from")
	}
	targets, others, err := c.kinds(ctx)
	if err != nil {
		return err
	}
	// Read ConfigMaps and Secrets first: one that is created after its list was read cannot appear to be unused.
	for _, kinds := range [][]kind{targets, others} {
		if err := c.readAll(ctx, s, kinds); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) readAll(ctx context.Context, s *Set, kinds []kind) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	running := make(chan struct{}, readers)
	for _, k := range kinds {
		running <- struct{}{}
		group.Go(func() {
			defer func() { <-running }()
			if err := c.readKind(ctx, s, k); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func (c *Cluster) readKind(ctx context.Context, s *Set, k kind) error {
	path := "/api/" + k.apiVersion
	if k.group != "" {
		path = "/apis/" + k.apiVersion
	}
	for next := ""; ; {
		query := url.Values{"limit": {fmt.Sprint(pageSize)}}
		if next != "" {
			query.Set("continue", next)
		}
		data, err := c.run(ctx, "get", "--raw", path+"/"+k.resource+"?"+query.Encode())
		if err != nil {
			remedy := "try again later"
			if strings.Contains(err.Error(), "(Forbidden)") {
				remedy = fmt.Sprintf("grant the verb list on %s to the user of kubectl", k)
			}
			return fmt.Errorf("%s cannot be read: %w; any of them may refer to an object, so %s, or give --skip %s if none does", k, err, remedy, k)
		}
		var page struct {
			Metadata struct{ Continue string }
			Items    *[]json.RawMessage
		}
		if err := json.Unmarshal(data, &page); err != nil || page.Items == nil {
			return fmt.Errorf("%s cannot be read: kubectl get --raw does not print a list; give --skip %s if none of them refers to an object", k, k)
		}
		texts := make([][]byte, len(*page.Items))
		for i, item := range *page.Items {
			texts[i] = item
		}
		in, _ := manifest.FromItems(texts, nil)
		if err := s.read(in, source{apiVersion: k.apiVersion, kind: k.kind}); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
		if next = page.Metadata.Continue; next == "" {
			return nil
		}
	}
}

// kinds returns the kinds to read: ConfigMaps and Secrets, and all others that may refer to them.
func (c *Cluster) kinds(ctx context.Context) (targets, others []kind, err error) {
	out, err := c.run(ctx, "api-resources", "--verbs=list", "--no-headers")
	if err != nil && !irrelevant(err) {
		return nil, nil, fmt.Errorf("the kinds that the cluster serves cannot be listed: %w; each may refer to an object, so all must be known", err)
	}
	skipped := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		// The columns are NAME SHORTNAMES APIVERSION NAMESPACED KIND, and SHORTNAMES may be empty.
		fields := strings.Fields(line)
		if len(fields) < 4 {
			return nil, nil, fmt.Errorf("kubectl api-resources prints %q, which has less than four columns; use kubectl 1.20 or later", graph.Clip(strings.TrimSpace(line)))
		}
		k := kind{resource: fields[0], apiVersion: fields[len(fields)-3], kind: fields[len(fields)-1]}
		k.group = k.apiVersion[:max(strings.IndexByte(k.apiVersion, '/'), 0)]
		switch name := k.String(); {
		case k.group == "" && catalog.TargetOf(k.kind) != 0:
			targets = append(targets, k)
		case slices.Contains(c.Skip, name):
			skipped[name] = true
		case !catalog.Builtin().NeverRefers(k.group, k.kind):
			others = append(others, k)
		}
	}
	for _, name := range c.Skip {
		if !skipped[name] {
			return nil, nil, fmt.Errorf("--skip %s: the cluster serves no such kind that can be skipped; give it as kubectl api-resources -o name prints it", name)
		}
	}
	if len(targets) != 2 {
		return nil, nil, errors.New("kubectl api-resources lists no configmaps or no secrets; is it a Kubernetes cluster?")
	}
	return targets, others, nil
}

// aGroup matches the API groups in client-go's error about groups that do not answer (ErrGroupDiscoveryFailed).
var aGroup = regexp.MustCompile(`([a-z0-9.-]+)/[a-z0-9-]+: `)

// irrelevant reports whether the only groups that do not answer have no kinds with references: a metrics server is
// often down.
func irrelevant(err error) bool {
	_, text, _ := strings.Cut(err.Error(), "unable to retrieve the complete list of server APIs: ")
	missing := aGroup.FindAllStringSubmatch(text, -1)
	refers := func(group []string) bool { return !catalog.Builtin().NeverRefers(group[1], "") }
	return len(missing) > 0 && !slices.ContainsFunc(missing, refers)
}

func (c *Cluster) run(ctx context.Context, args ...string) ([]byte, error) {
	var out, reason bytes.Buffer
	cmd := exec.CommandContext(ctx, "kubectl", slices.Concat(c.Flags, args)...)
	cmd.Stdout, cmd.Stderr = &out, &reason
	err := cmd.Run()
	if text := strings.TrimSpace(reason.String()); err != nil && text != "" {
		return out.Bytes(), errors.New("kubectl: " + strings.ReplaceAll(text, "\n", "; "))
	}
	return out.Bytes(), err
}
