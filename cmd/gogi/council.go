package main

import (
	"fmt"
	"io"
	"strings"

	"gogi/match"
)

// printCouncil prints the head of a council; its members follow.
func printCouncil(w io.Writer, p match.Player) {
	c := p.Council
	var names []string
	for _, m := range c.Members {
		names = append(names, m.Name)
	}
	fmt.Fprintf(w, "council %s   %s: %s\n", p.Name, c.Rule, strings.Join(names, ", "))
	fmt.Fprintf(w, "  limits    %s, margin %v%s\n", p.Limits, p.Limits.Margin, budgetNote(c))
	fmt.Fprintf(w, "  stops     %s\n", c.Stop)
	if len(c.Shadows) > 0 {
		fmt.Fprintf(w, "  shadows   %s\n", strings.Join(c.Shadows, "; "))
	}
	fmt.Fprintln(w)
}

func budgetNote(c *match.Council) string {
	if c.Split {
		return ", shared by the members"
	}
	return " for each member"
}
