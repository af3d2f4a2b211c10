package newton

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Definite returns a function that solves linear equations with a symmetric matrix. If the matrix is not
// positive definite, the function uses the absolute values of the eigenvalues, so that a Newton step leads
// upwards even from a saddle point. Definite first scales the diagonal of the matrix to 1, because rows that
// are tiny near a bound also matter.
func Definite(m *mat.SymDense) func(rhs []float64) []float64 {
	dim := m.SymmetricDim()
	scale, scaled := make([]float64, dim), mat.NewSymDense(dim, nil)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(math.Abs(m.At(i, i))+1e-290)
	}
	for i := range dim {
		for j := range i + 1 {
			v := m.At(i, j) * scale[i] * scale[j]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return func([]float64) []float64 { return make([]float64, dim) }
			}
			scaled.SetSym(i, j, v)
		}
	}
	solve := solver(scaled)
	return func(rhs []float64) []float64 {
		right := mat.NewVecDense(dim, nil)
		for i, v := range rhs {
			right.SetVec(i, v*scale[i])
		}
		z := solve(right).RawVector().Data
		for i := range z {
			z[i] *= scale[i]
		}
		return z
	}
}

// wellConditioned is the largest condition number for which a Cholesky factor is used.
const wellConditioned = 1e13

func solver(scaled *mat.SymDense) func(*mat.VecDense) *mat.VecDense {
	var factor mat.Cholesky
	if factor.Factorize(scaled) && factor.Cond() < wellConditioned {
		return func(right *mat.VecDense) *mat.VecDense {
			z := new(mat.VecDense)
			if factor.SolveVecTo(z, right) != nil {
				z = mat.NewVecDense(right.Len(), nil)
			}
			return z
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return func(right *mat.VecDense) *mat.VecDense { return right }
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	return func(right *mat.VecDense) *mat.VecDense {
		var along, z mat.VecDense
		along.MulVec(vectors.T(), right)
		for i, v := range values {
			along.SetVec(i, along.AtVec(i)/max(math.Abs(v), 1/wellConditioned))
		}
		z.MulVec(&vectors, &along)
		return &z
	}
}
