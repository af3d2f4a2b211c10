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

# 12 builds of the built-in engine with other node limits; from v05 on its evaluation has more noise.
version() {
	noise=20
	[ "$1" -lt 5 ] || noise=100
	printf 'cmd = "builtin"\nlimits = {nodes = %d}\noptions = {EvalNoise = %d}\n' "$((60 + $1))" "$noise"
}
builds >builtin.toml
gogi hunt builtin.toml --resign 1:800x3 --concurrency 2 --run builtin --db builtin.db >builtin.txt 2>builtin.log || echo "builtin: exit code $?"

# The same with another seed for each build. The seed decides which positions the engine misjudges, so each build has
# another strength: no single build explains the games.
version() {
	noise=20
	[ "$1" -lt 5 ] || noise=100
	printf 'cmd = "builtin"\nlimits = {nodes = 60}\noptions = {Seed = %d, EvalNoise = %d}\n' "$((100 + $1))" "$noise"
}
builds >seeds.toml
gogi hunt seeds.toml --resign 1:800x3 --concurrency 2 --run seeds --db seeds.db >seeds.txt 2>seeds.log || echo "seeds: exit code $?"

# 20 versions of the built-in engine with 20 to 77 nodes: a ladder, and a round robin with about as many games (3,864 and 3,800).
nodes=20
{ printf 'rules = {name = "default", max_plies = 320}\n'
for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20; do
	printf '[[engine]]\nname = "v%s"\ncmd = "builtin"\nlimits = {nodes = %d}\n' "$i" "$nodes"
	nodes=$((nodes + 3))
done; } >levels.toml
gogi ladder levels.toml --run ladder --db ladder.db --games 56 --concurrency 2 --resign 1:800x3 >ladder.txt 2>ladder.log
gogi match levels.toml --run robin --db robin.db --design round_robin --games 3800 --concurrency 2 --resign 1:800x3 >robin.txt 2>robin.log
gogi rate robin --db robin.db --anchor v01 >robin.txt
touch done
