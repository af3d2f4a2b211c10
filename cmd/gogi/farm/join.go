package farmcmd

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/worker"
	"gogi/internal/network"
)

// JoinCommand makes a key on this machine, and sends a sign-up for this key to the pages of a farm.
type JoinCommand struct {
	Farm  string   `arg:"" name:"url" help:"Address of the farm's pages, such as https://farm.example."`
	Name  string   `arg:"" help:"Name of the key, such as the name of this machine: a-z, 0-9, - and _."`
	Owner string   `required:"" placeholder:"O" help:"Your name: a-z, 0-9, - and _."`
	May   []string `default:"work" placeholder:"RIGHT" help:"Right to ask for: work or submit (default work)."`
	Note  string   `placeholder:"TEXT" help:"Note for the admin of the farm."`
	Creds string   `type:"existingfile" placeholder:"FILE" help:"Credentials of another key of the same owner, to add a key."`
	Out   string   `type:"path" placeholder:"FILE" help:"Credentials file to write (default: NAME.creds)."`
	Print bool     `help:"Print the sign-up for the form of the farm's page; do not send it."`
}

// Run makes the key, writes the credentials file, and sends the sign-up.
func (c *JoinCommand) Run(ctx context.Context, env *cli.Env) error {
	pages, err := newPages(c.Farm)
	if err != nil {
		return err
	}
	var connect farm.Connect
	if err := pages.do(ctx, "/farm/connect", nil, &connect); err != nil {
		return err
	}
	seed, public, err := keys.NewSeed()
	if err != nil {
		return err
	}
	creds := keys.Creds{Name: c.Name, URL: connect.URL, Coordinator: connect.Coordinator, Seed: seed, CA: connect.CA}
	sign, err := creds.Sign()
	if err != nil {
		return err
	}
	asked := keys.SignUp{Name: c.Name, Owner: c.Owner, Public: public}
	for _, word := range c.May {
		asked.Rights = append(asked.Rights, keys.Right(word))
	}
	code, err := asked.Code(connect.Coordinator, sign)
	if err == nil {
		_, err = keys.ReadSignUp(code, connect.Coordinator) // the names and rights are allowed
	}
	if err != nil {
		return wrong("%w", err)
	}
	file := cmp.Or(c.Out, c.Name+".creds")
	if err := creds.WriteNew(file); err != nil {
		return err
	}
	if c.Print {
		fmt.Fprintln(env.Out, code)
		return nil
	}
	csrf := ""
	if c.Creds != "" {
		if csrf, err = pages.logIn(ctx, c.Creds); err != nil {
			return err
		}
	}
	if err := pages.do(ctx, "/farm/join", url.Values{"code": {code}, "note": {c.Note}, "csrf": {csrf}}, nil); err != nil {
		if exit, refused := errors.AsType[*cli.Exit](err); refused && exit.Code == worker.ExitRefused {
			_ = os.Remove(file) // the key that nobody knows would prevent the next try
			if c.Creds == "" {
				exit.Err = fmt.Errorf("%w. With --creds FILE you sign up as the person of that key", exit.Err)
			}
		}
		return err
	}
	fmt.Fprintf(env.Out, "The sign-up of %s waits for an admin of %s. The key begins with %s.\n"+
		"%s has the secret half of the key; keep it on this machine.\n",
		c.Name, c.Farm, keys.Fingerprint(public), file)
	return nil
}

// WebCommand prints a link that logs a browser in at the pages of a farm.
type WebCommand struct {
	owner
	Farm      string `arg:"" name:"url" help:"Address of the farm's pages, such as https://farm.example."`
	Challenge string `placeholder:"TEXT" help:"Challenge from the log-in page; gogi prints only the key and the signature to enter on that page."`
}

// Run signs a challenge, a random text from the farm, and prints the link. With --challenge it prints the key and
// the signature instead.
func (c *WebCommand) Run(ctx context.Context, env *cli.Env) error {
	creds, err := c.read()
	if err != nil {
		return noCreds(err)
	}
	pages, err := newPages(c.Farm)
	if err != nil {
		return err
	}
	challenge := c.Challenge
	if challenge == "" {
		if challenge, err = pages.challenge(ctx); err != nil {
			return err
		}
	}
	fields, err := pages.signed(creds, challenge)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(env.Out, LogIn{creds.Name, fields.Get("signature"), pages.at("/farm/login") + "?" + fields.Encode()})
	case c.Challenge != "":
		fmt.Fprintf(env.Out, "key        %s\nsignature  %s\n", creds.Name, fields.Get("signature"))
	default:
		fmt.Fprintln(env.Out, pages.at("/farm/login")+"?"+fields.Encode())
	}
	return nil
}

// A LogIn is the JSON object of gogi farm web.
type LogIn struct {
	Key       string `json:"key"`       // name of the key
	Signature string `json:"signature"` // signature of the challenge
	Link      string `json:"link"`      // link that fills in the log-in form
}

// pages is a client of a farm's pages.
type pages struct {
	base   *url.URL
	client http.Client
}

