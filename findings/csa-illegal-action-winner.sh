#!/usr/bin/env bash
# tsshogi reads the illegal actions of CSA and JKF for the wrong side, so a game that it wrote and reads again changes its winner.
#
# Versions: tsshogi 2.2.0, json-kifu-format 5.5.0 (npm).
# Input: CSA and KIF. In CSA 2.2, %-ILLEGAL_ACTION means that White acted illegally and Black wins; %+ILLEGAL_ACTION means
# the opposite. JKF uses the words of CSA. In KIF, 反則勝ち means that the side to move wins.
# Right: if Black is to move, -ILLEGAL_ACTION is 反則勝ち, and Black wins.
# Behaviour: json-kifu-format is right. tsshogi writes the right word, but takes its sign for the winner when it reads: Black
# loses. The last lines convert 反則勝ち to CSA or JKF and back with tsshogi; the JKF of json-kifu-format ends the same way.
#
#> CSA %-ILLEGAL_ACTION, Black to move: json-kifu-format 後手反則負け, tsshogi 反則負け
#> CSA %+ILLEGAL_ACTION, Black to move: json-kifu-format 先手反則負け, tsshogi 反則勝ち
#> KIF 反則勝ち, CSA of tsshogi %-ILLEGAL_ACTION, read by tsshogi 反則負け
#> KIF 反則勝ち, JKF of tsshogi -ILLEGAL_ACTION, read by tsshogi 反則負け
#> KIF 反則勝ち, JKF of json-kifu-format -ILLEGAL_ACTION, read by tsshogi 反則負け
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0
cat >see.mjs <<'JS'
import { exportCSA, exportJKFString, exportKIF, importCSA, importJKFString, importKIF } from "tsshogi";
import jkf from "json-kifu-format";

// The end of a record of tsshogi as the word of KIF, for the side to move.
const word = (record) => exportKIF(record).match(/反則../)[0];

for (const sign of ["-", "+"]) {
  const csa = `V2.2\nPI\n+\n+7776FU\n-3334FU\n%${sign}ILLEGAL_ACTION\n`;
  const player = jkf.JKFPlayer.parseCSA(csa);
  player.goto(3);
  console.log(`CSA %${sign}ILLEGAL_ACTION, Black to move: json-kifu-format ${player.getReadableKifu()}, tsshogi ${word(importCSA(csa))}`);
}

const kif = `手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 反則勝ち
`;
const csa = exportCSA(importKIF(kif));
console.log(`KIF 反則勝ち, CSA of tsshogi ${csa.match(/%.*/)[0]}, read by tsshogi ${word(importCSA(csa))}`);
for (const [name, text] of [["tsshogi", exportJKFString(importKIF(kif))], ["json-kifu-format", jkf.JKFPlayer.parseKIF(kif).toJKF()]]) {
  console.log(`KIF 反則勝ち, JKF of ${name} ${JSON.parse(text).moves.at(-1).special}, read by tsshogi ${word(importJKFString(text))}`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
