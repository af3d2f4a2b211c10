package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// BackDate is the time between the start of a new certificate's validity and its creation. The validity
// starts in the past, so that machines with slow clocks accept the certificate.
const BackDate = 48 * time.Hour

// These are the periods of validity of certificates. A server's certificate is never stored. The server
// generates a new certificate at each start, and after half of the validity, see TLS.
const (
	authorityLife = 10 * 365 * 24 * time.Hour
	serverLife    = 365 * 24 * time.Hour
)

// An Authority is a farm's own certificate authority. A client that trusts only this authority accepts a
// coordinator only if the authority has signed the coordinator's certificate.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	PEM  string // the certificate, for Creds.CA
}

// NewAuthority generates a certificate authority: a key, and a self-signed certificate that is valid from now on.
func NewAuthority(now time.Time) (*Authority, error) {
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "gogi farm"},
		NotBefore: now.Add(-BackDate), NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key, err := makeCert(template, nil)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return &Authority{cert: cert, key: key, PEM: encodePEM("CERTIFICATE", der)}, nil
}

// Server generates a certificate for a coordinator with these host names and addresses, signed by the
// authority.
func (a *Authority) Server(hosts []string, now time.Time) (tls.Certificate, error) {
	if len(hosts) == 0 {
		return tls.Certificate{}, errors.New("keys: a server's certificate needs a name or an address")
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: hosts[0]},
		NotBefore: now.Add(-BackDate), NotAfter: now.Add(serverLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, key, err := makeCert(template, a)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("keys: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// TLS returns the TLS configuration of a server: TLS 1.3 and a certificate for hosts. The configuration
// replaces the certificate before it expires.
func (a *Authority) TLS(hosts []string) (*tls.Config, error) {
	cert, err := a.Server(hosts, time.Now())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Add(serverLife / 2).After(cert.Leaf.NotAfter) {
			fresh, err := a.Server(hosts, now)
			if err != nil {
				return nil, err
			}
			cert = fresh
		}
		served := cert
		return &served, nil
	}}, nil
}

// makeCert generates a key, and makes a certificate for it from a template. The authority signs the certificate; if
// the authority by is nil, the certificate is self-signed. makeCert returns the certificate in DER, and the key.
func makeCert(template *x509.Certificate, by *Authority) ([]byte, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("keys: %w", err)
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("keys: %w", err)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, nil, fmt.Errorf("keys: %w", err)
	}
	return der, key, nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

const (
	authorityCert = "ca.pem"
	authorityKey  = "ca-key.pem"
)

// OpenAuthority reads the certificate authority in a folder. If the folder has none, OpenAuthority generates
// one and stores it there.
func OpenAuthority(dir string, now time.Time) (*Authority, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, authorityCert), filepath.Join(dir, authorityKey))
	if errors.Is(err, fs.ErrNotExist) {
		return makeAuthority(dir, now)
	}
	if err != nil {
		return nil, fmt.Errorf("keys: the authority in %s: %w", dir, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("keys: the authority in %s has a key of another kind than ECDSA", dir)
	}
	return &Authority{cert: pair.Leaf, key: key, PEM: encodePEM("CERTIFICATE", pair.Leaf.Raw)}, nil
}

// makeAuthority generates an authority and stores it in a folder. It writes the certificate last, because a
// folder without a certificate has no authority yet.
func makeAuthority(dir string, now time.Time) (*Authority, error) {
	if _, err := os.Stat(filepath.Join(dir, authorityCert)); err == nil {
		return nil, fmt.Errorf("keys: %s has %s without %s: workers that pinned it would reject a new one", dir,
			authorityCert, authorityKey)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	a, err := NewAuthority(now)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if err := writeFile(filepath.Join(dir, authorityKey), encodePEM("PRIVATE KEY", der), 0o600); err != nil {
		return nil, err
	}
	return a, writeFile(filepath.Join(dir, authorityCert), a.PEM, 0o644)
}

// LocalHosts returns this machine's names and addresses: loopback, the host name, and the addresses of its interfaces.
func LocalHosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return hosts
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() && !slices.Contains(hosts, n.IP.String()) {
			hosts = append(hosts, n.IP.String())
		}
	}
	return hosts
}
