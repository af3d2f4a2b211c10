// Package newton maximises smooth functions of many variables, such as log-likelihoods, by damped Newton
// steps ([Climb]). It also calculates confidence intervals. [Profile] calculates an interval from the profile
// likelihood, and [Percentiles] from bootstrap samples. The caller implements the function as a [Problem].
package newton
