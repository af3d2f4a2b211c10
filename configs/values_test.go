package configs_test

import (
	"strings"
	"testing"
	"time"

	"gogi/configs"
	"gogi/internal/testutil"
	"gogi/match"
)

func TestParseTimeControl(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for text, want := range map[string]match.TimeControl{
		"8+0.08":             {Main: 8 * s, Increment: 80 * ms},
		"40+0.4":             {Main: 40 * s, Increment: 400 * ms},
		"300/10":             {Main: 300 * s, Byoyomi: 10 * s},
		"0/1":                {Byoyomi: s},
		"0+1":                {Increment: s},
		"300":                {Main: 300 * s},
		"0.000000001+0":      {Main: 1},
		"0.3+0.1":            {Main: 300 * ms, Increment: 100 * ms},
		"1.5000000000000/00": {Main: 1500 * ms},
	} {
		got, err := configs.ParseTimeControl(text)
		testutil.Check(t, err == nil && got == want, "%s: %v, %v, want %v", text, got, err, want)
	}
}

func TestParseTimeControlErrors(t *testing.T) {
	const expected = " (expected seconds, such as 8+0.08, 300/10 or 0/1)"
	for text, want := range map[string]string{
		"":                     `time control "": "" is not a decimal number of seconds`,
		"-1+1":                 `time control "-1+1": "-1" is not a decimal number of seconds`,
		"8+":                   `time control "8+": "" is not a decimal number of seconds`,
		"8+-1":                 `time control "8+-1": "-1" is not a decimal number of seconds`,
		"NaN":                  `time control "NaN": "NaN" is not a decimal number of seconds`,
		"1e9":                  `time control "1e9": "1e9" is not a decimal number of seconds`,
		"8.+1":                 `time control "8.+1": "8." is not a decimal number of seconds`,
		".5":                   `time control ".5": ".5" is not a decimal number of seconds`,
		"1+2+3":                `time control "1+2+3": "2+3" is not a decimal number of seconds`,
		"8s+1":                 `time control "8s+1": "8s" is not a decimal number of seconds`,
		"0+0":                  `time control "0+0": there is no time in it`,
		"0.0000000001":         `time control "0.0000000001": "0.0000000001" is finer than a nanosecond`,
		"9223372036":           `time control "9223372036": "9223372036" seconds are more than 292 years`,
		"99999999999999999999": `time control "99999999999999999999": "99999999999999999999" seconds are more than 292 years`,
	} {
		_, err := configs.ParseTimeControl(text)
		testutil.Check(t, err != nil && err.Error() == want+expected, "%q: %v\nwant %s", text, err, want+expected)
	}
}

func TestResignAndDraw(t *testing.T) {
	var r configs.Resign
	for text, want := range map[string]configs.Resign{
		"2000x3":   {Score: 2000, Moves: 3},
		"1:2000x3": {Score: 2000, Moves: 3, OneSided: true},
		"off":      {},
	} {
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("resign %s: %+v, %v, want %+v", text, r, err, want)
		}
	}
	var d configs.Draw
	for text, want := range map[string]configs.Draw{
		"10x8@40": {Score: 10, Moves: 8, From: 40}, "10x8@0": {Score: 10, Moves: 8},
		"0x8": {Moves: 8},
		"off": {},
	} {
		if err := d.UnmarshalText([]byte(text)); err != nil || d != want {
			t.Errorf("draw %s: %+v, %v, want %+v", text, d, err, want)
		}
	}
	for _, text := range []string{"", "2000", "x3", "2000x", "0x3", "-5x3", "2:2000x3", "2000x3x4", "99999999999x1",
		"+5x1"} {
		testutil.Check(t, r.UnmarshalText([]byte(text)) != nil, "resign %q was taken", text)
	}
	for _, text := range []string{"", "10", "10x", "x8", "10x8@", "10x8@-1", "10x8@00", "10x0@4", "-1x8"} {
		testutil.Check(t, d.UnmarshalText([]byte(text)) != nil, "draw %q was taken", text)
	}
}

// FuzzAdjudication reads flags of adjudication. An accepted flag is off or has numbers from 1 (a draw's score from 0),
// and no number has overflowed.
func FuzzAdjudication(f *testing.F) {
	for _, text := range []string{"2000x3", "1:2000x3", "off", "10x8@40", "0x8", "x", "@", "1:", "99999999999x1", "10x8@",
		"1:off", "+1x1", "1x1@1@1"} {
		f.Add(text)
	}
	const most = 1<<31 - 1
	f.Fuzz(func(t *testing.T, text string) {
		r := configs.Resign{Score: 1, Moves: 2, OneSided: true}
		if err := r.UnmarshalText([]byte(text)); err == nil && (text == "off") != (r == configs.Resign{}) ||
			err == nil && text != "off" &&
				(r.Score < 1 || r.Moves < 1 || r.Score > most || r.Moves > most || r.OneSided != strings.HasPrefix(text, "1:")) {
			t.Errorf("resign %q is %+v", text, r)
		}
		d := configs.Draw{Score: 1, Moves: 2, From: 3}
		if err := d.UnmarshalText([]byte(text)); err == nil && (text == "off") != (d == configs.Draw{}) ||
			err == nil && text != "off" &&
				(d.Score < 0 || d.Moves < 1 || d.From < 0 || d.Score > most || d.Moves > most || d.From > most) {
			t.Errorf("draw %q is %+v", text, d)
		}
	})
}

func TestConcurrency(t *testing.T) {
	var c configs.Concurrency
	if err := c.UnmarshalText([]byte("62")); err != nil || c != 62 {
		t.Errorf("62: %d, %v", c, err)
	}
	if err := c.UnmarshalText([]byte("cpus")); err != nil || c != configs.AllCPUs {
		t.Errorf("cpus: %d, %v", c, err)
	}
	for _, text := range []string{"", "0", "-1", "many", "1.5", "99999999999"} {
		testutil.Check(t, c.UnmarshalText([]byte(text)) != nil, "%q was taken", text)
	}
}

func FuzzParseTimeControl(f *testing.F) {
	for _, seed := range []string{"8+0.08", "300/10", "0/1", "9223372036", "0.0000000010", "NaN", "-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := configs.ParseTimeControl(s)
		if err != nil {
			return
		}
		testutil.Check(t, c.Main >= 0 && c.Byoyomi >= 0 && c.Increment >= 0 && !c.IsZero() && !strings.ContainsAny(s, "-eE"),
			"%q became %+v", s, c)
	})
}
