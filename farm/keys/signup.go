package keys

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"gogi/farm"
)

// A SignUp is the request of a person for the right to use a key that the person has made. The secret half of
// the key stays on the person's machine.
type SignUp struct {
	Name   string  `cbor:"name"`
	Owner  string  `cbor:"owner"`
	Rights []Right `cbor:"rights"`
	Public string  `cbor:"public"` // nkey
}

// signUpDomain and logInDomain make a signature invalid for any other kind of message.
const (
	signUpDomain = "gogi sign-up 1\x00"
	logInDomain  = "gogi log in 1\x00"
)

// signed is a SignUp with a signature by its key, as Code encodes it.
type signed struct {
	SignUp    []byte `cbor:"s"`
	Signature []byte `cbor:"g"`
}

// signUpText returns the text that the holder of the key signs. The text contains the public key of the
// coordinator, so that the signature is not valid on another farm.
func signUpText(coordinator string, body []byte) []byte {
	return append([]byte(signUpDomain+coordinator+"\x00"), body...)
}

// Code returns the sign-up as one line of text. The text is valid only on one farm: coordinator is the public key
// of the farm's coordinator. sign signs with the secret half of the key.
func (s SignUp) Code(coordinator string, sign farm.Signer) (string, error) {
	body, err := farm.Encode(s)
	if err != nil {
		return "", err
	}
	out := signed{SignUp: body}
	if out.Signature, err = sign(signUpText(coordinator, body)); err != nil {
		return "", err
	}
	text, err := farm.Encode(out)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// maxCode is the largest length of a sign-up's text.
const maxCode = 2000

// ReadSignUp reads a text that Code has made. coordinator is the public key of this farm's coordinator. ReadSignUp
// returns an error if the sender does not hold the secret half of the key, or if the sign-up is for another farm.
func ReadSignUp(code, coordinator string) (s SignUp, err error) {
	code = strings.Join(strings.Fields(code), "")
	if len(code) > maxCode {
		return s, errors.New("the sign-up is longer than any that gogi writes")
	}
	var out signed
	text, err := base64.RawURLEncoding.DecodeString(code)
	if err == nil {
		err = farm.Decode(text, &out)
	}
	if err == nil {
		err = farm.Decode(out.SignUp, &s)
	}
	if err != nil {
		return s, errors.New("this is not a sign-up: paste the whole line that gogi farm join printed")
	}
	if !Verifies(s.Public, signUpText(coordinator, out.SignUp), out.Signature) {
		return s,
			errors.New("the sign-up is not signed by its key for this farm: run gogi farm join with the address of this farm")
	}
	return s, Key{Name: s.Name, Owner: s.Owner, Rights: s.Rights, Public: s.Public}.check()
}

// LogInText returns the text that a user signs with the key called name to log in on the web pages of a farm.
// The text contains host, the host in the address of the pages, so that another site cannot use the
// signature.
func LogInText(host, challenge, name string) []byte {
	return []byte(logInDomain + strings.ToLower(host) + "\x00" + challenge + "\x00" + name)
}

// Fingerprint returns 16 characters of a public key in four groups, which two people can compare.
func Fingerprint(public string) string {
	if len(public) < 16 {
		return public
	}
	return fmt.Sprintf("%s %s %s %s", public[1:5], public[5:9], public[9:13], public[13:17])
}
