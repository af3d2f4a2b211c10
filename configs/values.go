package configs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/match"
	"gogi/usi/affinity"
)

// TimeControl is a time control with a text form in seconds. "8+0.08" is main time and Fischer increment,
// "300/10" and "0/1" are main time and byoyomi, and "300" is only main time.
type TimeControl match.TimeControl

// UnmarshalText reads a time control with ParseTimeControl.
func (t *TimeControl) UnmarshalText(text []byte) error {
	clock, err := ParseTimeControl(string(text))
	*t = TimeControl(clock)
	return err
}

// ParseTimeControl reads the text form that TimeControl describes. The numbers are seconds, with up to nine
// decimals.
func ParseTimeControl(text string) (match.TimeControl, error) {
	var t match.TimeControl
	var err error
	main := text
	if i := strings.IndexAny(text, "+/"); i >= 0 {
		main = text[:i]
		second := &t.Increment
		if text[i] == '/' {
			second = &t.Byoyomi
		}
		*second, err = parseSeconds(text[i+1:])
	}
	if err == nil {
		t.Main, err = parseSeconds(main)
	}
	if err == nil && t.IsZero() {
		err = errors.New("there is no time in it")
	}
	if err != nil {
		return match.TimeControl{}, fmt.Errorf("time control %q: %w (expected seconds, such as 8+0.08, 300/10 or 0/1)", text,
			err)
	}
	return t, nil
}

// parseSeconds reads a decimal without sign or exponent.
func parseSeconds(text string) (time.Duration, error) {
	whole, fraction, point := strings.Cut(text, ".")
	digits := strings.TrimRight(fraction, "0")
	if !decimal(whole) || point && !decimal(fraction) {
		return 0, fmt.Errorf("%q is not a decimal number of seconds", text)
	}
	if len(digits) > 9 {
		return 0, fmt.Errorf("%q is finer than a nanosecond", text)
	}
	s, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s >= math.MaxInt64/int64(time.Second) {
		return 0, fmt.Errorf("%q seconds are more than 292 years", text)
	}
	ns, _ := strconv.ParseInt((digits + "000000000")[:9], 10, 64) // nine digits always fit
	return time.Duration(s)*time.Second + time.Duration(ns), nil
}

func decimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// parseDuration reads a duration such as "1s", "500ms" or "1m30s". It returns an error for a negative
// duration.
func parseDuration(text string) (time.Duration, error) {
	if decimal(text) && text != "0" {
		return 0, fmt.Errorf("%q has no unit: expected %ss or %sms", text, text, text)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf(`%q is no duration: expected one such as "1s" or "500ms"`, text)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative: expected a duration from 0", text)
	}
	return d, nil
}

// Concurrency is the number of slots. Each slot plays one pair at a time, with the games of the pair one
// after the other.
type Concurrency int

// AllCPUs means one slot for each CPU. Its text form is "cpus".
const AllCPUs Concurrency = -1

// UnmarshalText reads a whole number that is at least 1, or "cpus".
func (c *Concurrency) UnmarshalText(text []byte) error {
	if string(text) == "cpus" {
		*c = AllCPUs
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("%q: expected a whole number from 1, or cpus", text)
	}
	*c = Concurrency(n)
	return nil
}

// CPUs is the choice of the CPUs to which gogi binds engines.
type CPUs struct{ affinity.Choice }

// UnmarshalText reads the text form of affinity.ParseChoice.
func (c *CPUs) UnmarshalText(text []byte) (err error) {
	c.Choice, err = affinity.ParseChoice(string(text))
	return err
}

// positive reads a whole number that is at least 1 and fits an int on every machine.
func positive(text string) (n int, ok bool) {
	value, err := strconv.ParseInt(text, 10, 32)
	return int(value), err == nil && value > 0 && decimal(text)
}
