package web

import (
	"io/fs"
	"net/http"
	"net/http/pprof"
)

// routes returns the handler of all paths.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /login", s.loginPage)
	mux.HandleFunc("POST /login", s.logIn)
	mux.HandleFunc("POST /logout", s.logOut)
	mux.HandleFunc("GET /{$}", s.runsPage)
	s.liveRoutes(mux)
	s.storedRoutes(mux)
	if s.config.Metrics != nil {
		mux.Handle("GET /metrics", s.config.Metrics)
	}
	if s.config.Farm != nil {
		mux.Handle("GET /farm", s.config.Farm)
	}
	if s.config.Pprof {
		mux.HandleFunc("GET /debug/pprof/", s.guard.needsTokenIfAny(pprof.Index))
		mux.HandleFunc("GET /debug/pprof/profile", s.guard.needsTokenIfAny(pprof.Profile))
		mux.HandleFunc("GET /debug/pprof/trace", s.guard.needsTokenIfAny(pprof.Trace))
	}
	return mux
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, "login", frame{Title: voiceOf(r).Say("Log in"), Page: map[string]bool{"Wrong": r.URL.Query().Has("wrong")}})
}

// maxForm is the largest size of a form, in bytes.
const maxForm = 4 << 10

func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if !s.guard.logIn(w, r.PostFormValue("token")) {
		http.Redirect(w, r, "/login?wrong", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) logOut(w http.ResponseWriter, r *http.Request) {
	s.guard.logOut(w, r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
