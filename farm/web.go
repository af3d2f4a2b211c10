package farm

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// A Connect has the public data that a machine needs to connect to a farm: a credentials file without the
// secret.
type Connect struct {
	URL         string `json:"url"`         // address of the farm's bus
	Coordinator string `json:"coordinator"` // public key (nkey)
	CA          string `json:"ca"`          // PEM
}

// SessionCookie is the name of the cookie that contains the secret of a user's session.
const SessionCookie = "gogi_farm"

// FormToken returns the token that each form on a session's pages contains. It protects users from requests
// that other sites forge: these cannot calculate the token, because only the browser and the server know the
// secret.
func FormToken(secret string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte("gogi form 1"))
	return hex.EncodeToString(h.Sum(nil)[:16])
}
