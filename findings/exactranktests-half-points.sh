#!/usr/bin/env bash
# The exact sign-flip test of exactRankTests gives another p value for half points than for the same scores doubled.
#
# Version: r-cran-exactranktests 0.8-35-1 (Debian 12, R 4.2.2).
# Input: seven differences in half points, such as the results of pairs of games, and the same differences times 2.
# Right: the p value does not depend on the unit. Counting all 128 sign patterns gives 0.265625 for both.
# Behaviour: perm.test with exact = TRUE gives 0.34375 for half points, and the right value for whole numbers. It prints no warning.
#
#> half points:   0.343750, all sign patterns 0.265625
#> whole numbers: 0.265625, all sign patterns 0.265625
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' r-cran-exactranktests 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends r-cran-exactranktests=0.8-35-1; } >/dev/null
cat >see.R <<'R'
suppressMessages(library(exactRankTests))
x <- c(1.5, 0.5, -0.5, 1, 2, -1, 0.5)
patterns <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(x))))
every <- function(x) mean(abs(patterns %*% abs(x)) >= abs(sum(x)))
options(warn = 2)
cat(sprintf("half points:   %.6f, all sign patterns %.6f\n", perm.test(x, exact = TRUE)$p.value, every(x)))
cat(sprintf("whole numbers: %.6f, all sign patterns %.6f\n", perm.test(2 * x, exact = TRUE)$p.value, every(2 * x)))
R
Rscript see.R | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
