#!/usr/bin/env bash
# tsshogi drops the times of the KIF files that Shogidokoro writes.
#
# Versions: tsshogi 2.2.0, json-kifu-format 5.5.0 (npm).
# Input: a KIF file with times in the form (00:31 / 00:00:31), as Shogidokoro writes them. The usual form has no blanks around the slash.
# Right: 31 and 5 seconds, or an error.
# Behaviour: tsshogi reads the moves and returns 0 ms for each, without an error. json-kifu-format reads the times.
#
#> ( 0:31/00:00:31)    tsshogi 31000 5000 ms, json-kifu-format 31 5 s
#> (00:31 / 00:00:31)  tsshogi 0 0 ms, json-kifu-format 31 5 s
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0
cat >see.mjs <<'JS'
import { importKIF } from "tsshogi";
import jkf from "json-kifu-format";

const forms = {
  "( 0:31/00:00:31)  ": ["( 0:31/00:00:31)", "( 0:05/00:00:05)"],
  "(00:31 / 00:00:31)": ["(00:31 / 00:00:31)", "(00:05 / 00:00:05)"],
};
for (const [name, times] of Object.entries(forms)) {
  const kif = `手数----指手---------消費時間--\n   1 ７六歩(77)   ${times[0]}\n   2 ３四歩(33)   ${times[1]}\n`;
  const ms = importKIF(kif).moves.slice(1).map((n) => n.elapsedMs);
  const s = jkf.Parsers.parseKIF(kif).moves.slice(1).map((m) => m.time.now.m * 60 + m.time.now.s);
  console.log(`${name}  tsshogi ${ms.join(" ")} ms, json-kifu-format ${s.join(" ")} s`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
