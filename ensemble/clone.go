package ensemble

import "slices"

// clone is a chamber that goes its own way from here.
func (c *Chamber) clone() *Chamber {
	twin := *c
	twin.rule = cloneRule(c.rule)
	return &twin
}

func cloneRule(r Rule) Rule {
	switch r := r.(type) {
	case *adoption:
		return &adoption{r.clone(), slices.Clone(r.adopted), slices.Clone(r.last), slices.Clone(r.order)}
	case *evaluation:
		twin := &evaluation{standing: r.clone(), bonus: r.bonus}
		for _, list := range r.sums {
			twin.sums = append(twin.sums, slices.Clone(list))
		}
		return twin
	case *byScore:
		return &byScore{r.clone()}
	case *borda:
		return &borda{r.clone()}
	case *pool:
		return &pool{r.clone()}
	case *standing:
		twin := r.clone()
		return &twin
	}
	return r
}

func (s *standing) clone() standing {
	twin := *s
	twin.weights = slices.Clone(s.weights)
	return twin
}
