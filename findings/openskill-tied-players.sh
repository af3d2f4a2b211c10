#!/usr/bin/env bash
# The partial models of openskill give tied equal players different ratings, by their order in the list.
#
# Version: openskill 5.0.1 (npm).
# Input: four new players with the ranks 1, 2, 2, 3.
# Right: the players of rank 2 have equal ratings before and the same result, so they have equal ratings after.
# Behaviour: the full models and plackettLuce give them equal values. bradleyTerryPart and thurstoneMostellerPart compare each player
# with his neighbours in the list only, so the two get 22.4 and 27.6, or 22.9 and 27.1.
#
#> plackettLuce: 27.8 24.7 24.7 22.8
#> bradleyTerryFull: 32.9 25.0 25.0 17.1
#> thurstoneMostellerFull: 37.7 25.0 25.0 12.3
#> bradleyTerryPart: 27.6 22.4 27.6 22.4
#> thurstoneMostellerPart: 27.1 22.9 27.1 22.9
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts openskill@5.0.1
cat >see.mjs <<'JS'
import { rate, rating } from "openskill";
import * as models from "openskill/models";

for (const name of ["plackettLuce", "bradleyTerryFull", "thurstoneMostellerFull", "bradleyTerryPart", "thurstoneMostellerPart"]) {
  const rank = [1, 2, 2, 3];
  const after = rate(rank.map(() => [rating()]), { rank, model: models[name] });
  console.log(`${name}:`, after.map(([player]) => player.mu.toFixed(1)).join(" "));
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
