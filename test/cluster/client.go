package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Result is the result of a run of kubectl.
type Result struct {
	Stdout, Stderr string
	Code           int // the exit code
}

// Kubectl runs kubectl against the control plane. The error means that it could not be run; kubectl's own failures are
// in the Result.
//
// It sees only the PATH of the caller's environment, and no file of the home directory. ApplySets are enabled.
func (c *ControlPlane) Kubectl(ctx context.Context, stdin string, args ...string) (Result, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(c.binaries, "kubectl"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + c.dir,
		"KUBECONFIG=" + c.Kubeconfig(),
		"KUBECTL_APPLYSET=true",
	}
	err := cmd.Run()
	result := Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return result, nil
	}
	if err != nil {
		return result, fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
	}
	return result, nil
}

// StatusError is the API server's answer to a rejected request.
type StatusError struct {
	Code    int    // HTTP status
	Reason  string // such as NotFound
	Message string
}

// Error returns the API server's message.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the API server answered %d %s: %s", e.Code, e.Reason, e.Message)
}

// IsNotFound reports whether the API server said that the object does not exist.
func IsNotFound(err error) bool {
	status := (*StatusError)(nil)
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

// MergePatch and ApplyPatch are content types for Patch: JSON merge patch, and
// server-side apply.
const (
	MergePatch = "application/merge-patch+json"
	ApplyPatch = "application/apply-patch+yaml"
)

// Get reads the path of an object or a list, such as "/apis/apps/v1/namespaces/shop/deployments/web", into the value
// that into points to, unless that is nil.
func (c *ControlPlane) Get(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodGet, path, "", nil, into)
}

// Create posts an object, which can be anything that encodes to its JSON, to the path of a collection. The stored
// object is decoded into into, unless that is nil.
func (c *ControlPlane) Create(ctx context.Context, path string, object, into any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, "application/json", body, into)
}

// Patch patches the object at path; contentType is the type of patch. The stored object is decoded into into, unless
// that is nil.
func (c *ControlPlane) Patch(ctx context.Context, path, contentType string, patch []byte, into any) error {
	return c.do(ctx, http.MethodPatch, path, contentType, patch, into)
}

// Delete deletes the object at path, and its dependents in the background.
func (c *ControlPlane) Delete(ctx context.Context, path string) error {
	return c.do(ctx, http.MethodDelete, path, "application/json", []byte(`{"propagationPolicy":"Background"}`), nil)
}

// CreateNamespace creates a namespace. Deleting "/api/v1/namespaces/NAME" also deletes its content, some time after
// Delete returns.
func (c *ControlPlane) CreateNamespace(ctx context.Context, name string) error {
	return c.Create(ctx, "/api/v1/namespaces", map[string]any{
		"apiVersion": "v1",
		"kind":       "Namespace",
		"metadata":   map[string]any{"name": name},
	}, nil)
}

// WatchEvent is a change of one object: ADDED, MODIFIED or DELETED.
type WatchEvent struct {
	Type   string
	Object json.RawMessage
}

// Watch calls f with each object of the collection at path, then with each change, until ctx ends, which is not an
// error.
func (c *ControlPlane) Watch(ctx context.Context, path string, f func(WatchEvent) error) error {
	for version := "0"; ; {
		err := c.watchFrom(ctx, path, &version, f)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			// The API server closes the watch of a client that reads slowly. The next watch continues where this one
			// ended.
		default:
			return fmt.Errorf("watch %s: %w", path, err)
		}
	}
}

// watchFrom reports the changes after a resource version, and updates it, until the API server ends the response.
func (c *ControlPlane) watchFrom(ctx context.Context, path string, version *string, f func(WatchEvent) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path+"?watch=true&resourceVersion="+*version, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	for decoder := json.NewDecoder(response.Body); ; {
		var event WatchEvent
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("%s", event.Object)
		}
		var object struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal(event.Object, &object); err != nil {
			return err
		}
		*version = object.Metadata.ResourceVersion
		if err := f(event); err != nil {
			return err
		}
	}
}

// do sends one request. If a component has ended, its log says more than the failed connection.
func (c *ControlPlane) do(ctx context.Context, method, path, contentType string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return errors.Join(err, c.ended())
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, errors.Join(err, c.ended()))
	}
	if response.StatusCode >= 300 {
		status := &StatusError{Code: response.StatusCode}
		if json.Unmarshal(content, status) != nil {
			// Not everything answers with a Status: /readyz answers in plain text.
			status.Message = strings.TrimSpace(string(content))
		}
		status.Code = response.StatusCode
		return fmt.Errorf("%s %s: %w", method, path, status)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
