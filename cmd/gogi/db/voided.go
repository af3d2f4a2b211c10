package dbcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/results"
)

// selection selects the pairs of a run to void: by worker, by pair numbers, or by both. It never selects pairs by their
// results.
type selection struct {
	Worker string
	Pairs  string // A-B, or one number; "" is all
}

// Which returns a function that reports whether a game is selected. It returns an error for an invalid range.
// It also returns an error for an empty selection, because a user who wants to replace all pairs must start
// another run.
func (s selection) Which() (func(match.Row) bool, error) {
	if s.Worker == "" && s.Pairs == "" {
		return nil,
			errors.New("expected --worker or --pairs: pairs are chosen by who played them or by their numbers, never by their results")
	}
	from, to := 0, int(^uint(0)>>1)
	if s.Pairs != "" {
		first, last, several := strings.Cut(s.Pairs, "-")
		if !several {
			last = first
		}
		var errs [2]error
		from, errs[0] = strconv.Atoi(first)
		to, errs[1] = strconv.Atoi(last)
		if errors.Join(errs[:]...) != nil || from < 0 || to < from {
			return nil, fmt.Errorf("--pairs %q: expected A-B, such as 12-20, or one number", s.Pairs)
		}
	}
	return func(r match.Row) bool {
		return r.Pair >= from && r.Pair <= to && (s.Worker == "" || r.Worker == s.Worker)
	}, nil
}

// selectPairs returns the pairs to void: those with a game for which selects returns true, and in a tune also the pairs
// that depend on them. It voids nothing.
func selectPairs(ctx context.Context, store *results.Store, run *results.RunInfo,
	selects func(match.Row) bool) (pairs []int, err error) {
	err = store.Games(ctx, run.ID, func(r match.Row) error {
		if selects(r) {
			pairs = append(pairs, r.Pair)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return store.Voidable(ctx, run, slices.Compact(pairs))
}

// A VoidResult is the result of a command that voids pairs, and the JSON object of gogi db void. If DryRun is true, it
// is a preview, and no pair was voided.
type VoidResult struct {
	Version int            `json:"version"` // 1
	Run     string         `json:"run"`     // name of the run
	Pairs   []int          `json:"pairs"`   // numbers of the voided pairs
	Why     string         `json:"why"`     // the reason that the user gave
	By      string         `json:"by"`      // the user
	DryRun  bool           `json:"dry_run"` // gogi voided nothing
	Remarks []i18n.Message `json:"remarks"` // effects on the run's SPRT, as English text
}

// Print writes the voided pairs and the remarks as text.
func (v *VoidResult) Print(w io.Writer, in i18n.Language) {
	did := i18n.Of("%s of run %s voided: the next gogi match plays them again", i18n.Number{N: len(v.Pairs), Noun: "pair"},
		format.Name(v.Run))
	if v.DryRun {
		did = i18n.Of("%s of run %s would be voided", i18n.Number{N: len(v.Pairs), Noun: "pair"}, format.Name(v.Run))
	}
	fmt.Fprintln(w, did.In(in))
	if len(v.Pairs) > 0 {
		fmt.Fprintf(w, "  %s\n", i18n.Say(in, "pairs %s", ranges(v.Pairs)))
	}
	for _, r := range v.Remarks {
		fmt.Fprintf(w, "  %s\n", sanitize.Printable(r.In(in), 500))
	}
}

// JSON writes the voided pairs as one JSON object.
func (v *VoidResult) JSON(w io.Writer) error {
	out := *v
	out.Version = version
	out.Pairs, out.Remarks = append([]int{}, v.Pairs...), append([]i18n.Message{}, v.Remarks...) // empty lists, not null
	return format.JSON(w, out)
}

// ranges returns ascending numbers in a short form such as "1-3, 7". It omits the end of a long list.
func ranges(ids []int) string {
	const most = 12
	var parts []string
	for i := 0; i < len(ids); {
		last := i
		for last+1 < len(ids) && ids[last+1] == ids[last]+1 {
			last++
		}
		if len(parts) == most {
			parts = append(parts, fmt.Sprintf("and %s more", format.Count(len(ids)-i)))
			break
		}
		if last == i {
			parts = append(parts, strconv.Itoa(ids[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ids[i], ids[last]))
		}
		i = last + 1
	}
	return strings.Join(parts, ", ")
}
