#!/usr/bin/env bash
# shogiops reads each line of a CSA file that contains "P+" or "P-" as pieces of the start position, also a name or a comment.
#
# Versions: shogiops 0.18.0, tsshogi 2.2.0 (npm).
# Input: three games that differ only in the name of a player or in a comment. shogi-server writes such comments: it ends each
#   file with the last position, each line behind an apostrophe.
# Right: the even start position for all of them. Comments begin with an apostrophe, and pieces with "P+" or "P-" at the line's start.
# Behaviour: shogiops refuses the header of the second and the third. tsshogi reads them.
#
#> N+alpha            shogiops reads it, tsshogi reads 1 move
#> N+GPS-P-2          shogiops ERR_ADDITIONAL, tsshogi reads 1 move
#> 'P+00FU            shogiops ERR_ADDITIONAL, tsshogi reads 1 move
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts shogiops@0.18.0 tsshogi@2.2.0
cat >see.mjs <<'JS'
import { parseCsaHeader } from "shogiops/notation/csa";
import { importCSA } from "tsshogi";

for (const line of ["N+alpha", "N+GPS-P-2", "'P+00FU"]) {
  const csa = `V2.2\n${line}\nPI\n+\n+7776FU\n%TORYO\n`;
  const header = parseCsaHeader(csa);
  const ops = header.isOk ? "reads it" : header.error.message;
  const moves = importCSA(csa).moves.filter((node) => node.move.usi).length;
  console.log(`${line.padEnd(18)} shogiops ${ops}, tsshogi reads ${moves} move`);
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
