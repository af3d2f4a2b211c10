package worker

import (
	"errors"
	"strconv"
)

// Standing returns the lists of a worker that knows and refuses the given number of runs.
func Standing(runs int) (known, refused []string) {
	w := &Worker{tasks: map[string]*task{}}
	for i := range runs {
		w.tasks[strconv.Itoa(i)] = &task{refused: errors.New("not here")}
	}
	known, _, refused, _ = w.standing()
	return known, refused
}
