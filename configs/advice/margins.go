package advice

import (
	"strings"

	"gogi/match"
)

// A timeMargin is an option by which an engine saves a part of its time, or spends more of it, for play over networks.
type timeMargin struct {
	name     string // the canonical name, see canonical
	harmless string // the value that does not distort short games; "": the least value that the engine declares
	profile  bool   // the profile yaneuraou sets it
}

// timeMargins has the options of each family, with the values that YaneuraOu 9, Apery d14471f, Gikou 2, Sunfish4,
// dlshogi and Fairy-Stockfish declare. A value is in milliseconds, or in seconds (SuddenDeathMargin), or true or false.
func timeMargins() []timeMargin {
	return []timeMargin{
		// YaneuraOu
		{"networkdelay", "0", true}, {"networkdelay2", "0", true}, {"minimumthinkingtime", "", true},
		{"rounduptofullsecond", "false", true},
		{"byoyomimargin", "", false}, {"timemargin", "", false}, // Apery, dlshogi
		{"fischermargin", "", false}, {"minthinkingtime", "", false}, {"suddendeathmargin", "", false}, // Gikou
		{"marginms", "", false}, // Sunfish4
	}
}

// canonical returns the name of an option without case and underscores. It keeps spaces, because Minimum Thinking Time
// of Stockfish is 20 ms and harmless.
func canonical(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// TimeMargin reports whether an option saves or rounds an engine's time for play over networks, or has such a name.
// harmless is the value that does not distort short games; "" means the least value that the engine declares. profile
// reports whether the profile yaneuraou sets the option.
func TimeMargin(name string) (harmless string, profile, ok bool) {
	name = canonical(name)
	for _, m := range timeMargins() {
		if m.name == name {
			return m.harmless, m.profile, true
		}
	}
	return "", false, namedMargin(name)
}

// namedMargin reports whether a canonical name looks like a time margin of a family that the table does not have.
// Margins of a search, such as FutilityMargin, have no word for a time.
func namedMargin(name string) bool {
	if strings.Contains(name, "margin") {
		for _, word := range []string{"time", "byoyomi", "fischer", "suddendeath", "clock", "increment", "network",
			"safety"} {
			if strings.Contains(name, word) {
				return true
			}
		}
		return name == "margin" || strings.HasPrefix(name, "ms") || strings.HasSuffix(name, "ms")
	}
	for _, word := range []string{"networkdelay", "networklatency", "communicationdelay", "leastthinkingtime",
		"minthinktime", "timebuffer"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Margins returns the options, of all options with their values in effect, that save an engine's time, as "NAME VALUE".
// Unlike a warning about a match, it includes Move Overhead of Stockfish, which is small, and values that the user has
// set.
func Margins(options []match.Option) (list []string) {
	for _, o := range options {
		_, _, ok := TimeMargin(o.Name)
		if ok = ok || canonical(o.Name) == "move overhead"; ok && o.Value != "0" && o.Value != "false" && o.Value != "" {
			list = append(list, o.Name+" "+o.Value)
		}
	}
	return list
}
