package keys

import (
	"slices"
	"strings"

	"gogi/farm"
)

// A Right is a permission of a key.
type Right string

// These are the rights. Each right except Work includes reading the farm's state.
const (
	Work    Right = "work"    // play pairs
	Submit  Right = "submit"  // submit runs and artefacts, stop one's own
	Approve Right = "approve" // approve other owners' runs
	Run     Right = "run"     // priorities, shares, pause and stop of all runs
	Admin   Right = "admin"   // keys, trust, voiding, and the rights above except Work
)

// All lists all rights.
var All = []Right{Work, Submit, Approve, Run, Admin}

// Words converts rights to strings.
func Words(rights []Right) []string {
	w := make([]string, len(rights))
	for i, r := range rights {
		w[i] = string(r)
	}
	return w
}

// verbs lists the rights that allow each verb. One of the listed rights is enough. A verb that is not in the
// map needs Admin.
var verbs = map[string][]Right{
	"list": {Submit, Approve, Run}, "show": {Submit, Approve, Run}, "workers": {Submit, Approve, Run},
	"pull": {Submit, Approve, Run}, "sum": {Submit, Approve, Run}, "watch": {Submit, Approve, Run},
	// a change needs Admin; the coordinator checks
	"plan": {Submit, Approve, Run}, "actions": {Submit, Approve, Run}, "people": {Submit, Approve, Run},
	"recipe": {Submit, Approve, Run},
	"submit": {Submit}, "push": {Submit},
	// Submit: own tests only; the coordinator checks
	"stop": {Submit, Run}, "pause": {Submit, Run}, "resume": {Submit, Run},
	"approve": {Approve}, "reject": {Approve},
	"priority": {Submit, Run}, // Submit: own tests only, and only a small range of priorities; the coordinator checks
	"share":    {Run}, "drain": {Run},
}

// Needed returns the rights that allow a verb. One of them is enough.
func Needed(verb string) []Right {
	if rights := verbs[verb]; len(rights) > 0 {
		return rights
	}
	return []Right{Admin}
}

// Lacking describes the rights that a key needs for a verb, for the error about a key without them.
func Lacking(verb string) string {
	rights := Words(Needed(verb))
	if len(rights) == 1 {
		return "the key lacks the right " + rights[0]
	}
	return "the key lacks one of the rights " + strings.Join(rights, ", ")
}

// doings has the words for the verbs whose names are not those of commands.
var doings = map[string]string{
	"purge": "void pairs of a worker", "quarantine": "quarantine or release a worker",
	"trust": "set the trust of a worker", "drain": "drain a worker",
	"signups": "see sign-ups", "admit": "approve sign-ups", "dismiss": "reject sign-ups",
	"revoke": "revoke keys of others",
	"keys":   "list keys", "artefacts": "list artefacts", "update": "update workers", "pull": "copy games",
	"push":    "move pairs into a test",
	"approve": "approve tests", "reject": "reject tests", "submit": "submit tests", "stop": "stop tests",
	"pause": "pause tests", "resume": "resume tests",
	"share": "set shares", "priority": "set priorities", "list": "list tests", "workers": "list workers",
}

// Denial is the text of the rejection of a request whose verb the key called name may not use.
func Denial(name, verb string) string {
	doing, ok := doings[verb]
	if !ok {
		doing = verb
	}
	return name + " may not " + doing + ": " + Lacking(verb)
}

// MayVerb reports whether the key has a right for a verb (a command of gogi farm, such as stop).
func (k Key) MayVerb(verb string) bool {
	if k.May(Admin) {
		return true
	}
	return slices.ContainsFunc(verbs[verb], func(r Right) bool { return r != Work && k.May(r) })
}

// A Subjects lists the NATS subjects on which the holder of a key may publish and subscribe. It contains no
// subject of JetStream, the part of NATS that stores messages. JetStream sends its answer to any subject that
// a client names. A client with a right on such a subject could therefore send messages in the name of
// another client.
type Subjects struct{ Publish, Subscribe []string }

// Subjects returns the subjects on which the key's holder may publish and subscribe.
func (k Key) Subjects() Subjects {
	s := Subjects{Subscribe: []string{Inbox(k.Name) + ".>"}}
	if k.May(Work) {
		s.Publish = []string{
			farm.SubjectHello + k.Name, farm.SubjectLease + k.Name, farm.SubjectBeat + k.Name,
			farm.SubjectResults + k.Name + ".*", farm.SubjectEvents + "*." + k.Name, farm.SubjectArtefact + k.Name,
		}
		// the last one for workers of an earlier gogi
		s.Subscribe = append(s.Subscribe, farm.SubjectRun+"*", farm.SubjectWorker+k.Name, "ctl.w."+k.Name)
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

// Inbox returns the subject on which the holder of the key with this name receives answers.
func Inbox(name string) string { return farm.SubjectInbox + name }
