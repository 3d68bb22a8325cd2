package gc

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxRelease bounds the unpacked size of a release record: an object of a cluster has at most 1.5 MB, and text rarely
// shrinks to less than a twentieth.
const maxRelease = 64 << 20

// release reads the manifests that helm rollback would apply, if r is the record of a Helm release.
func (s *Set) release(r *graph.Resource, item *yaml.Node) error {
	isSecret := r.Target == catalog.Secret && r.Type == "helm.sh/release.v1"
	if !isSecret && (r.Target != catalog.ConfigMap || r.Labels["owner"] != "helm" || !strings.HasPrefix(r.Name, "sh.helm.release.v1.")) {
		return nil
	}
	err := s.readRelease(yamldoc.Text(yamldoc.Value(item, "data"), "release"), isSecret, source{release: strings.Clone(r.String()), namespace: strings.Clone(r.Namespace)})
	if err != nil {
		return fmt.Errorf("%s: the release of Helm in data.release cannot be read, so what helm rollback needs is unknown: %w; if you need no rollback to it, delete the object", r, err)
	}
	return nil
}

func (s *Set) readRelease(text string, isSecret bool, from source) error {
	data := []byte(text)
	var err error
	for range map[bool]int{false: 1, true: 2}[isSecret] { // Helm's own base64, and a Secret's
		if data, err = base64.StdEncoding.AppendDecode(nil, data); err != nil {
			return errors.New("it is not base64")
		}
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if data, err = io.ReadAll(io.LimitReader(unpacked, maxRelease)); err != nil {
			return err
		}
		if len(data) == maxRelease {
			return fmt.Errorf("it unpacks to more than %d MiB", maxRelease>>20)
		}
	}
	var release struct {
		Namespace, Manifest string
		Hooks               []struct{ Manifest string }
	}
	if json.Unmarshal(data, &release) != nil {
		return errors.New("it is not the JSON of a release")
	}
	if release.Namespace != "" {
		from.namespace = release.Namespace
	}
	manifests := []string{release.Manifest}
	for _, hook := range release.Hooks {
		manifests = append(manifests, hook.Manifest)
	}
	for _, text := range manifests {
		in, err := manifest.Split([]byte(text))
		if err == nil {
			err = s.read(in, from)
		}
		if err != nil {
			return errors.New("its manifest does not parse") // the reason may quote a Secret of the chart
		}
	}
	return nil
}
