#!/usr/bin/env bash
# sjaakii plays a move without a search if `go` has `byoyomi 0`, or byoyomi without main time.
#
# Version: sjaakii 1.4.1-2 (Debian 12).
# Input: four clocks, each in a new process at the start position. GUIs send `byoyomi 0` in games of sudden death.
# Right: the engine searches with 60 s of main time, and with 3 s of byoyomi.
# Behaviour: with `byoyomi 0`, and with a main time of 0, it prints no line of a search and answers 9g9f. Without the word byoyomi, or
# with both times, it searches and answers 7g7f.
#
#> go btime 60000 wtime 60000: a search, then 7g7f
#> go btime 60000 wtime 60000 byoyomi 0: no search, then 9g9f
#> go btime 60000 wtime 60000 byoyomi 1000: a search, then 7g7f
#> go btime 0 wtime 0 byoyomi 3000: no search, then 9g9f
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' sjaakii 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends sjaakii=1.4.1-2; } >/dev/null
# play CLOCK prints whether the engine searches, and its move.
play() {
	coproc engine { exec /usr/games/sjaakii 2>/dev/null; }
	printf '%s\n' usi isready usinewgame 'position startpos' "$1" >&"${engine[1]}"
	local searched=no
	while read -rt 120 line <&"${engine[0]}"; do
		case $line in
		'info depth '*) searched=a ;;
		bestmove*)
			set -- "$1" $line
			echo "$1: $searched search, then $3"
			kill "$engine_PID"
			wait "$engine_PID" 2>/dev/null || true
			return
			;;
		esac
	done
	echo "no bestmove after: $1" >&2
	exit 1
}
{
	play 'go btime 60000 wtime 60000'
	play 'go btime 60000 wtime 60000 byoyomi 0'
	play 'go btime 60000 wtime 60000 byoyomi 1000'
	play 'go btime 0 wtime 0 byoyomi 3000'
} >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
