#!/usr/bin/env bash
# A Go program that decomposes a matrix with gonum and writes a page with html/template is 1.6 MB larger than its two parts.
#
# Version: gonum v0.17.0, Go 1.26.8 (linux/amd64, without cgo).
# Input: three programs. The first calls mat.Cholesky. The second executes a template. The third does both.
# Right: the linker removes functions that nothing calls, so the third program has as many of gonum's methods as the first.
# Behaviour: the first program has 23 methods of gonum's BLAS and LAPACK, the third has 283. mat calls BLAS and LAPACK by
# interfaces. html/template calls methods by names that the linker cannot know. Then the linker keeps all exported methods of
# each type that an interface holds.
#
#> cholesky: 23 methods of gonum's BLAS and LAPACK
#> template: 0 methods of gonum's BLAS and LAPACK
#> both: 283 methods of gonum's BLAS and LAPACK
#> both is larger than its parts by 1.6 MB
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export GOTOOLCHAIN=go1.26.8 GOFLAGS=-trimpath CGO_ENABLED=0 GOOS=linux GOARCH=amd64
go mod init sizes 2>/dev/null
go get gonum.org/v1/gonum@v0.17.0 2>/dev/null
# program NAME IMPORTS STATEMENTS writes and builds a program, once as it is and once without its table of symbols.
program() {
	mkdir "$1"
	printf 'package main\n\nimport (\n%s\n)\n\nfunc main() {\n%s\n}\n' "$2" "$3" >"$1/main.go"
	go build -o "$1.symbols" "./$1"
	go build -ldflags="-s -w" -o "$1.bin" "./$1"
}
matrix='var c mat.Cholesky
c.Factorize(mat.NewSymDense(2, []float64{2, 1, 1, 2}))
println(c.Det())'
page='if err := template.Must(template.New("").Parse("{{.}}")).Execute(os.Stdout, 3); err != nil {
panic(err)
}'
program empty '' ''
program cholesky '"gonum.org/v1/gonum/mat"' "$matrix"
program template '"html/template"
"os"' "$page"
program both '"html/template"
"os"
"gonum.org/v1/gonum/mat"' "$matrix
$page"
{
	for name in cholesky template both; do
		echo "$name: $(go tool nm "$name.symbols" | grep -c 'gonum\.Implementation\.' || true) methods of gonum's BLAS and LAPACK"
	done
	size() { stat -c %s "$1.bin"; }
	more=$(($(size both) - $(size cholesky) - $(size template) + $(size empty)))
	echo "both is larger than its parts by $((more / 1000000)).$((more / 100000 % 10)) MB"
} >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
