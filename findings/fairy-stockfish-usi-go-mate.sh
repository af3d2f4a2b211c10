#!/usr/bin/env bash
# Fairy-Stockfish answers a mate search of USI with `bestmove`, and reads its time limit as a number of moves.
#
# Version: fairy-stockfish 11.1-1+b1 (Debian 12).
# Input: a position with a mate in one, and `go mate 500`. In USI the number is milliseconds.
# Right: `checkmate G*5b`.
# Behaviour: `bestmove G*5b`. The number is a limit in moves, as in UCI, so `go mate 1` answers the same.
#
#> go mate 500: bestmove G*5b
#> go mate 1: bestmove G*5b
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' fairy-stockfish 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends fairy-stockfish=11.1-1+b1; } >/dev/null
coproc engine { exec /usr/games/fairy-stockfish 2>/dev/null; }
exec 3<&"${engine[0]}" 4>&"${engine[1]}"
# ask LINE WORD sends a line and prints what the engine writes up to the line that begins with the word.
ask() {
	echo "$1" >&4
	while read -rt 120 line <&3; do
		echo "$line"
		if [[ $line == "$2"* ]]; then return; fi
	done
	echo "no $2 after: $1" >&2
	exit 1
}
ask usi usiok >/dev/null
echo 'setoption name UCI_Variant value shogi' >&4
ask isready readyok >/dev/null
{
	for limit in 500 1; do
		echo 'position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1' >&4
		echo "go mate $limit: $(ask "go mate $limit" bestmove | tail -1)"
	done
} >seen
cat seen
echo quit >&4
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
