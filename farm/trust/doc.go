// Package trust says what the results of a farm prove about its workers: who differs
// from all others in the same run, who was caught with games that nobody can have
// played so, and whose clocks are scaled by a wrong factor. It is pure: pairs go in, in
// plan order, and values with reasons come out; whoever grants pairs acts on them.
//
// What it can promise: in a farm where no worker differs from the others, the
// probability that anybody is ever accused by residuals is at most [Alpha], however
// often they are looked at and whatever the games are like; and of the workers that
// are accused at one look, at most that share differ from nobody in expectation. An
// accusation says that a worker's results are others than those of the rest, not why:
// a slow disk and a cheat look alike.
//
// What it takes, in simulation, until a worker that plays a tenth of a farm of 50 is
// accused, in pairs of its own, in half of the farms and in nine of ten: 4,600 and
// 9,000 where it loses 5% of its games for the new side, 220 and 450 where it loses
// 20%; 60 and 100 where one game in twenty is lost on time (docs/trust.md).
//
// What it cannot: a worker that invents games of the same strength is found by audits
// alone, in proportion to their share; and where engines are not deterministic, no
// audit finds it.
package trust
