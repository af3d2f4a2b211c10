#!/usr/bin/env bash
# A blank of ASCII behind 同 ends the game in tsshogi, without an error.
#
# Versions: tsshogi 2.2.0, json-kifu-format 5.5.0 (npm).
# Input: a KIF file with five moves whose fourth is written "同 銀(31)", as some programs write it. KIF pads 同 to the width
# of a square; the usual blank there is the full-width one.
# Right: five moves, or an error.
# Behaviour: tsshogi returns three moves and an end whose name is 同; with the full-width blank it returns all five.
# json-kifu-format raises a syntax error.
#
#> tsshogi, full-width blank: 7g7f 3c3d 8h2b+ 3a2b 2g2f
#> tsshogi, ASCII blank:      7g7f 3c3d 8h2b+ end named "同"
#> json-kifu-format, ASCII blank: SyntaxError
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0
cat >see.mjs <<'JS'
import { importKIF } from "tsshogi";
import jkf from "json-kifu-format";

const kif = (blank) => `手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 ２二角成(88)   ( 0:01/00:00:02)
   4 同${blank}銀(31)   ( 0:01/00:00:02)
   5 ２六歩(27)   ( 0:01/00:00:03)
`;
const moves = (text) =>
  importKIF(text).moves.slice(1).map((n) => n.move.usi ?? `end named "${n.move.name}"`).join(" ");

console.log("tsshogi, full-width blank:", moves(kif("　")));
console.log("tsshogi, ASCII blank:     ", moves(kif(" ")));
try {
  jkf.Parsers.parseKIF(kif(" "));
  console.log("json-kifu-format, ASCII blank: read");
} catch (error) {
  console.log("json-kifu-format, ASCII blank:", error.name);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
