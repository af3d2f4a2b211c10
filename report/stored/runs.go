package stored

import (
	"context"

	"gogi/results"
)

// RunList is the result that "gogi runs --json" prints.
type RunList struct {
	Version int   `json:"version"`
	Runs    []Run `json:"runs"`
}

// Run is one run of a list.
type Run struct {
	Name    string   `json:"name"`
	Digest  string   `json:"digest"`
	Players []string `json:"players"`
	Pairs   int      `json:"pairs"`
	Planned int      `json:"planned_pairs"`
	Created string   `json:"created"`
	State   State    `json:"state"`
}

// Runs are all runs, oldest first. The pairs of those that a gate or results end are read.
func Runs(ctx context.Context, store *results.Store) (*RunList, error) {
	infos, err := store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	list := &RunList{Version: 1, Runs: []Run{}}
	for _, r := range infos {
		state, err := StateOf(ctx, store, &r)
		if err != nil {
			return nil, err
		}
		list.Runs = append(list.Runs, Run{
			State: state,
			Name:  r.Name, Digest: r.Digest, Pairs: r.Finished, Planned: r.Pairs, Players: r.Players, Created: r.Created.Format("2006-01-02 15:04:05"),
		})
	}
	return list, nil
}
