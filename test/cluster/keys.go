package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// writeKeys writes the API server's certificate and key, and the key that signs service account tokens. It creates the
// client, which trusts only that certificate.
func (c *ControlPlane) writeKeys() error {
	key, err := c.writeKey("apiserver.key")
	if err != nil {
		return err
	}
	if _, err := c.writeKey("serviceaccount.key"); err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "confighash test cluster"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(7 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	if err := c.writePEM("apiserver.crt", "CERTIFICATE", der); err != nil {
		return err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	c.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13},
		ForceAttemptHTTP2: true,
	}}
	return nil
}

// writeTokens writes the tokens for the API, and returns those of the users, by the path of their kubeconfig.
func (c *ControlPlane) writeTokens(users []string) (map[string]string, error) {
	tokens := map[string]string{c.Kubeconfig(): c.token}
	csv := []byte(c.token + ",tester,tester,system:masters\n")
	for _, user := range users {
		token := rand.Text()
		tokens[c.KubeconfigOf(user)] = token
		csv = fmt.Appendf(csv, "%[1]s,%[2]s,%[2]s,system:masters\n", token, user)
	}
	return tokens, c.write("tokens.csv", csv)
}

// writeKubeconfigs writes a kubeconfig for each token, by path.
func (c *ControlPlane) writeKubeconfigs(tokens map[string]string) error {
	for path, token := range tokens {
		if err := c.write(filepath.Base(path), c.kubeconfig(token)); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) kubeconfig(token string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: %s
    certificate-authority: %s
users:
- name: tester
  user:
    token: %s
contexts:
- name: test
  context:
    cluster: test
    user: tester
current-context: test
`, c.url, filepath.Join(c.dir, "apiserver.crt"), token)
}

func (c *ControlPlane) writeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, c.writePEM(name, "EC PRIVATE KEY", der)
}

func (c *ControlPlane) writePEM(name, kind string, der []byte) error {
	return c.write(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// write writes a file that only the current user may read.
func (c *ControlPlane) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(c.dir, name), content, 0o600)
}
