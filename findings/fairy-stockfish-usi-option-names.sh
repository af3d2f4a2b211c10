#!/usr/bin/env bash
# Two packaged versions of Fairy-Stockfish declare the same options under different names in USI.
#
# Versions: fairy-stockfish 11.1-1+b1 (Debian 12), fairy-stockfish-nnue.wasm 1.1.12 (npm, Node 20).
# Input: `usi`.
# Right: USI reserves USI_Hash and USI_Ponder, and option names have no blanks.
# Behaviour: 11.1 declares the names of UCI, with blanks. The later build declares the names of USI, and writes "_" for a blank.
# A program that sets USI_Hash or "Skill Level" reaches only one of them.
#
#> Debian: Hash, MultiPV, Ponder, Skill Level
#> npm: Skill_Level, USI_Hash, USI_MultiPV, USI_Ponder
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' fairy-stockfish 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends fairy-stockfish=11.1-1+b1; } >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fairy-stockfish-nnue.wasm@1.1.12
# names COMMAND… prints the names of four options, sorted.
names() {
	coproc engine { exec "$@" 2>/dev/null; }
	local in=${engine[1]} out=${engine[0]} pid=$engine_PID line
	echo usi >&"$in"
	while read -rt 120 line <&"$out" && [[ $line != usiok* ]]; do echo "$line"; done >options
	sed -nE 's/^option name ((USI_)?(Hash|MultiPV|Ponder)|Skill.Level) type.*/\1/p' options | LC_ALL=C sort | paste -sd, | sed 's/,/, /g'
	echo quit >&"$in"
	wait "$pid" || true
}
{
	echo "Debian: $(names /usr/games/fairy-stockfish)"
	echo "npm: $(names node --no-experimental-fetch node_modules/fairy-stockfish-nnue.wasm/uci.js)"
} >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
