// Package ascent climbs smooth functions of many variables, such as
// log-likelihoods, to their peaks by damped Newton steps, and follows their
// profiles down from there to where an interval ends. It knows no games: a
// [Problem] says its value, its slope, and how to solve for a step.
package ascent
