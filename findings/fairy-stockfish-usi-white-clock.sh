#!/usr/bin/env bash
# Fairy-Stockfish reads the clocks of `go` exchanged under USI: White plays by Black's time.
#
# Version: fairy-stockfish 11.1-1+b1 (Debian 12).
# Input: the position after 7g7f, White to move, with 60 s for Black and 0.5 s for White; then the same clocks at the start
# position with Black to move.
# Right: White uses less than its 0.5 s; Black may use some seconds of its 60.
# Behaviour: White thinks for several seconds, so it loses on time. Black uses less than 0.5 s of its 60.
#
#> White to move, btime 60000 wtime 500: more than 500 ms
#> Black to move, btime 60000 wtime 500: fewer nodes than White
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
	echo 'position startpos moves 7g7f' >&4
	ask 'go btime 60000 wtime 500 binc 0 winc 0' bestmove >white
	echo usinewgame >&4
	ask isready readyok >/dev/null
	echo 'position startpos' >&4
	ask 'go btime 60000 wtime 500 binc 0 winc 0' bestmove >black
	last() { grep -o " $1 [0-9]*" "$2" | tail -1 | cut -d' ' -f3; }
	echo "White: $(last time white) ms, $(last nodes white) nodes. Black: $(last time black) ms, $(last nodes black) nodes." >&2
	(($(last time white) > 500)) && echo 'White to move, btime 60000 wtime 500: more than 500 ms'
	(($(last nodes black) < $(last nodes white))) && echo 'Black to move, btime 60000 wtime 500: fewer nodes than White'
} >seen
cat seen
echo quit >&4
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
