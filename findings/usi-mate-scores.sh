#!/usr/bin/env bash
# Three engines write one mate in one as three different scores.
#
# Versions: fairy-stockfish 11.1-1+b1, sjaakii 1.4.1-2, gpsshogi 0.7.0-3.1+b1 with gpsshogi-data (Debian 12).
# Input: a position with a mate in one by a drop of a gold on 5b.
# Right: USI has `score mate 1` for it.
# Behaviour: Fairy-Stockfish writes mate 1. The other two write centipawns, and their values differ by a factor of 72. A program
# that stores scores in 16 bits cannot hold the second one.
#
#> fairy-stockfish: score mate 1
#> sjaakii: score cp 15999
#> gpsusi: score cp 1148897
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in fairy-stockfish=11.1-1+b1 sjaakii=1.4.1-2 gpsshogi=0.7.0-3.1+b1 gpsshogi-data=0.7.0-3.1; do
	[[ $(dpkg-query -Wf '${db:Status-Status}' "${package%%=*}" 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends "$package"; } >/dev/null
done
# score PROGRAM GO prints the last score of the search.
score() {
	coproc engine { exec "/usr/games/$1" 2>/dev/null; }
	local in=${engine[1]} out=${engine[0]} pid=$engine_PID line last=none word
	for word in usiok readyok bestmove; do
		case $word in
		usiok) echo usi >&"$in" ;;
		readyok) printf 'isready\n' >&"$in" ;;
		bestmove) printf 'usinewgame\nposition sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n%s\n' "$2" >&"$in" ;;
		esac
		while read -rt 120 line <&"$out" && [[ $line != "$word"* ]]; do
			if [[ $line =~ score\ (cp|mate)\ -?[0-9]+ ]]; then last=${BASH_REMATCH[0]}; fi
		done
	done
	echo quit >&"$in"
	wait "$pid" || true
	echo "$1: $last"
}
{
	score fairy-stockfish 'go depth 4'
	score sjaakii 'go depth 4'
	score gpsusi 'go btime 0 wtime 0 byoyomi 2000'
} >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
