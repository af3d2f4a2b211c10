// Package board shows the current state of a farm: [Handler] serves a page for browsers, and
// [Metrics] returns families for Prometheus. Its input is a [Status].
package board

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"gogi/farm"
	"gogi/internal/sanitize"
)

// A Status returns the current state of a farm.
type Status func(ctx context.Context) farm.Status

// page is the page's template. The template escapes texts of owners and workers, and sanitize.Printable removes their
// control characters.
//
//nolint:gochecknoglobals // parsed once, of a constant
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("farm").Funcs(template.FuncMap{
		"name":  func(s string) string { return sanitize.Printable(s, 60) },
		"why":   func(s string) string { return sanitize.Printable(s, 600) },
		"path":  url.PathEscape,
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"percent": func(part, of int) int {
			if of == 0 {
				return 0
			}
			return 100 * part / of
		},
	}).Parse(pageText))
})

const pageText = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta http-equiv="refresh" content="5"/>
<title>Farm – gogi</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="/assets/gogi.css"/>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><nav aria-label="Where you are"><a class="home" href="/">gogi</a> <span aria-hidden="true">/</span> <span aria-current="page">Farm</span></nav></header>
<main id="main">
<h1>Farm</h1>
<p class="note">As of {{clock .At}} UTC, boot {{.Boot}}. The stream of results is {{printf "%.0f" .Full}}% full; {{.Judge.Messages}} messages were judged since the start.</p>
<h2>Tests</h2>
{{if .Tests}}<div class="scroll" tabindex="0"><table class="runs">
<thead><tr><th scope="col">Test</th><th scope="col">Owner</th><th scope="col">State</th><th scope="col">Priority</th><th scope="col">Share</th><th scope="col">Pairs</th><th scope="col">Held</th><th scope="col">Gate</th></tr></thead>
<tbody>{{range .Tests}}<tr><th scope="row">{{if .Stored}}<a href="/r/{{path .Name}}">{{name .Name}}</a>{{else}}{{name .Name}}{{end}}</th><td class="name">{{name .Owner}}</td><td>{{.State}}{{with .Why}}: {{name .}}{{end}}</td><td>{{.Priority}}</td><td>{{.Share}}</td><td>{{.Stored}} / {{.Pairs}}{{if .Selfplay}} blocks{{end}} ({{percent .Stored .Pairs}}%)</td><td>{{.Held}}</td><td>{{with .Verdict}}{{.}}{{else}}–{{end}}{{with .Provisional}}<br/>provisional: {{why .}}{{end}}{{with .Voided}}<br/>{{why .}}{{end}}{{range .Refusals}}<br/>not played by {{why .}}{{end}}</td></tr>
{{end}}</tbody></table></div>{{else}}<p>No test was submitted.</p>{{end}}
{{range .Unread}}<p class="note">{{if .Name}}{{name .Name}}{{else}}{{name .Run}}{{end}} is not played: {{why .Why}}</p>
{{end}}<h2>Workers</h2>
{{if .Workers}}<div class="scroll" tabindex="0"><table class="runs">
<thead><tr><th scope="col">Worker</th><th scope="col">Owner</th><th scope="col">Trust</th><th scope="col">State</th><th scope="col">Slots</th><th scope="col">Held</th><th scope="col">Load</th><th scope="col">Pairs</th><th scope="col">Refused</th></tr></thead>
<tbody>{{range .Workers}}<tr><th scope="row">{{name .Name}}</th><td class="name">{{name .Owner}}</td><td>{{.Trust}}</td><td>{{if .Quarantine}}quarantined: {{why .Quarantine}}{{else if .Draining}}draining{{else if .Probation}}on probation: {{why .Probation}}{{else if .Rebench}}measure it again: {{why .Rebench}}{{else if .Here}}here{{else}}away{{end}}</td><td>{{.Slots}}</td><td>{{.Held}}</td><td>{{printf "%.1f" .Load}}</td><td>{{.Added}}</td><td>{{.Refused}}</td></tr>
{{end}}</tbody></table></div>{{else}}<p>No worker was here.</p>{{end}}
</main>
</body>
</html>
`

// Handler returns a handler that serves the page with the farm's current state.
func Handler(status Status) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := status(r.Context())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page().Execute(w, struct {
			farm.Status

			Full float64
		}{s, 100 * max(s.Judge.Fill, 0)}) // fails if the client has disconnected
	})
}
