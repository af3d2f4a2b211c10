#!/bin/sh
# The real hunts and ladders of hunt.md. Usage: sh docs/research/hunt.sh FOLDER. The folder gets the databases and the answers.
# A second start resumes. It needs gogi and fairy-stockfish in PATH.
set -eu
mkdir -p "$1" && cd "$1"

# builds SUFFIX prints 12 versions; the arguments of each line come from the function "version".
builds() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf '[[engine]]\nname = "v%02d"\n' "$i"
		version "$i"
	done
}

# 12 builds of fairy-stockfish. The node limit makes each build play other moves; from v08 on it has a third of the nodes.
version() {
	nodes=$((150 + $1))
	[ "$1" -lt 8 ] || nodes=$((50 + $1))
	printf 'cmd = "fairy-stockfish"\nlimits = {nodes = %d}\noptions = {UCI_Variant = "shogi", Threads = 1}\n' "$nodes"
}
builds >fairy.toml
gogi hunt fairy.toml --run fairy --db fairy.db --resign 1:800x3 >fairy.txt 2>fairy.log || echo "fairy: exit code $?"

# 12 builds of the built-in engine with another seed each; from v05 on its evaluation has more noise.
version() {
	noise=20
	[ "$1" -lt 5 ] || noise=100
	printf 'cmd = "builtin"\nlimits = {nodes = 60}\noptions = {Seed = %d, EvalNoise = %d}\n' "$((100 + $1))" "$noise"
}
builds >builtin.toml
gogi hunt builtin.toml --resign 1:800x3 --run builtin --db builtin.db >builtin.txt 2>builtin.log || echo "builtin: exit code $?"
touch done