func newPages(address string) (*pages, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, wrong("%s: expected the address of the farm's pages, such as https://farm.example", address)
	}
	if ip := base.Hostname(); base.Scheme == "http" && ip != "127.0.0.1" && ip != "::1" && ip != "localhost" {
		return nil, wrong("%s: expected https://, because anybody on the way could change what http sends", address)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &pages{base, http.Client{Jar: &cookies{}, Timeout: answerIn, CheckRedirect: stay}}, nil
}

// cookies implements http.CookieJar for the pages of one farm: its client reaches no other host.
type cookies []*http.Cookie

// SetCookies adds cookies, and replaces those of the same name.
func (c *cookies) SetCookies(_ *url.URL, list []*http.Cookie) {
	for _, cookie := range list {
		*c = slices.DeleteFunc(*c, func(old *http.Cookie) bool { return old.Name == cookie.Name })
		*c = append(*c, cookie)
	}
}

// Cookies returns all cookies.
func (c *cookies) Cookies(*url.URL) []*http.Cookie { return *c }

func (p *pages) at(path string) string {
	return (&url.URL{Scheme: p.base.Scheme, Host: p.base.Host, Path: path}).String()
}

// do sends a form, or gets a page if form is nil. It decodes the JSON of the answer unless into is nil. An answer with
// an error status is an error.
func (p *pages) do(ctx context.Context, path string, form url.Values, into any) error {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, p.at(path), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := p.client.Do(r)
	if err != nil {
		err = network.CannotReach(p.base.String(), err, "check the address, and that gogi farm serve runs there with --http")
		return &cli.Exit{Code: worker.ExitUnreachable, Err: err}
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= http.StatusBadRequest:
		return &cli.Exit{Code: worker.ExitRefused, Err: fmt.Errorf("%s: %s", p.base.Host, strings.TrimSpace(string(body)))}
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return wrong("%s has no pages of a farm: %w", p.base, err)
	}
	return nil
}

func (p *pages) challenge(ctx context.Context) (string, error) {
	var answer struct{ Challenge string }
	err := p.do(ctx, "/farm/challenge", nil, &answer)
	return answer.Challenge, err
}

// signed signs challenge with the key of the credentials, and returns the fields of the log-in form.
func (p *pages) signed(creds keys.Creds, challenge string) (url.Values, error) {
	sign, err := creds.Sign()
	if err != nil {
		return nil, err
	}
	signature, err := sign(keys.LogInText(p.base.Host, challenge, creds.Name))
	return url.Values{"key": {creds.Name}, "challenge": {challenge},
		"signature": {base64.RawURLEncoding.EncodeToString(signature)}}, err
}

// logIn logs in with a credentials file, and returns the token for forms.
func (p *pages) logIn(ctx context.Context, file string) (csrf string, err error) {
	creds, err := keys.ReadCreds(file)
	if err != nil {
		return "", wrong("%w", err)
	}
	challenge, err := p.challenge(ctx)
	if err != nil {
		return "", err
	}
	fields, err := p.signed(creds, challenge)
	if err != nil {
		return "", err
	}
	if err := p.do(ctx, "/farm/login", fields, nil); err != nil {
		return "", err
	}
	for _, cookie := range p.client.Jar.Cookies(p.base) {
		if cookie.Name == farm.SessionCookie {
			return farm.FormToken(cookie.Value), nil
		}
	}
	return "", fmt.Errorf("%s: the farm began no session", p.base.Host)
}

// SignUpCommand groups the commands about sign-ups.
type SignUpCommand struct {
	List    SignUpListCommand    `cmd:"" help:"List the sign-ups that wait"`
	Approve SignUpApproveCommand `cmd:"" help:"Make the key of a sign-up valid"`
	Reject  SignUpRejectCommand  `cmd:"" help:"Reject a sign-up"`
}

// SignUpListCommand lists the sign-ups that wait for approval.
type SignUpListCommand struct{ owner }

// Run prints the sign-ups.
func (c *SignUpListCommand) Run(ctx context.Context, env *cli.Env) error {
	var list []farm.SignUp
	if err := c.ask(ctx, "signups", farm.Order{}, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{s.Name, s.Owner, strings.Join(s.Rights, ", "), keys.Fingerprint(s.Public),
			s.At.Local().Format(time.DateTime), s.Note})
	}
	return c.printList(env, list, rows, "no sign-up waits", "key", "owner", "may", "public half", "since", "note")
}

// onSignUp has the arguments of a command about one sign-up.
type onSignUp struct {
	owner
	Name string `arg:"" help:"Name of the key."`
	Why  string `placeholder:"TEXT" help:"Reason, for the log."`
}

func (c *onSignUp) order(ctx context.Context, env *cli.Env, verb, done string) error {
	var s farm.SignUp
	if err := c.ask(ctx, verb, farm.KeyOrder{Name: c.Name, Why: c.Why}, &s); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(env.Out, s)
	}
	fmt.Fprintf(env.Out, "%s of %s %s\n", s.Name, s.Owner, done)
	return nil
}

// SignUpApproveCommand makes the key of a sign-up valid.
type SignUpApproveCommand struct{ onSignUp }

// Run sends the approval.
func (c *SignUpApproveCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.order(ctx, env, "admit", "is approved")
}

// SignUpRejectCommand rejects a sign-up.
type SignUpRejectCommand struct{ onSignUp }

// Run sends the rejection.
func (c *SignUpRejectCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.order(ctx, env, "dismiss", "is rejected")
}
