// Package newton maximises smooth functions of many variables, such as log-likelihoods, by damped Newton steps
// ([Climb]). It also calculates confidence intervals. [Profile] follows the profile likelihood from the maximum to
// both ends of an interval. [Percentiles] calculates an interval from bootstrap samples. The caller implements the
// function as a [Problem].
package newton
