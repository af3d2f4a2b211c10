// Package newton maximises smooth functions of many variables, such as log-likelihoods, by
// damped Newton steps ([Climb]). It also calculates confidence intervals: [Profile] follows the
// profile from the maximum to the end of an interval, and [Percentiles] takes them from
// bootstrap samples. A [Problem] returns its value and its gradient, and solves for a step.
package newton
