package stats

import "math"

// A brownian is a Brownian motion that starts at 0 and stops at lower or upper.
type brownian struct{ lower, upper, drift, variance float64 }

// worse returns the probability that the motion passes below the point (time, height). This is the case if
// the motion ends at the lower bound before time, or has not ended at time and is below height. fishtest
// calls this function outcome_cdf.
func (b brownian) worse(time, height float64) float64 {
	width, gamma := b.upper-b.lower, b.drift/b.variance
	if b.variance*time/(width*width) < 1e-2 || math.Abs(gamma*width) > 15 {
		return b.worseEarly(time, height)
	}
	return b.worseSeries(time, height)
}

// ended returns the probabilities that the motion ends at the upper and at the lower bound before time.
func (b brownian) ended(time float64) (upper, lower float64) {
	return max(0, 1-b.worse(time, b.upper)), max(0, b.worse(time, b.lower))
}

// worseSeries returns the same probability as worse, by the Fourier series of the heat equation between the bounds. The
// series converges fast unless time is short.
func (b brownian) worseSeries(time, height float64) float64 {
	width, gamma := b.upper-b.lower, b.drift/b.variance
	x, y := -b.lower, height-b.lower
	rate := func(n float64) float64 { return n * n * math.Pi * math.Pi / (width * width) * b.variance / 2 }
	scale := math.Exp(gamma*(y-x) - (rate(1)+b.drift*gamma/2)*time)
	sum := 0.0
	for n := 1.0; ; n++ {
		wave := n * math.Pi / width
		decay := math.Exp((rate(1) - rate(n)) * time)
		norm := gamma*gamma + wave*wave
		sin, cos := math.Sincos(wave * y)
		sum += decay * 2 / width * (gamma*sin - wave*cos) / norm * math.Sin(wave*x)
		if scale*decay*2/width/math.Sqrt(norm) <= 1e-12 {
			return b.ruin(x, width, gamma) + scale*sum
		}
	}
}

// ruin returns the probability that the motion ends at the lower bound. x is the distance of the start from the lower
// bound. width is the distance of the bounds, and gamma the drift divided by the variance.
func (b brownian) ruin(x, width, gamma float64) float64 {
	switch {
	case math.Abs(gamma*width) < 1e-8:
		return (width - x) / width
	case gamma > 0:
		return math.Exp(-2*gamma*x) * math.Expm1(-2*gamma*(width-x)) / math.Expm1(-2*gamma*width)
	}
	return math.Expm1(2*gamma*(width-x)) / math.Expm1(2*gamma*width)
}

// worseEarly calculates worse for short times. It uses Siegmund's approximation, with one reflection at each bound.
func (b brownian) worseEarly(time, height float64) float64 {
	spread, gamma := math.Sqrt(b.variance*time), b.drift/b.variance
	z := (height - b.drift*time) / spread
	below := (2*b.lower - height + b.drift*time) / spread
	above := (height - 2*b.upper - b.drift*time) / spread
	return normalBelow(z) + reflected(gamma*b.lower, below) - reflected(gamma*b.upper, above)
}

// reflected returns exp(2c) P(Z <= z) for a standard normal Z. If exp(2c) is large, P(Z <= z) is tiny. It
// then uses the asymptotic expansion of the product, as fishtest does.
func reflected(c, z float64) float64 {
	if c < 5 {
		return math.Exp(2*c) * normalBelow(z)
	}
	return -math.Exp(2*c-z*z/2) / math.Sqrt(2*math.Pi) * (1/z - 1/(z*z*z))
}

// normalBelow returns P(Z <= z) for a standard normal Z.
func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
