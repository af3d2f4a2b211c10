package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
	"gogi/results"
)

// TestGamesAreReadOnce: a resumed run reads each stored game once, for the match and its report together. It reads each
// game that it plays once, at its end. A finished run and a report read each game once.
func TestGamesAreReadOnce(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "r.db")
	play := func(games string) int64 {
		return gamesRead(t, func(ctx context.Context, env *cli.Env) error {
			return playedHere(ctx, env, "--db", db, "--run", "r", "--games", games)
		})
	}
	for _, step := range []struct {
		what      string
		got, want int64
	}{
		{"six games played", play("6"), 6},
		{"the same again", play("6"), 6},
		{"four more", play("10"), 10},
		{"a report", gamesRead(t, func(ctx context.Context, env *cli.Env) error {
			if code := run(ctx, []string{"report", "r", "--db", db}, env); code != cli.Done {
				return fmt.Errorf("code %d", code)
			}
			return nil
		}), 10},
	} {
		testutil.Check(t, step.got == step.want, "%s: %d games were read, want %d", step.what, step.got, step.want)
	}
}

// gamesRead returns the number of games that a command reads.
func gamesRead(t *testing.T, do func(context.Context, *cli.Env) error) int64 {
	t.Helper()
	var n atomic.Int64
	var out, errs bytes.Buffer
	if err := do(context.WithValue(t.Context(), results.GamesScanned, &n),
		&cli.Env{In: strings.NewReader(""), Out: &out, Err: &errs}); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	return n.Load()
}

// playedHere runs gogi match between two small engines in this process.
func playedHere(ctx context.Context, env *cli.Env, args ...string) error {
	var c matchCommand
	parser, err := gogiProgram().Parser(ctx, &c, env, false)
	if err != nil {
		return err
	}
	args = append(args, "--engine", "a=gogi engine", "--engine", "b=gogi engine", "--nodes", "1", "--concurrency", "1",
		"--quiet")
	if _, err := parser.Parse(args); err != nil {
		return err
	}
	return c.Run(ctx, env)
}
