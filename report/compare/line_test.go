package compare

import (
	"math"
	"testing"
)

// With equal variances it is ordinary least squares: by hand.
func TestLine(t *testing.T) {
	place, elo := []float64{0, 1, 2, 3}, []float64{0, 12, 18, 34}
	covariance := [][]float64{{9, 0, 0, 0}, {0, 9, 0, 0}, {0, 0, 9, 0}, {0, 0, 0, 9}}
	got, err := newLine(place, elo, covariance, 0.95)
	if err != nil || math.Abs(got.Slope-10.8) > 1e-9 || math.Abs(got.Error-3/math.Sqrt(5)) > 1e-9 {
		t.Fatalf("%+v, %v", got, err)
	}
	// Residuals -0.2, 1, -3.8, 1.4 less: squares over 9, with 2 degrees of freedom exp(-x/2).
	squares := 0.0
	for i := range elo {
		d := elo[i] - (16 - 10.8*1.5) - 10.8*place[i]
		squares += d * d / 9
	}
	if math.Abs(got.Misfit-math.Exp(-squares/2)) > 1e-9 {
		t.Errorf("%+v", got)
	}
	// What all versions have in common does not blur the slope.
	for i := range covariance {
		for j := range covariance {
			covariance[i][j] += 100
		}
	}
	if common, err := newLine(place, elo, covariance, 0.95); err != nil || math.Abs(common.Slope-got.Slope)+math.Abs(common.Error-got.Error) > 1e-9 {
		t.Errorf("%+v, %v", common, err)
	}
	for name, f := range map[string]func() error{
		"one place": func() error { _, err := newLine([]float64{1, 1, 1, 1}, elo, covariance, 0.95); return err },
		"negative": func() error {
			_, err := newLine([]float64{0, 1}, elo[:2], [][]float64{{-1, 0}, {0, 1}}, 0.95)
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
