package gogi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// outline returns the parts that both READMEs must have in common, in order: the levels of the headings, the
// commands without remarks, and the commands of the table.
func outline(text string) []string {
	code := regexp.MustCompile("`[^`]+`")
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
			all = append(all, strings.Repeat("#", len(line)-len(strings.TrimLeft(line, "#"))))
		case strings.HasPrefix(line, "    "):
			command, _, _ := strings.Cut(line, "     #")
			all = append(all, strings.TrimRight(command, " "))
		case strings.HasPrefix(line, "| "):
			all = append(all, code.FindAllString(line, -1)...)
		}
	}
	return all
}

// withoutFences removes the text between fences, which is output.
func withoutFences(text string) string {
	parts := strings.Split(text, "```")
	var kept strings.Builder
	for i := 0; i < len(parts); i += 2 {
		kept.WriteString(parts[i])
	}
	return kept.String()
}

// TestREADMEsAgree: the Japanese README has the headings, commands and verbs of the English one, in the same order.
func TestREADMEsAgree(t *testing.T) {
	var outlines [2][]string
	for i, name := range []string{"README.md", "README.ja.md"} {
		text := testutil.Must(os.ReadFile(name))(t)
		outlines[i] = outline(withoutFences(string(text)))
		testutil.Check(t, len(outlines[i]) >= 30, "%s: only %d headings, commands and verbs were found", name,
			len(outlines[i]))
	}
	english, japanese := outlines[0], outlines[1]
	for i := range max(len(english), len(japanese)) {
		if i >= len(english) || i >= len(japanese) || english[i] != japanese[i] {
			t.Fatalf("the READMEs part here:\n%s\nand in Japanese\n%s", english[min(i, len(english)-1)],
				japanese[min(i, len(japanese)-1)])
		}
	}
	testutil.Check(t, slices.Contains(english, "    ./gogi match"), "no command was found")
}

// TestLinks: every file and every heading that the READMEs and the documents link to exists.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	deeper, _ := filepath.Glob("docs/*/*.md")
	files = append(files, deeper...)
	testutil.Require(t, err == nil && len(deeper) >= 5 && len(files) >= 20, "%v, %v", files, err)
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]+)?\)`)
	for _, file := range append(files, "README.md", "README.ja.md", "ARCHITECTURE.md") {
		text, err := os.ReadFile(file)
		testutil.OK(t, err)
		for _, m := range link.FindAllStringSubmatch(withoutFences(string(text)), -1) {
			target := filepath.Join(filepath.Dir(file), m[1])
			if m[1] == "" {
				target = file
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if m[2] != "" && !slices.Contains(anchors(t, target), m[2][1:]) {
				t.Errorf("%s links to %s%s, and that page has no such heading", file, m[1], m[2])
			}
		}
	}
}

// anchors returns the names that GitHub gives to the headings of a page: lower case, blanks as hyphens, no punctuation.
func anchors(t *testing.T, page string) (names []string) {
	t.Helper()
	text := testutil.Must(os.ReadFile(page))(t)
	punctuation := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(withoutFences(string(text))) {
		if title, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && strings.HasPrefix(line, "#") {
			name := punctuation.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			names = append(names, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return names
}
