package shogi

// Handicap is a start position in which White (uwate, 上手) has fewer pieces and moves first.
type Handicap struct {
	// Name is the English name, such as "two-piece".
	Name string
	// Japanese is the name in KIF records (手合割), such as "二枚落ち".
	Japanese string
	// Code is the preset name in the JSON kifu format, such as "2".
	Code string
	// SFEN is the start position.
	SFEN string
}

// handicapRest is the common part of all handicap starts: ranks c to i and the fields after the board.
const handicapRest = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

// Handicaps returns the usual handicap starts, the smallest handicap first.
func Handicaps() []Handicap {
	return []Handicap{
		{"lance", "香落ち", "KY", "lnsgkgsn1/1r5b1" + handicapRest},
		{"right-lance", "右香落ち", "KY_R", "1nsgkgsnl/1r5b1" + handicapRest},
		{"bishop", "角落ち", "KA", "lnsgkgsnl/1r7" + handicapRest},
		{"rook", "飛車落ち", "HI", "lnsgkgsnl/7b1" + handicapRest},
		{"rook-lance", "飛香落ち", "HIKY", "lnsgkgsn1/7b1" + handicapRest},
		{"two-piece", "二枚落ち", "2", "lnsgkgsnl/9" + handicapRest},
		{"three-piece", "三枚落ち", "3", "lnsgkgsn1/9" + handicapRest},
		{"four-piece", "四枚落ち", "4", "1nsgkgsn1/9" + handicapRest},
		{"five-piece", "五枚落ち", "5", "2sgkgsn1/9" + handicapRest},
		{"left-five-piece", "左五枚落ち", "5_L", "1nsgkgs2/9" + handicapRest},
		{"six-piece", "六枚落ち", "6", "2sgkgs2/9" + handicapRest},
		{"left-seven-piece", "左七枚落ち", "7_L", "2sgkg3/9" + handicapRest},
		{"right-seven-piece", "右七枚落ち", "7_R", "3gkgs2/9" + handicapRest},
		{"eight-piece", "八枚落ち", "8", "3gkg3/9" + handicapRest},
		{"ten-piece", "十枚落ち", "10", "4k4/9" + handicapRest},
	}
}

// FindHandicap returns the handicap with the given English name, Japanese name or JSON kifu format code. It returns
// false if there is none.
func FindHandicap(name string) (Handicap, bool) {
	for _, h := range Handicaps() {
		if name == h.Name || name == h.Japanese || name == h.Code {
			return h, true
		}
	}
	return Handicap{}, false
}
