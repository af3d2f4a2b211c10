package keys_test

import (
	"slices"
	"testing"
	"time"

	"gogi/farm/keys"
	"gogi/internal/testutil"
)

// TestVerbsOfRights: each right allows these verbs and no other. An admin may use every verb, also those that no other
// right allows.
func TestVerbsOfRights(t *testing.T) {
	t.Parallel()
	look := []string{"list", "show", "workers", "pull", "sum", "watch", "plan", "actions", "people", "recipe"}
	may := map[keys.Right][]string{
		keys.Work:    nil,
		keys.Submit:  append([]string{"submit", "push", "stop", "pause", "resume", "priority"}, look...),
		keys.Approve: append([]string{"approve", "reject"}, look...),
		keys.Run:     append([]string{"stop", "pause", "resume", "priority", "share", "drain"}, look...),
	}
	all := []string{"quarantine", "trust", "purge", "deploy", "revoke", "admit", "unknown"}
	for _, verbs := range may {
		all = append(all, verbs...)
	}
	for right, verbs := range may {
		k, _ := newKey(t, "k", time.Time{}, right)
		for _, verb := range all {
			testutil.Equal(t, k.MayVerb(verb), slices.Contains(verbs, verb), "%s with the right %s", verb, right)
		}
	}
	admin, _ := newKey(t, "k", time.Time{}, keys.Admin)
	for _, verb := range all {
		testutil.Check(t, admin.MayVerb(verb), "an admin may not %s", verb)
	}
}

// TestDenial: the rejection says in words what the key may not do, and which right it lacks.
func TestDenial(t *testing.T) {
	t.Parallel()
	testutil.Equal(t, keys.Denial("ann", "purge"), "ann may not void pairs of a worker: the key lacks the right admin")
	testutil.Equal(t, keys.Denial("rack", "share"), "rack may not set shares: the key lacks the right run")
	testutil.Equal(t, keys.Denial("rack", "else"), "rack may not else: the key lacks the right admin")
}
