#!/usr/bin/env bash
# A KIF file with the handicap 三枚落ち starts from three different boards in three libraries.
#
# Versions: tsshogi 2.2.0, json-kifu-format 5.5.0, shogiops 0.18.0 (npm).
# Input: 手合割：三枚落ち, one of the handicaps that KIF names, and a first move of White.
# Right: White has no rook, no bishop and no left lance, and moves first.
# Behaviour: json-kifu-format is right. tsshogi starts from the even position without an error, and its record then moves
# White's pawn for Black. shogiops takes the handicap of minishogi with the same name and returns a board of 5x5 squares.
# 五枚落ち and 左七枚落ち are the even position with Black to move in both libraries.
#
#> 三枚落ち tsshogi          lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
#> 三枚落ち shogiops         3gk/4p/5/P4/KGSBR w - 1
#> 三枚落ち json-kifu-format lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
#> 五枚落ち tsshogi          lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
#> 五枚落ち shogiops         lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
#> 五枚落ち json-kifu-format 2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
#> 左七枚落ち tsshogi          lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
#> 左七枚落ち shogiops         lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
#> 左七枚落ち json-kifu-format 2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts tsshogi@2.2.0 json-kifu-format@5.5.0 shogiops@0.18.0
cat >see.mjs <<'JS'
import { importKIF } from "tsshogi";
import jkf from "json-kifu-format";
import { parseKifHeader } from "shogiops/notation/kif";
import { makeSfen } from "shogiops/sfen";

for (const name of ["三枚落ち", "五枚落ち", "左七枚落ち"]) {
  const kif = `手合割：${name}\n手数----指手---------消費時間--\n   1 ３四歩(33)   ( 0:01/00:00:01)\n`;
  console.log(name, "tsshogi         ", importKIF(kif).initialPosition.sfen);
  console.log(name, "shogiops        ", makeSfen(parseKifHeader(kif).unwrap()));
  console.log(name, "json-kifu-format", jkf.JKFPlayer.parseKIF(kif).shogi.toSFENString(1));
}
JS
node see.mjs | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
