#!/usr/bin/env bash
# sjaakii ignores the limit of `go nodes`, and searches for the other side when it is asked for the same position again.
#
# Version: sjaakii 1.4.1-2 (Debian 12).
# Input: `go nodes 1000` from the start; then, from the start, `go depth 2` twice without another `position`.
# Right: about 1,000 nodes, or an error. The second `go` searches the position that `position` sent.
# Behaviour: the first search takes some seconds and 200,000 to 1,600,000 nodes, by the speed of the machine. The engine plays its
# own bestmove on its board, so the second `go depth 2` answers with a move of White.
#
#> go nodes 1000: more than 100000 nodes
#> go depth 2: bestmove 7g7f
#> go depth 2 again: bestmove 3c3d
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
{
	echo 'position startpos' >&4
	nodes=$(ask 'go nodes 1000' bestmove | grep -o 'nodes [0-9]*' | tail -1 | cut -d' ' -f2)
	echo "last nodes of go nodes 1000: $nodes" >&2
	((nodes > 100000)) && echo 'go nodes 1000: more than 100000 nodes'
	echo usinewgame >&4
	echo 'position startpos' >&4
	echo "go depth 2: $(ask 'go depth 2' bestmove | grep -o 'bestmove [^ ]*')"
	echo "go depth 2 again: $(ask 'go depth 2' bestmove | grep -o 'bestmove [^ ]*')"
} >seen
cat seen
echo quit >&4
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
