#!/bin/sh
# A series of real hunts with known culprits; hunt.md has the results. Usage: sh docs/research/hunts.sh FOLDER VERSIONS HUNTS.
# It needs gogi in PATH. Each hunt has a database of its own in the folder. A second start resumes and prints the table again.
set -eu
versions=$2 hunts=$3
mkdir -p "$1" && cd "$1"

# The versions of a hunt: the built-in engine with one seed. From the culprit on the noise of its evaluation is larger. The node
# limits go up and down by one from version to version, so that the versions play other moves. MoveOverhead has no effect
# without a clock; with it no two versions are equal.
versions() {
	i=1
	while [ $i -le "$versions" ]; do
		noise=20 step=$((i % 16))
		[ $i -lt "$1" ] || noise=$2
		[ $step -le 8 ] || step=$((16 - step))
		printf '[[engine]]\nname = "v%02d"\ncmd = "builtin"\nlimits = {nodes = %d}\n' $i $((100 + step))
		printf 'greeting_timeout = "30m"\nready_timeout = "30m"\n'
		printf 'options = {Seed = 1, EvalNoise = %d, MoveOverhead = %d}\n' "$noise" $i
		i=$((i + 1))
	done
}

hunt=1
while [ $hunt -le "$hunts" ]; do
	culprit=$((2 + (hunt * 8 + 3) % (versions - 1))) # another one for each hunt
	noise=$((90 + 10 * (hunt % 3)))
	name=$(printf '%d-%02d' "$versions" $hunt)
	if ! [ -s "$name.json" ]; then
		versions $culprit $noise >"$name.toml"
		code=0
		gogi hunt "$name.toml" --run lost --db "$name.db" --seed $hunt --concurrency "${CONCURRENCY:-1}" --resign 1:800x3 --json >"$name.out" 2>"$name.log" || code=$?
		case $code in 0 | 10 | 11 | 12) ;; *) exit $code ;; esac # an interrupted hunt is no result
		printf '{"truth":"v%02d","noise":%d,%s\n' $culprit $noise "$(tail -n 1 "$name.out" | cut -c 2-)" >"$name.json"
	fi
	hunt=$((hunt + 1))
done

# The table: a line for each hunt, and the shares with their standard errors.
cat "$versions"-*.json | sed -E 's/.*"truth":"([^"]*)","noise":([0-9]*),.*"verdict":"([^"]*)","culprit":([0-9]*),"posterior":\[([^]]*)\],"elo":([0-9.e+]*),.*"pairs":([0-9]*),"version":"([^"]*)".*/\1 \2 \3 \4 \6 \7 \8 \5/' |
	awk '{
		split($8, p, ","); claimed = p[$4 + 1]; n++; games[n] = 2 * $6; total += 2 * $6
		printf "truth %s noise %d: %s %s %.3f, %.0f Elo, %d games\n", $1, $2, $3, $7, claimed, $5, 2 * $6
		if ($3 == "found") { found++; claims += claimed; if ($1 == $7) right++ }
	} END {
		for (i = 1; i <= n; i++) for (j = i; j > 1 && games[j - 1] > games[j]; j--) { t = games[j]; games[j] = games[j - 1]; games[j - 1] = t }
		share = right / n
		printf "%d hunts: right %.3f ± %.3f, named %d, claimed if named %.3f, games: mean %.0f, median %d, most %d\n", n, share,
			sqrt(share * (1 - share) / n), found, claims / found, total / n, games[int((n + 1) / 2)], games[n]
	}'
