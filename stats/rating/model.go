package rating

import "gogi/stats"

// Draws says how a model sees draws.
type Draws string

// The draw models.
const (
	// HalfWin counts a draw as half a win for each side. It is no probability
	// model of draws, so its likelihood compares only with others of its kind.
	HalfWin Draws = "half_win"
	// Davidson (1970) gives a draw the weight ν√(π_i π_j) beside π_i and π_j.
	Davidson Draws = "davidson"
	// RaoKupper (1967) gives i the win with π_i/(π_i + λπ_j), λ ≥ 1, and what
	// both sides leave over to the draw.
	RaoKupper Draws = "rao_kupper"
)

// FirstMove says what moving first (Black) is worth.
type FirstMove string

// The first-move effects.
const (
	NoFirstMove FirstMove = "none"
	// Multiplicative multiplies Black's strength by a factor.
	Multiplicative FirstMove = "multiplicative"
	// Additive wins for Black with (π_i + δ)/(π_i + π_j).
	Additive FirstMove = "additive"
)

// Method is the way to the maximum of the likelihood.
type Method string

// The methods; both reach the same maximum.
const (
	Newton Method = "newton"
	// MM is Hunter's minorisation (2004), player after player.
	MM Method = "mm"
)

// Prior draws ratings together. The zero value is none: maximum likelihood.
type Prior struct {
	SD           float64 // of a Gaussian for each log strength, in natural units; 0 is none
	VirtualDraws float64 // half-win draws added between every two players
}

// Model is what [Rate] fits. The zero value is the plain Bradley–Terry model,
// fitted by Newton's method, where a draw is half a win.
type Model struct {
	Draws     Draws     // "" is HalfWin
	FirstMove FirstMove // "" is NoFirstMove
	Method    Method    // "" is Newton
	Prior     Prior
}

// Player is the rating of one player.
type Player struct {
	Name     string
	Elo      float64 // mean 0 over the players rated
	Strength float64 // π, sum 50 per player rated
	Games    int     // those between players rated
	Points   float64 // in these games; a draw is half a point
}

// Aside is a player, or several, for whom the games determine no rating.
type Aside struct {
	Player string
	Why    string
}

// Fit is a fitted model.
type Fit struct {
	Model      Model
	Players    []Player // best first
	FirstMove  float64  // factor of Black's strength (1 without effect), or the δ added (0)
	Draw       float64  // ν of Davidson, λ of Rao–Kupper; 0 for HalfWin
	LogLik     float64  // of the games between players rated, without binomial constants, without prior
	Parameters int      // estimated, a level of strengths not counted
	Games      int      // between players rated
	Iterations int
	SetAside   []Aside
}

// Rate fits a model to even games.
func Rate(counts []Count, m Model) (*Fit, error) { panic("not yet") }

// FirstMoveElo is the first-move factor in Elo points.
func (f *Fit) FirstMoveElo() (float64, error) { panic("not yet") }

// LRTest is a likelihood-ratio test of nested models.
type LRTest struct {
	Statistic float64 // twice the difference of log-likelihoods
	DF        int
	P         float64
}

// LikelihoodRatio tests a fit against one that it contains.
func LikelihoodRatio(null, full *Fit) (LRTest, error) { panic("not yet") }

// Covariance of log strengths (natural units, mean 0), and of the logarithms of
// the first-move factor and the draw parameter where a model has them.
type Covariance struct {
	Names  []string // players in the order of [Fit].Players, then "first_move", "draw"
	Matrix [][]float64
}

// Covariance is the inverse of the observed information.
func (f *Fit) Covariance() (Covariance, error) { panic("not yet") }

// EloErrors are the standard errors of the ratings in Elo points, in the order
// of [Fit].Players.
func (f *Fit) EloErrors() ([]float64, error) { panic("not yet") }

// Profile is the profile-likelihood interval of a player's rating in Elo points.
func (f *Fit) Profile(player string, level float64) (stats.Interval, error) { panic("not yet") }

// ProfileDifference is the profile-likelihood interval of a's rating less b's.
func (f *Fit) ProfileDifference(a, b string, level float64) (stats.Interval, error) {
	panic("not yet")
}

// ProfileFirstMove is the profile-likelihood interval of [Fit].FirstMove.
func (f *Fit) ProfileFirstMove(level float64) (stats.Interval, error) { panic("not yet") }

// Bootstrap is the result of a parametric bootstrap.
type Bootstrap struct {
	Samples   int
	Failed    int              // samples without an estimate, left out
	Players   []stats.Interval // of the ratings in Elo, in the order of [Fit].Players
	FirstMove stats.Interval   // of [Fit].FirstMove, where the model has it
}

// Bootstrap plays the games again as the fit predicts them, and rates them.
func (f *Fit) Bootstrap(samples int, level float64, seed uint64) (Bootstrap, error) {
	panic("not yet")
}

// Comparison is what a fit says about two players.
type Comparison struct {
	A, B         string
	Elo, SE      float64 // A's rating less B's
	Z            float64
	P, PHolm     float64        // two-sided; PHolm is adjusted for all pairs
	Superiority  float64        // probability that A is stronger, by the normal approximation
	Interval     stats.Interval // for this pair alone
	Simultaneous stats.Interval // for all pairs at once, by Bonferroni
}

// Pairwise compares every two players.
func (f *Fit) Pairwise(level float64) ([]Comparison, error) { panic("not yet") }

// Goodness is how well a fit describes the games that it was fitted to.
type Goodness struct {
	Deviance  float64
	Pearson   float64
	DF        int
	P         float64 // of the deviance by χ²; only good when every pair played many games
	Bootstrap float64 // of the deviance by parametric bootstrap
	Samples   int
	Failed    int
}

// Goodness compares the fit with a model of one rate for each pairing.
func (f *Fit) Goodness(samples int, seed uint64) (Goodness, error) { panic("not yet") }

// Residual is how far two players' games are from what the fit expects.
type Residual struct {
	A, B             string
	Games            int
	Points, Expected float64 // of A
	Z                float64
	PHolm            float64 // two-sided normal, adjusted for all pairs
}

// Residuals are those of all pairs that met, the worst first.
func (f *Fit) Residuals() []Residual { panic("not yet") }

// Cycle is three players each of whom beat the next more often than not.
type Cycle struct {
	Players [3]string  // each beat the next, the last the first
	Scores  [3]float64 // points per game of each against the next
	P       float64    // largest of the three exact one-sided p values
}

// Cycles are the majority cycles in the games, the surest first, at most limit.
func Cycles(counts []Count, limit int) ([]Cycle, error) { panic("not yet") }

// Connection is what the games say about who can be rated.
type Connection struct {
	Rated    []string   // players of the one group that has ratings, by name
	SetAside []Aside    // removed one after the other
	Groups   [][]string // strongly connected groups of the rest; one when ratings exist
	Why      string     // why there is no unique rating; empty when there is
}

// Connect checks whether the games determine ratings.
func Connect(counts []Count) (Connection, error) { panic("not yet") }

// MMIterates are the strengths, by name and with sum 1, after each of the first
// n steps of the MM algorithm from equal strengths.
func MMIterates(counts []Count, n int, cyclic bool) ([][]float64, error) { panic("not yet") }
