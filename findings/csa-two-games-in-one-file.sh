#!/usr/bin/env bash
# tsshogi returns the first game of a CSA file that has two, without an error.
#
# Versions: tsshogi 2.2.0, json-kifu-format 5.5.0 (npm).
# Input: a CSA 2.2 file with two games. The format separates games in one file by a line with a slash.
# Right: both games, or an error.
# Behaviour: tsshogi returns one record with the move of the first game and drops the second one. json-kifu-format raises
# a syntax error at the slash.
#
#> tsshogi: one record, 7g7f resign
#> json-kifu-format: SyntaxError
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0
cat >see.mjs <<'JS'
import { importCSA } from "tsshogi";
import jkf from "json-kifu-format";

const csa = "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\nT1\n%TORYO\n/\nN+C\nN-D\nPI\n+\n+2726FU\nT1\n-8384FU\nT1\n%TORYO\n";
console.log("tsshogi: one record,", importCSA(csa).moves.slice(1).map((n) => n.move.usi ?? n.move.type).join(" "));
try {
  jkf.Parsers.parseCSA(csa);
  console.log("json-kifu-format: read");
} catch (error) {
  console.log("json-kifu-format:", error.name);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
