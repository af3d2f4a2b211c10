package rating

import (
	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"
)

// CompareHandicaps fits handicap models to the same games, with profile intervals of the given level; none named is
// all of them. A draw is half a win here. A model that the games do not determine is a [*ModelError]. The
// constraints of the models are kept, so a parameter may end at 0. For all models the same players are set aside
// ([crosstable.Connect]). It fails for unknown models, for a level outside (0, 1), where no or no unique ratings
// exist, and where no game has a handicap.
func CompareHandicaps(games []crosstable.Count, level float64, models ...HandicapModel) (*HandicapComparison, error) {
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return nil, err
	}
	all, err := crosstable.New(games)
	if err != nil {
		return nil, err
	}
	return CompareHandicapTable(all, level, models...)
}
