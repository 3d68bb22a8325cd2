// Package hash computes hashes of the content of ConfigMaps, of Secrets, and of objects from which controllers make
// Secrets: [Suffix] for names, [Checksum] for annotations.
//
// # Suffixes
//
// The suffix is the one that kustomize's generators append. kustomize's own hasher (sigs.k8s.io/kustomize/api/hasher
// v0.21.2) computes it from kind, data, binaryData, stringData and a Secret's type. Only tests use the hasher, for
// comparison: it writes the object as YAML and reads it again, in time quadratic in the number of keys (minutes for
// 100,000). Name, namespace, labels, annotations and immutable do not count; nor do the order of keys, the YAML style,
// and comments. Every scalar counts as its text: 1e3, yes, 0x1F and ~ are never a number, a boolean or null, since an
// API server expects strings.
//
// With a salt, the suffix is that of a ConfigMap whose only value is the HMAC-SHA256 of the content, keyed with the
// salt. So a guess of the content cannot be verified without the salt. The content is encoded as a sequence of strings,
// each preceded by its length in bytes in decimal and a colon: the kind, the type if there is one, and for each field
// that is present, in the order given above, its name, the number of its entries, and its keys and values, sorted by
// key.
//
// # Checksums
//
// A checksum covers what containers get: kind, name, keys and bytes. Labels, annotations, a Secret's type, immutable,
// the order of keys, the YAML style and comments do not count, nor does it matter whether the bytes are in data,
// stringData or binaryData. A checksum is 64 lower-case hexadecimal digits. The first 56 are those of a SHA-256 or,
// with a salt, of an HMAC-SHA256 keyed with the salt. The last 8 mark it, so that confighash can distinguish its own
// annotations from those of charts: they are the first 8 of the SHA-256 of "confighash.dev/mark/v1" and the 56 before.
// The input is a sequence of strings, each preceded by its length in bytes in decimal and a colon. For one object it is
//
//	confighash.dev/source/v1
//	the object's kind
//	its name; NAMESPACE/NAME if its namespace is not the consumer's
//	for each key consumed that it has, sorted by key:
//	    the key
//	    the SHA-256 of the bytes under it, in lower-case hexadecimal
//
// and for a workload
//
//	confighash.dev/workload/v1
//	the checksums of its objects, sorted
//
// So for a workload that consumes only the key "x" with the value "1" of the ConfigMap "app", the checksum of the
// ConfigMap is that of
//
//	24:confighash.dev/source/v19:ConfigMap3:app1:x64:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b
//
// The kind of an object that SOPS encrypted gets the prefix "sops/", and its values count as their text. Objects from
// which controllers make Secrets count by the parts that the catalogue names: the elements of a mapping by their keys,
// which stand for the Secret's, and other parts in the encoding of [Tree], under their path, with slashes between its
// keys.
//
// testdata/checksums.yaml has test vectors for other programs.
package hash
