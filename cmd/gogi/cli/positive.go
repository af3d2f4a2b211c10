package cli

import (
	"errors"
	"strconv"
)

// A Positive is the value of a flag that has a default: a whole number from 1, or 0 if the user did not give the flag.
type Positive int

// UnmarshalText reads the value of the flag. It implements [encoding.TextUnmarshaler]. It does not accept 0, because
// gogi would use the default then.
func (p *Positive) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return errors.New(strconv.Quote(string(text)) + ": expected a whole number from 1")
	}
	*p = Positive(n)
	return nil
}
