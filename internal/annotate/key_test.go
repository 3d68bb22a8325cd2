package annotate

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/test/support/property"
)

func TestKeyName(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, tc := range []struct {
		label, name, want string
	}{
		{"a name that fits", "configmap.app", "configmap.app"},
		{"63 characters", "ab." + long, "ab." + long},
		{"64", "abc." + long, "abc." + long[:48] + "-403a34df93"},
		{"what no key may hold", "secret.system:node", "secret.system_node-d48fd8c017"},
		{"what no key may end with", "secret.app-", "secret.app--3f83e3aac4"},
		{"letters of other alphabets", "secret.é", "secret._-43383a2ca0"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if got := keyName(tc.name); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestKeyName_isAKeyAndKeepsNamesDifferent compares keys with an API server's rules.
func TestKeyName_isAKeyAndKeepsNamesDifferent(t *testing.T) {
	names := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"configmap.", "secret.", "sealedsecret."}).Draw(t, "kind") +
			strings.Repeat("x", rapid.SampledFrom([]int{0, 38, 45, 50, 240}).Draw(t, "length")) +
			rapid.StringMatching(`[a-c.:_A-C-]{1,8}`).Draw(t, "rest")
	})
	property.Check(t, func(rt *rapid.T) {
		one, other := names.Draw(rt, "one"), names.Draw(rt, "other")
		key := keyName(one)
		if problems := validation.IsQualifiedName("checksum/" + key); len(problems) > 0 {
			rt.Fatalf("%s: %q", key, problems)
		}
		if (key == keyName(other)) != (one == other) {
			rt.Fatalf("%s and %s: %s", one, other, key)
		}
	})
}

func TestIsOwn(t *testing.T) {
	ours, helms := hash.Checksum(nil, ""), strings.Repeat("0123", 16)
	for _, tc := range []struct {
		label, config, key, value string
		want                      bool
	}{
		{"under the key", "checksum/config", "checksum/config", ours, true},
		{"of an object", "checksum/config", "checksum/configmap.app", ours, true},
		{"Helm's, under the key", "checksum/config", "checksum/config", helms, false},
		{"Helm's, of a file", "checksum/config", "checksum/secret.yaml", helms, false},
		{"of no object", "checksum/config", "checksum/credentials", ours, false},
		{"with another prefix", "checksum/config", "example.com/configmap.app", ours, false},
		{"under a key without a prefix", "config", "config", ours, true},
		{"which is the prefix of nothing", "config", "configmap.app", ours, false},
	} {
		t.Run(tc.label, func(t *testing.T) {
			b := &builder{spec: specOf()}
			b.spec.Annotate.Key = tc.config
			if got := b.isOwn(tc.key, tc.value); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
