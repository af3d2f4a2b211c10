package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/grants"
	"gogi/farm/keys"
	"gogi/internal/address"
	"gogi/internal/i18n"
	"gogi/results"
	"gogi/results/farmstate"
)

// connect answers with what a machine needs to connect to the farm.
func (p *Pages) connect(w http.ResponseWriter, _ *visit) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(p.config.Connect())
}

func (p *Pages) joinForm(w http.ResponseWriter, v *visit) error {
	return p.showJoin(w, v, http.StatusOK, "", "")
}

// showJoin shows the form for a sign-up. After a sign-up, done is the name of the key. wrong is the error in the
// last sign-up, or "".
func (p *Pages) showJoin(w http.ResponseWriter, v *visit, status int, done, wrong string) error {
	page := map[string]string{"Base": baseOf(v), "Done": done, "Wrong": wrong}
	if wrong != "" {
		page["Code"], page["Note"] = v.PostFormValue("code"), v.PostFormValue("note")
	}
	return p.show(w, v, status, "join", frame{Title: v.say("Join"), Trail: []crumb{{Name: v.say("Join")}}, Page: page})
}

// join stores a sign-up. The form contains the text that gogi farm join prints: the name and the public half of the
// key, with a signature.
func (p *Pages) join(w http.ResponseWriter, v *visit) error {
	wrong := func(status int, why i18n.Message) error {
		if v.forBrowser() {
			return p.showJoin(w, v, status, "", why.In(v.in))
		}
		return &failure{status, why}
	}
	if v.session != nil && !v.session.owns(v.PostFormValue("csrf")) {
		return wrong(http.StatusForbidden, i18n.Of("The form is not from your session. Load the page again and try again."))
	}
	asked, err := keys.ReadSignUp(v.PostFormValue("code"), p.config.Connect().Coordinator)
	if err != nil {
		return wrong(http.StatusBadRequest, i18n.Because(err))
	}
	if !p.signUps.allow(address.Network(address.Of(v.RemoteAddr)).String(), time.Now()) {
		return wrong(http.StatusTooManyRequests,
			i18n.Of("There were too many sign-ups from your address. Try again in an hour."))
	}
	s := farm.SignUp{Name: asked.Name, Owner: asked.Owner, Rights: keys.Words(asked.Rights), Public: asked.Public,
		Note: v.PostFormValue("note")}
	if v.session != nil {
		s.By = v.session.key.Name
	}
	if err := p.config.Farm.SignUp(v.Context(), s); err != nil {
		return wrong(http.StatusConflict, i18n.Because(err))
	}
	return p.showJoin(w, v, http.StatusOK, s.Name, "")
}

// keys shows the sign-ups that wait, and all keys. It needs the right admin.
func (p *Pages) keys(w http.ResponseWriter, v *visit) error {
	if !v.session.Admin() {
		return &failure{http.StatusForbidden, i18n.Of("Only keys with the right admin may see the keys.")}
	}
	waiting, err := p.do(v, "signups", farm.Order{})
	if err != nil {
		return err
	}
	page := map[string]any{"SignUps": waiting, "Keys": p.config.Keys.Keys(), "CSRF": v.session.CSRF(), "Now": time.Now()}
	return p.show(w, v, http.StatusOK, "keys",
		frame{Title: v.say("Keys"), Trail: []crumb{{Name: v.say("Keys")}}, Page: page})
}

// orderKey approves or rejects a sign-up, or revokes a key.
func (p *Pages) orderKey(w http.ResponseWriter, v *visit) error {
	verb := v.PathValue("verb")
	if !slices.Contains([]string{"admit", "dismiss", "revoke"}, verb) {
		return notFound(i18n.Of("There is no such order."))
	}
	if _, err := p.do(v, verb, farm.KeyOrder{Name: v.PostFormValue("name"), Why: v.PostFormValue("why")}); err != nil {
		return err
	}
	http.Redirect(w, v.Request, "/farm/keys", http.StatusSeeOther)
	return nil
}

// people lists all people with the games and the CPU time of their machines.
func (p *Pages) people(w http.ResponseWriter, v *visit) error {
	played, err := p.config.Played(v.Context())
	if err != nil {
		return err
	}
	month := time.Now().UTC().Format("2006-01")
	inAll := results.SumPlayed(played, func(w *results.Played) { w.Month, w.Worker = "", "" })
	now := map[string]results.Played{}
	for _, w := range results.SumPlayed(played, func(w *results.Played) { w.Worker = "" }) {
		if w.Month == month {
			now[w.Owner] = w
		}
	}
	for _, k := range p.config.Keys.Keys() {
		if !slices.ContainsFunc(inAll, func(w results.Played) bool { return w.Owner == k.Owner }) {
			inAll = append(inAll, results.Played{Owner: k.Owner})
		}
	}
	slices.SortStableFunc(inAll, func(a, b results.Played) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Owner, b.Owner))
	})
	page := map[string]any{"All": inAll, "Now": now, "Month": month}
	return p.show(w, v, http.StatusOK, "people",
		frame{Title: v.say("People"), Trail: []crumb{{Name: v.say("People")}}, Page: page})
}

