package players

import (
	"context"
	"fmt"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/runner"
)

// openCouncil starts a council and its members.
func (o *Opener) openCouncil(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
	config, err := o.CouncilConfig(p, cpus)
	if err != nil {
		return nil, err
	}
	return ensemble.Open(ctx, config)
}

// CouncilConfig returns the configuration of a plan's council. It returns an error if it cannot parse the
// voting rule, or if the book has changed.
func (o *Opener) CouncilConfig(p match.Player, cpus []int) (ensemble.Config, error) {
	c := p.Council
	config := ensemble.Config{
		Name: p.Name, Stop: ensemble.StopPolicy(c.Stop), Quorum: c.Quorum, MinAlive: c.MinAlive, Restarts: c.Restarts,
		Split: c.Split, Jitter: c.Jitter, Noise: c.Noise, Veto: ensemble.Veto(c.Veto), Examine: ensemble.Examine(c.Examine),
		Spread: ensemble.Spread(c.Ponder), Ask: c.Ask,
		Settings: voting.Settings{Declaration: o.Plan.Rules.Declaration, ResignQuorum: c.ResignQuorum},
	}
	for _, t := range c.Ties {
		config.Settings.Ties = append(config.Settings.Ties, voting.Tie(t))
	}
	var err error
	if config.Rule, err = voting.ParseSpec(c.Rule); err != nil {
		return config, fmt.Errorf("council %s: %w", p.Name, err)
	}
	for _, text := range c.Shadows {
		spec, err := voting.ParseSpec(text)
		if err != nil {
			return config, fmt.Errorf("council %s: shadow: %w", p.Name, err)
		}
		config.Shadows = append(config.Shadows, spec)
	}
	for i := range c.Members {
		config.Members = append(config.Members, o.member(p, i, cpus))
	}
	if config.Book, err = o.books.drawer(p.Identity.Files); err != nil {
		return config, fmt.Errorf("council %s: %w", p.Name, err)
	}
	return config, nil
}

func (o *Opener) openMember(ctx context.Context, m match.Player, council string, cpus []int) (runner.Player, error) {
	if m.Council != nil {
		return o.openCouncil(ctx, m, cpus)
	}
	return o.openEngine(ctx, m, council, cpus)
}

func (o *Opener) member(council match.Player, i int, cpus []int) ensemble.Member {
	c := council.Council
	m := c.Members[i]
	member := ensemble.Member{
		Voter: voting.Voter{Name: m.Name, Slope: c.Scales[i].Slope, Intercept: c.Scales[i].Intercept},
		Open:  func(ctx context.Context) (ensemble.Player, error) { return o.openMember(ctx, m, council.Name, cpus) },
	}
	if i < len(c.Clamps) {
		member.Clamp = c.Clamps[i]
	}
	if c.Own[i] {
		own := runner.GoFor(m.Limits)
		member.Own = &own
	}
	return member
}
