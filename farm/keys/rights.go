package keys

import (
	"slices"

	"gogi/farm"
)

// Right is something that a key may do.
type Right string

// The rights. Each but Work also lets its holder look.
const (
	Work    Right = "work"    // play pairs
	Submit  Right = "submit"  // hand in runs and artefacts, stop one's own
	Approve Right = "approve" // let others' runs begin
	Run     Right = "run"     // priorities, shares, pause and stop of all runs
	Admin   Right = "admin"   // keys, trust, purges; and the rights above but Work
)

// All rights.
var All = []Right{Work, Submit, Approve, Run, Admin}

func words(rights []Right) []string {
	w := make([]string, len(rights))
	for i, r := range rights {
		w[i] = string(r)
	}
	return w
}

// verbs are the last part of the subjects of owners, by the rights of which
// one is enough. A verb that is not here belongs to Admin.
var verbs = map[string][]Right{
	"list": {Submit, Approve, Run}, "show": {Submit, Approve, Run}, "workers": {Submit, Approve, Run},
	"pull": {Submit, Approve, Run}, "sum": {Submit, Approve, Run}, "watch": {Submit, Approve, Run},
	"submit": {Submit}, "push": {Submit},
	"stop": {Submit, Run}, "pause": {Submit, Run}, "resume": {Submit, Run}, // one's own: the coordinator looks whose
	"approve": {Approve}, "reject": {Approve},
	"priority": {Submit, Run}, // likewise, and a little
	"share":    {Run}, "drain": {Run},
}

// MayVerb says whether the key may ask for a verb of the coordinator at all.
func (k Key) MayVerb(verb string) bool {
	if k.May(Admin) {
		return true
	}
	return slices.ContainsFunc(verbs[verb], func(r Right) bool { return r != Work && k.May(r) })
}

// Subjects are what the holder of a key may say and hear. There is no subject of
// JetStream among them: what a stream answers goes wherever the asker wants, so whoever
// may ask one could speak in others' names.
type Subjects struct{ Publish, Subscribe []string }

// Subjects of the key.
func (k Key) Subjects() Subjects {
	s := Subjects{Subscribe: []string{Inbox(k.Name) + ".>"}}
	if k.May(Work) {
		s.Publish = []string{
			farm.SubjectHello + k.Name, farm.SubjectLease + k.Name, farm.SubjectBeat + k.Name,
			farm.SubjectResults + k.Name + ".*", farm.SubjectEvents + "*." + k.Name, farm.SubjectArtefact + k.Name,
		}
		s.Subscribe = append(s.Subscribe, farm.SubjectRun+"*", farm.SubjectWorker+k.Name, "ctl.w."+k.Name) // the last one for workers of an earlier gogi
		return s
	}
	s.Publish = []string{farm.SubjectArtefact + k.Name}
	s.Subscribe = append(s.Subscribe, farm.SubjectEvents+">")
	if k.May(Submit) {
		s.Publish = append(s.Publish, farm.SubjectUpload+k.Name)
	}
	if k.May(Admin) {
		s.Publish = append(s.Publish, farm.SubjectAdmin+k.Name+".*")
		return s
	}
	for verb := range verbs {
		if k.MayVerb(verb) {
			s.Publish = append(s.Publish, farm.SubjectAdmin+k.Name+"."+verb)
		}
	}
	slices.Sort(s.Publish)
	return s
}

// Inbox is where answers to a key's holder go.
func Inbox(name string) string { return farm.SubjectInbox + name }
