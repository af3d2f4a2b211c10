package worker

import (
	"errors"
	"strconv"
)

// Standing is what a worker says of so many runs, all of which it refuses.
func Standing(runs int) (known, refused []string) {
	w := &Worker{tasks: map[string]*task{}}
	for i := range runs {
		w.tasks[strconv.Itoa(i)] = &task{refused: errors.New("not here")}
	}
	known, _, refused, _ = w.standing()
	return known, refused
}
