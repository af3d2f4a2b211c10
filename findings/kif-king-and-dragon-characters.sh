#!/usr/bin/env bash
# shogiops cuts a list of KIF moves at the first 王 or 竜, without an error.
#
# Versions: shogiops 0.18.0; tsshogi 2.2.0 for comparison (npm).
# Input: KIF moves. Programs write the king as 玉 or 王, and the dragon as 龍 or 竜.
# Right: both characters of each pair mean the same piece, or an error.
# Behaviour: parseKifMovesOrDrops of shogiops reads 玉 and 龍. At 王 and 竜 it stops and returns the moves before.
#
#> king as 玉: 5 moves, shogiops reads 5, tsshogi 5
#> king as 王: 5 moves, shogiops reads 3, tsshogi 5
#> dragon as 龍: 12 moves, shogiops reads 12, tsshogi 12
#> dragon as 竜: 12 moves, shogiops reads 10, tsshogi 12
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts shogiops@0.18.0 tsshogi@2.2.0
cat >see.mjs <<'JS'
import { parseKifMovesOrDrops } from "shogiops/notation/kif";
import { importKIF } from "tsshogi";

const king = (c) => ["７六歩(77)", "３四歩(33)", "５八玉(59)", `５二${c}(51)`, "７八金(69)"];
const dragon = (c) => [
  "２六歩(27)", "８四歩(83)", "２五歩(26)", "８五歩(84)", "２四歩(25)", "同　歩(23)",
  "同　飛(28)", "８六歩(85)", "２三飛成(24)", "８七歩成(86)", `２二${c}(23)`, "７八と(87)",
];
const inputs = { "king as 玉": king("玉"), "king as 王": king("王"), "dragon as 龍": dragon("龍"), "dragon as 竜": dragon("竜") };
for (const [name, list] of Object.entries(inputs)) {
  const kif = "手数----指手---------消費時間--\n" + list.map((m, i) => `${i + 1} ${m}   ( 0:00/00:00:00)\n`).join("");
  const read = [parseKifMovesOrDrops(list).length, importKIF(kif).moves.length - 1];
  console.log(`${name}: ${list.length} moves, shogiops reads ${read[0]}, tsshogi ${read[1]}`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
