package rating

// A Warning is a reason to doubt a comparison of handicap models. Its Kind decides which of the other fields
// are set.
type Warning struct {
	Kind      WarningKind
	P         float64 // p value of the first-move effect in even games.
	Following float64 // R² of a regression of the handicap on the players.
	Pairs     int     // number of pairs of players who met again, always under the same handicap
}

// A WarningKind is the kind of a [Warning].
type WarningKind string

// The kinds of a Warning. The first two compare the handicaps with differences: each player has a value, and the
// value of Black minus the value of White explains the handicap.
const (
	HandicapIsGap    WarningKind = "handicap_is_gap"    // such differences explain all handicaps, so their effect is not separable
	HandicapFollows  WarningKind = "handicap_follows"   // such differences nearly explain them, so standard errors are large
	HandicapIsPair   WarningKind = "handicap_is_pair"   // players who met again always had the same handicap.
	FirstMoveIgnored WarningKind = "first_move_ignored" // even games have a first-move effect, which few models have
	DrawsAreHalves   WarningKind = "draws_are_halves"   // draws are half wins; likelihoods of draw models are not comparable
)
