#!/usr/bin/env bash
# elo-rank and arpad round the rating after each game, so a score of 76% gives 1 to 335 Elo, by K.
#
# Versions: elo-rank 1.0.4, arpad 2.0.0 (npm).
# Input: two players begin at 1500. The first one wins 19 of each 25 games in a fixed order, 50,000 games. The
# printed difference is the mean of the second half. The factor K varies.
# Right: 76% are 200 Elo; without the rounding the difference is near 200 for each K.
# Behaviour: with K = 1 a win of the stronger player rounds to no points, so the ratings stop at a difference of 1. With K = 4 a
# win brings a point until the expected score is 87.5%, and a loss takes three points or four.
#
#> K  1: elo-rank    1, arpad    1, without rounding 200
#> K  2: elo-rank  191, arpad  191, without rounding 200
#> K  4: elo-rank  335, arpad  335, without rounding 200
#> K  8: elo-rank  249, arpad  249, without rounding 200
#> K 16: elo-rank  211, arpad  211, without rounding 200
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts elo-rank@1.0.4 arpad@2.0.0
cat >see.mjs <<'JS'
import EloRank from "elo-rank";
import Arpad from "arpad";

function play(expected, update) {
  let a = 1500, b = 1500, sum = 0;
  for (let i = 0; i < 50000; i++) {
    const score = (i * 19) % 25 < 19 ? 1 : 0;
    [a, b] = [update(expected(a, b), score, a), update(expected(b, a), 1 - score, b)];
    if (i >= 25000) sum += a - b;
  }
  return Math.round(sum / 25000);
}
const plain = (a, b) => 1 / (1 + 10 ** ((b - a) / 400));
for (const k of [1, 2, 4, 8, 16]) {
  const elo = new EloRank(k), arpad = new Arpad(k);
  const one = play((a, b) => elo.getExpected(a, b), (e, s, r) => elo.updateRating(e, s, r));
  const two = play((a, b) => arpad.expectedScore(a, b), (e, s, r) => arpad.newRating(e, s, r));
  const right = play(plain, (e, s, r) => r + k * (s - e));
  const f = (n) => String(n).padStart(4);
  console.log(`K ${String(k).padStart(2)}: elo-rank ${f(one)}, arpad ${f(two)}, without rounding ${right}`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
