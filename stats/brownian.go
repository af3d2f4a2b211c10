package stats

import "math"

// A brownian is a Brownian motion from 0 that stops at lower or upper.
type brownian struct{ lower, upper, drift, variance float64 }

// worse returns the probability that the motion passes (time, height) on the low side. The motion then ends
// at the lower bound at any time, or is below height at that time, or reaches the upper bound later. It is
// fishtest's outcome_cdf.
func (b brownian) worse(time, height float64) float64 {
	width, gamma := b.upper-b.lower, b.drift/b.variance
	if b.variance*time/(width*width) < 1e-2 || math.Abs(gamma*width) > 15 {
		return b.worseEarly(time, height)
	}
	return b.worseSeries(time, height)
}

// worseSeries sums the Fourier series of the heat equation between the bounds. It converges fast unless the
// time is short.
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

// ruin returns the probability to end at the lower bound, which is x below the start.
func (b brownian) ruin(x, width, gamma float64) float64 {
	switch {
	case math.Abs(gamma*width) < 1e-8:
		return (width - x) / width
	case gamma > 0:
		return math.Exp(-2*gamma*x) * math.Expm1(-2*gamma*(width-x)) / math.Expm1(-2*gamma*width)
	}
	return math.Expm1(2*gamma*(width-x)) / math.Expm1(2*gamma*width)
}

// worseEarly returns Siegmund's approximation, with one reflection at each bound.
func (b brownian) worseEarly(time, height float64) float64 {
	spread, gamma := math.Sqrt(b.variance*time), b.drift/b.variance
	z := (height - b.drift*time) / spread
	below := (2*b.lower - height + b.drift*time) / spread
	above := (height - 2*b.upper - b.drift*time) / spread
	return normalBelow(z) + reflected(gamma*b.lower, below) - reflected(gamma*b.upper, above)
}

// reflected returns exp(2c) P(Z <= z). If exp(2c) is large, the tail is tiny. Then it multiplies by the
// asymptotic expansion, as fishtest does.
func reflected(c, z float64) float64 {
	if c < 5 {
		return math.Exp(2*c) * normalBelow(z)
	}
	return -math.Exp(2*c-z*z/2) / math.Sqrt(2*math.Pi) * (1/z - 1/(z*z*z))
}

// normalBelow returns P(Z <= z) for a standard normal Z.
func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
