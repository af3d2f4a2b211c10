package tune

import (
	"strconv"
	"strings"
)

// Rescale makes a parameter of the older meaning of .params, where step was a two
// hundredth and delta a twentieth of the range, one of today's.
func Rescale(line string) string {
	fields := strings.Split(line, ",")
	if len(fields) < 7 {
		return line
	}
	delta, comment, has := strings.Cut(fields[6], "//")
	x, err := strconv.ParseFloat(strings.TrimSpace(delta), 64)
	if err != nil || x <= mostREnd {
		return line
	}
	fields[5], fields[6] = strings.TrimSpace(delta), "0.002"
	if has {
		fields[6] += " //" + comment
	}
	return strings.Join(fields, ",")
}
