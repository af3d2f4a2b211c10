// Package statscmd implements the commands that calculate from typed counts, tables and files of games:
// flags, files and exit codes. [Command] is the group stats. Packages report/calculator, report/ratings and
// report/regression do the calculation and print its text.
package statscmd

import "gogi/report/calculator"

// Command groups the commands that calculate from typed counts. docs/statistics.md explains their numbers.
type Command struct {
	Interval IntervalCommand                                     `cmd:"" help:"Calculate confidence intervals of a win rate"`
	Test     command[calculator.TestQuestion, *calculator.Tests] `cmd:"" help:"Test whether one player is stronger"`
	SPRT     command[calculator.SPRTQuestion, *calculator.SPRTs] `cmd:"" name:"sprt" help:"Calculate the SPRT state from counts"`
	Plan     PlanCommand                                         `cmd:"" help:"Calculate how many games detect an Elo difference"`
	Elo      command[calculator.EloQuestion, *calculator.Elos]   `cmd:"" help:"Convert between score, Elo and normalised Elo"`
	Forecast ForecastCommand                                     `cmd:"" help:"Predict the result of a match from past results"`
	Lab      LabCommand                                          `cmd:"" help:"Further calculations: regression, rank sums, coverage, …"`
}

// LabCommand groups calculations for researchers, which libraries of R and Python also offer.
type LabCommand struct {
	Coverage    CoverageCommand                                                    `cmd:"" help:"Calculate how often each interval covers the true value"`
	Adjust      command[calculator.AdjustQuestion, *calculator.Adjustments]        `cmd:"" help:"Adjust p values for multiple testing"`
	Homogeneity command[calculator.HomogeneityQuestion, *calculator.Homogeneities] `cmd:"" help:"Test whether several sources, such as machines, agree"`
	RankSum     RankSumCommand                                                     `cmd:"" name:"ranksum" help:"Compare two groups of rows of a table (Wilcoxon)"`
	RMSE        RMSECommand                                                        `cmd:"" name:"rmse" help:"Calculate the root mean square error of predictions"`
	Orders      OrdersCommand                                                      `cmd:"" help:"Rate the players of games of more than two players"`
	AIC         AICCommand                                                         `cmd:"" name:"aic" help:"Compare models by their log-likelihoods"`
	Regress     RegressCommand                                                     `cmd:"" help:"Fit a regression of a table's column on other columns"`
}