// person shows what the machines of a person have played, and the person's keys, tests and limits.
func (p *Pages) person(w http.ResponseWriter, v *visit) error {
	who := v.PathValue("person")
	played, err := p.config.Played(v.Context())
	if err != nil {
		return err
	}
	played = slices.DeleteFunc(played, func(w results.Played) bool { return w.Owner != who })
	held := slices.DeleteFunc(p.config.Keys.Keys(), func(k keys.Key) bool { return k.Owner != who })
	if len(played)+len(held) == 0 {
		return notFound(i18n.Of("No person has this name here."))
	}
	status := p.status(v)
	page := struct {
		Name            string
		Months, Workers []results.Played
		Keys            []keys.Key
		Tests           []farm.TestStatus
		Quota           grants.Quota
		Now             time.Time
	}{
		Name: who, Months: results.SumPlayed(played, func(w *results.Played) { w.Worker = "" }),
		Workers: results.SumPlayed(played,
			func(w *results.Played) { w.Month = "" }), Keys: held,
		Tests: slices.DeleteFunc(status.Tests, func(t farm.TestStatus) bool { return t.Owner != who }),
		Quota: p.config.Quota(who), Now: time.Now(),
	}
	return p.show(w, v, http.StatusOK, "person", frame{Title: who, Trail: []crumb{{v.say("People"), "/farm/people"},
		{Name: who}}, Page: page})
}

// machine shows a worker: its machine, its latest errors, and its history.
func (p *Pages) machine(w http.ResponseWriter, v *visit) error {
	name := v.PathValue("machine")
	status := p.status(v)
	i := slices.IndexFunc(status.Workers, func(w farm.WorkerStatus) bool { return w.Name == name })
	if i < 0 {
		return notFound(i18n.Of("No machine with this name was here."))
	}
	played, err := p.config.Played(v.Context())
	if err != nil {
		return err
	}
	played = slices.DeleteFunc(played, func(w results.Played) bool { return w.Worker != name })
	history, err := p.config.State.Actions(v.Context(), farmstate.Filter{On: "worker", Name: name, Most: 50})
	if err != nil {
		return err
	}
	worker := status.Workers[i]
	slices.Reverse(worker.Errors)
	may := map[string]bool{}
	for _, verb := range []string{"drain", "trust"} {
		if v.session.May(verb) {
			may[verb] = true
		}
	}
	page := map[string]any{
		"May": may, "Worker": worker, "Months": results.SumPlayed(played,
			func(w *results.Played) { w.Worker, w.Owner = "", "" }), "History": history,
		"Labels": labelsOf(worker.Labels), "Levels": []string{"untrusted", "verified", "owner"},
	}
	return p.show(w, v, http.StatusOK, "machine", frame{Title: name, Trail: []crumb{{Name: name}}, Page: page})
}

// labelsOf returns labels as text, ordered by name.
func labelsOf(labels map[string]string) string {
	var words []string
	for k, v := range labels {
		words = append(words, k+"="+v)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// orderMachine sends an order about a worker.
func (p *Pages) orderMachine(w http.ResponseWriter, v *visit) error {
	o := farm.Order{Worker: v.PathValue("machine"), Why: v.PostFormValue("why"), Level: v.PostFormValue("level"),
		Off: v.PostFormValue("off") != ""}
	verb := v.PathValue("verb")
	if !slices.Contains([]string{"drain", "quarantine", "trust"}, verb) {
		return notFound(i18n.Of("There is no such order."))
	}
	if _, err := p.do(v, verb, o); err != nil {
		return err
	}
	http.Redirect(w, v.Request, "/farm/m/"+url.PathEscape(o.Worker), http.StatusSeeOther)
	return nil
}

func (p *Pages) log(w http.ResponseWriter, v *visit) error {
	q := v.URL.Query()
	before, _ := strconv.ParseInt(q.Get("before"), 10, 64) // 0 for a wrong number
	f := farmstate.Filter{By: q.Get("by"), On: q.Get("on"), Name: q.Get("name"), Before: before, Most: 100}
	list, err := p.config.State.Actions(v.Context(), f)
	if err != nil {
		return err
	}
	older := ""
	if len(list) == f.Most {
		q.Set("before", fmt.Sprint(list[len(list)-1].ID))
		older = "/farm/log?" + q.Encode()
	}
	page := map[string]any{"Actions": list, "Filter": f, "Kinds": []string{"test", "worker", "key", "farm"},
		"Older": older}
	return p.show(w, v, http.StatusOK, "log", frame{Title: v.say("Log"), Trail: []crumb{{Name: v.say("Log")}}, Page: page})
}
