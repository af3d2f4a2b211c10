package tune

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The supported files of other tuners. Each line is a parameter:
//
//	.params     name, type, value, min, max, step, delta //comment [[NOT USED]]
//	fishtest    name,start,min,max,c_end,r_end
//	OpenBench   name, int|float, start, min, max, c_end, r_end
//	.tune       #param name type value min max step delta
//
// step is c_end and delta r_end. A line with seven fields whose second is a type is from .params or
// OpenBench, which mean the same. A line with six is fishtest's.

// These are the largest line and the largest parameter file that gogi reads, in bytes.
const (
	maxLine = 64 << 10
	maxFile = 16 << 20
)

// mostREnd is the largest value of a line's last column that gogi reads as the gain r_end. In older files this column
// was a twentieth of the range, which is larger. As a gain, such a large value would make a tune useless.
const mostREnd = 0.1

// ReadParams reads parameters from r, one from each line. A line has the format of a .params file, of fishtest, of
// OpenBench or of a .tune file. ReadParams skips blank lines, and in a .tune file all lines except #param. name is
// the name of the file in errors.
func ReadParams(r io.Reader, name string) ([]Param, error) {
	lines := bufio.NewScanner(io.LimitReader(r, maxFile+1))
	lines.Buffer(nil, maxLine)
	var params []Param
	isTune, read, number := false, 0, 0
	for lines.Scan() {
		number++
		text := strings.TrimPrefix(lines.Text(), "\ufeff")
		if read += len(text) + 1; read > maxFile {
			return nil, fmt.Errorf("%s: more than %d bytes", name, maxFile)
		}
		isTune = isTune || strings.HasPrefix(text, "#")
		p, ok, err := readLine(text, isTune)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		if ok {
			params = append(params, p)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxLine)
		}
		return nil, fmt.Errorf("%s, line %d: %w", name, number+1, err)
	}
	if len(params) == 0 {
		return nil, fmt.Errorf("%s: no parameter: want lines such as LMR_BASE, int, 1024, 0, 4096, 200, 0.002", name)
	}
	if err := CheckParams(params); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return params, nil
}

func readLine(text string, isTune bool) (p Param, ok bool, err error) {
	if isTune {
		words := strings.Fields(text)
		if len(words) == 0 || words[0] != "#param" {
			return p, false, nil
		}
		return readFields(words[1:])
	}
	const unused = "[[NOT USED]]"
	p.Unused = strings.Contains(text, unused)
	line, comment, _ := strings.Cut(strings.ReplaceAll(text, unused, ""), "//")
	if strings.TrimSpace(line) == "" {
		return p, false, nil
	}
	fields := strings.Split(line, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	q, ok, err := readFields(fields)
	q.Unused, q.Comment = p.Unused, strings.TrimSpace(comment)
	if err == nil && q.CEnd == 0 && !q.Unused {
		err = fmt.Errorf("%q: step 0 never changes the value; remove the line, or mark it with [[NOT USED]]", q.Name)
	}
	return q, ok, err
}

// readFields reads name, [type,] value, min, max, c_end, r_end.
func readFields(fields []string) (p Param, ok bool, err error) {
	if len(fields) < 6 {
		return p, false, fmt.Errorf("%d fields: want name, type, value, min, max, step, delta, or without a type",
			len(fields))
	}
	p.Name = fields[0]
	if p.Name == "" || strings.HasPrefix(p.Name, "#") || strings.Contains(p.Name, ",") || strings.Contains(p.Name, "//") {
		return p, false, fmt.Errorf("%q: want a name that does not begin with # and has no comma and no //", p.Name)
	}
	rest := fields[1:]
	switch strings.ToLower(rest[0]) {
	case "int":
		p.Kind, rest = Int, rest[1:]
	case "float", "double":
		p.Kind, rest = Float, rest[1:]
	default:
		if len(fields) != 6 {
			return p, false, fmt.Errorf("%q: type %q: want int or float", p.Name, rest[0])
		}
	}
	if len(rest) < 5 {
		return p, false, fmt.Errorf("%q: %d numbers: want value, min, max, step, delta", p.Name, len(rest))
	}
	for i, to := range []*float64{&p.Start, &p.Min, &p.Max, &p.CEnd, &p.REnd} {
		if *to, err = strconv.ParseFloat(rest[i], 64); err != nil || math.IsInf(*to, 0) || math.IsNaN(*to) {
			return p, false, fmt.Errorf("%q: %s %q is no number", p.Name, []string{"value", "min", "max", "step", "delta"}[i],
				rest[i])
		}
	}
	if p.REnd > mostREnd {
		return p, false,
			fmt.Errorf("%q: delta %v looks like the old meaning, a part of the range; write delta = 0.002 or use --rescale",
				p.Name, p.REnd)
	}
	if p.Kind == "" { // a line of fishtest: an integer if its bounds are whole
		p.Kind = Int
		if p.Min != math.Floor(p.Min) || p.Max != math.Floor(p.Max) {
			p.Kind = Float
		}
	}
	return p, true, nil
}

// WriteParams writes parameters in the format .params. values replaces the start values; with nil, WriteParams writes
// the start values. It leaves out parameters of the kind Choice.
func WriteParams(w io.Writer, params []Param, values []float64) error {
	out := bufio.NewWriter(w)
	for i := range params {
		p := &params[i]
		if p.Kind == Choice {
			continue // the format has no choices
		}
		fmt.Fprintf(out, "%s,%s,%s,%s,%s,%s,%s", p.Name, p.Kind, p.digits(at(values, i, p.Start)), p.digits(p.Min),
			p.digits(p.Max),
			short(p.cEnd()), short(p.rEnd()))
		if p.Comment != "" {
			fmt.Fprintf(out, " //%s", p.Comment)
		}
		if p.Unused {
			fmt.Fprint(out, " [[NOT USED]]")
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// WriteFishtest writes parameters in fishtest's format. values has the same meaning as in WriteParams.
func WriteFishtest(w io.Writer, params []Param, values []float64) error {
	return writeLines(w, params, values, func(p *Param) string { return p.Name + "," })
}

// WriteOpenBench writes parameters in OpenBench's format. values has the same meaning as in WriteParams.
func WriteOpenBench(w io.Writer, params []Param, values []float64) error {
	return writeLines(w, params, values, func(p *Param) string { return p.Name + ", " + string(p.Kind) + ", " })
}

func writeLines(w io.Writer, params []Param, values []float64, begin func(*Param) string) error {
	out := bufio.NewWriter(w)
	for i := range params {
		p := &params[i]
		if p.Kind == Choice || p.Unused {
			continue
		}
		head := begin(p)
		sep := ","
		if strings.HasSuffix(head, " ") {
			sep = ", "
		}
		fmt.Fprintln(out, head+strings.Join([]string{
			p.digits(at(values, i, p.Start)), p.digits(p.Min), p.digits(p.Max), short(p.cEnd()), short(p.rEnd()),
		}, sep))
	}
	return out.Flush()
}

func at(values []float64, i int, otherwise float64) float64 {
	if values == nil {
		return otherwise
	}
	return values[i]
}

// digits returns a bound or a value of the option as text with all digits.
func (p *Param) digits(x float64) string {
	if p.Kind == Int {
		return p.Text(x)
	}
	return short(x)
}

func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (p *Param) cEnd() float64 { return cmp.Or(p.CEnd, p.Spread(Fishtest)) }

func (p *Param) rEnd() float64 { return cmp.Or(p.REnd, 0.002) }
