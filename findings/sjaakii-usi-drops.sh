#!/usr/bin/env bash
# sjaakii writes drops in USI with "@" instead of "*", and ignores the drops of others together with all moves behind them.
#
# Version: sjaakii 1.4.1-2 (Debian 12).
# Input: a position whose best move is the drop of a gold (mate in one), and a position after four moves with a drop behind them.
# Right: USI writes a drop as the piece, "*" and the square.
# Behaviour: the engine answers G@5b. It plays B@5e of `position`, which is not USI. With B*5e it searches the position before
# the drop again, without an error, so it answers for the wrong side.
#
#> mate in one: bestmove G@5b
#> after four moves, Black to move: bestmove B@4e
#> and B*5e, White to move: bestmove B@4e
#> and B@5e, White to move: bestmove B@6e
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' sjaakii 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends sjaakii=1.4.1-2; } >/dev/null
coproc engine { exec /usr/games/sjaakii 2>/dev/null; }
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
ask isready readyok >/dev/null
# answer NAME POSITION
answer() {
	echo usinewgame >&4
	echo "position $2" >&4
	echo "$1: $(ask 'go depth 3' bestmove | grep -o 'bestmove [^ ]*')"
}
start='startpos moves 7g7f 3c3d 8h2b+ 3a2b'
{
	answer 'mate in one' 'sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1'
	answer 'after four moves, Black to move' "$start"
	answer 'and B*5e, White to move' "$start B*5e"
	answer 'and B@5e, White to move' "$start B@5e"
} >seen
cat seen
echo quit >&4
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
