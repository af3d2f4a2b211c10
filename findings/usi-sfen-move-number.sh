#!/usr/bin/env bash
# tsshogi sets the move number of an SFEN to 1, and writes its USI position without it.
#
# Versions: tsshogi 2.2.0, shogiops 0.18.0 (npm).
# Input: an SFEN with the move number 37, as a first position of a record of USI.
# Right: 37, or an error. Limits of plies and books depend on the number.
# Behaviour: shogiops returns 37. tsshogi returns 1, without an error. If the board is the start position, it writes startpos.
#
#> shogiops: 4k4/9/9/9/9/9/9/9/4K4 b R 37
#> tsshogi: 4k4/9/9/9/9/9/9/9/4K4 b R 1
#> tsshogi, USI: position sfen 4k4/9/9/9/9/9/9/9/4K4 b R 1 moves R*5e
#> tsshogi, USI of the start position: position startpos moves 7g7f
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 shogiops@0.18.0
cat >see.mjs <<'JS'
import { Record } from "tsshogi";
import { makeSfen, parseSfen } from "shogiops/sfen";

const sfen = "4k4/9/9/9/9/9/9/9/4K4 b R 37";
const start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 37";
const record = Record.newByUSI(`position sfen ${sfen} moves R*5e`);
console.log("shogiops:", makeSfen(parseSfen("standard", sfen).unwrap()));
console.log("tsshogi:", record.initialPosition.sfen);
console.log("tsshogi, USI:", record.getUSI());
console.log("tsshogi, USI of the start position:", Record.newByUSI(`position sfen ${start} moves 7g7f`).getUSI());
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
