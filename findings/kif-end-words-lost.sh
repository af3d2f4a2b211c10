#!/usr/bin/env bash
# json-kifu-format loses the result of KIF games that end by a declaration or by default.
#
# Versions: json-kifu-format 5.5.0, tsshogi 2.2.0 (npm).
# Input: KIF files with the end words 投了, 入玉勝ち, 不戦勝 and 不戦敗, all of them words of the format.
# Right: an end with its word, or an error.
# Behaviour: json-kifu-format returns an empty object for all but 投了, without an error, so the game has no result.
# tsshogi reads all four. Its JKF of the two last has no end, so a conversion from KIF to JKF loses the result there, too.
#
#> 投了: json-kifu-format {"special":"TORYO"}, tsshogi resign, JKF of tsshogi TORYO
#> 入玉勝ち: json-kifu-format {}, tsshogi enteringOfKing, JKF of tsshogi KACHI
#> 不戦勝: json-kifu-format {}, tsshogi winByDefault, JKF of tsshogi none
#> 不戦敗: json-kifu-format {}, tsshogi loseByDefault, JKF of tsshogi none
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0
cat >see.mjs <<'JS'
import { exportJKF, importKIF } from "tsshogi";
import jkf from "json-kifu-format";

for (const word of ["投了", "入玉勝ち", "不戦勝", "不戦敗"]) {
  const kif = `手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 ${word}\n`;
  const end = JSON.stringify(jkf.Parsers.parseKIF(kif).moves.at(-1));
  const record = importKIF(kif);
  const written = exportJKF(record).moves.at(-1).special ?? "none";
  console.log(`${word}: json-kifu-format ${end}, tsshogi ${record.moves.at(-1).move.type}, JKF of tsshogi ${written}`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
