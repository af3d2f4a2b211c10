package stats

// A Reason is an error: the reason why games do not determine a result. Its text is a phrase that package
// i18n translates.
type Reason string

// Error returns the reason in English.
func (r Reason) Error() string { return string(r) }

// Phrase returns the English phrase, which is the key of the translations.
func (r Reason) Phrase() string { return string(r) }

// The reasons.
const (
	ErrNoGame     = Reason("no finished game")
	ErrNoDecisive = Reason("no decisive game")
	ErrUnswapped  = Reason("colours were not swapped, so exchanging the engines of a game is no fair coin")
	ErrMixed      = Reason("the series mixes colour-swapped pairs with single games")
	ErrTooMany    = Reason("too many pairs with too many different scores for the exact pair test")
	ErrOneSource  = Reason("it takes two sources with games, and two outcomes, to compare")
	ErrNotStopped = Reason("the test has not stopped")
	ErrOneOpening = Reason("it takes two openings to have a variance")
	ErrOneSided   = Reason("a side that scored nothing, or everything, has no finite Elo")
)
