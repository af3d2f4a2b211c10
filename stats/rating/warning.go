package rating

// A Warning is a reason to doubt a comparison of handicap models. Its Kind determines which other fields are
// set.
type Warning struct {
	Kind      WarningKind
	P         float64 // p value of the first-move effect in even games.
	Following float64 // R² of a regression of the handicap on the players.
	Pairs     int     // number of pairs of players who met again, always under the same handicap
}

// A WarningKind names the subject of a [Warning].
type WarningKind string

// The kinds of a Warning.
const (
	HandicapIsGap    WarningKind = "handicap_is_gap"    // the handicap is a function of the players' difference, so its effect cannot be separated from the ratings.
	HandicapFollows  WarningKind = "handicap_follows"   // the handicap is nearly such a function, so standard errors are large.
	HandicapIsPair   WarningKind = "handicap_is_pair"   // players who met again always had the same handicap.
	FirstMoveIgnored WarningKind = "first_move_ignored" // even games have a first-move effect that only FirstMoveOnly and LogFreeFirst contain.
	DrawsAreHalves   WarningKind = "draws_are_halves"   // draws count as half wins, so likelihoods are not comparable with those of draw models
)
