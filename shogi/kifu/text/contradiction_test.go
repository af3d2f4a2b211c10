package text

import (
	"errors"
	"strings"
	"testing"
)

// TestContradiction: who resigns is who is to move. A summary that says another winner makes
// a game that nobody can count; one that agrees does not.
func TestContradiction(t *testing.T) {
	const game = "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n%TORYO\n'summary:toryo:"
	if r, err := readCSA(NewInput("x.csa", strings.NewReader(game+"A win:B lose\n"))).Next(); err != nil || r.Winner != "black" {
		t.Errorf("%+v, %v", r, err)
	}
	var bad *BadGame
	if r, err := readCSA(NewInput("x.csa", strings.NewReader(game+"A lose:B win\n"))).Next(); !errors.As(err, &bad) {
		t.Errorf("white resigns and wins: %+v, %v", r, err)
	}
}
