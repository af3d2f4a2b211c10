package lists_test

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
)

func even(n int) bool { return n%2 == 0 }

func TestLists(t *testing.T) {
	t.Parallel()
	numbers := []int{3, 4, 6, 4}
	testutil.Slices(t, lists.Map(numbers, strconv.Itoa), []string{"3", "4", "6", "4"})
	testutil.Slices(t, lists.Filter(numbers, even), []int{4, 6, 4})
	testutil.Equal(t, lists.Count(numbers, even), 3)
	testutil.Equal(t, lists.Sum(numbers, func(n int) float64 { return float64(n) / 2 }), 8.5)
	keys := slices.Sorted(maps.Keys(lists.Set(numbers, strconv.Itoa)))
	testutil.Slices(t, keys, []string{"3", "4", "6"})
	found, ok := lists.Find(numbers, even)
	testutil.Equal(t, found, 4)
	testutil.Equal(t, ok, true)
}

// TestOfNothing: an empty result is nil, which JSON and tests distinguish from an empty list.
func TestOfNothing(t *testing.T) {
	t.Parallel()
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("Map returns %#v, want nil", got)
	}
	if _, ok := lists.Find([]int{1}, even); ok {
		t.Error("Find finds what is not there")
	}
	if got := lists.Filter([]int{1}, even); got != nil {
		t.Errorf("Filter returns %#v, want nil", got)
	}
}

// TestEach: the error of an element ends the loop.
func TestEach(t *testing.T) {
	t.Parallel()
	odd := errors.New("odd")
	var seen []int
	see := func(n int) error {
		seen = append(seen, n)
		if !even(n) {
			return odd
		}
		return nil
	}
	testutil.Is(t, lists.Each([]int{2, 3, 4}, see), odd)
	testutil.Slices(t, seen, []int{2, 3})
	if err := lists.Each([]int{2, 4}, see); err != nil {
		t.Error(err)
	}
}
