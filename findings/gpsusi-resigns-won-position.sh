#!/usr/bin/env bash
# gpsusi with a node limit resigns a won position.
#
# Version: gpsshogi 0.7.0-3.1+b1 and gpsshogi-data 0.7.0-3.1 (Debian 12), with --node-count-hard-limit 20000. With 1,000 it does the same.
# Input: Black has two rooks, a bishop, four golds and eight promoted pawns, and White has only the king.
# Right: a move. Every legal move that does not lose a piece keeps the advantage.
# Behaviour: it prints one line of a search, with a score of 2,644 for itself, and answers `bestmove resign`.
#
#> go byoyomi 3000: score cp 2644, pv R*3h
#> bestmove resign
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' gpsshogi-data 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends gpsshogi gpsshogi-data; } >/dev/null
coproc engine { exec /usr/games/gpsusi -N 1 --node-count-hard-limit 20000 2>/dev/null; }
exec 3<&"${engine[0]}" 4>&"${engine[1]}"
# ask LINE WORD sends a line and prints what the engine writes up to the line that begins with the word.
ask() {
	echo "$1" >&4
	while read -rt 600 line <&3; do
		echo "$line"
		if [[ $line == "$2"* ]]; then return; fi
	done
	echo "no $2 after: $1" >&2
	exit 1
}
ask usi usiok >/dev/null
ask isready readyok >/dev/null
echo usinewgame >&4
echo 'position sfen +R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4G 1' >&4
ask 'go btime 0 wtime 0 byoyomi 3000' bestmove >lines
{
	sed -n 's/.*\(score cp [-0-9]*\).* \(pv .*\)/go byoyomi 3000: \1, \2/p' lines | tail -1
	tail -1 lines
} >seen
cat seen
kill "$engine_PID" # it loads much, and reads quit late
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
