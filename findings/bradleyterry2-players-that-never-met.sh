#!/usr/bin/env bash
# BradleyTerry2 compares players that no game joins, and gives a player without a loss a finite ability, without a warning.
#
# Version: r-cran-bradleyterry2 1.1-2-2 (Debian 12, R 4.2.2).
# Input: A beats B 30-10 and D beats C 30-10, and no other games; then A beats B and C in all games, and B beats C 12-8.
# Right: no estimate of A against C in the first set, and none of A in the second one, or a warning.
# Behaviour: C is 1.1 below A with a standard error of 0.37 (p = 0.003). The unbeaten player is 26 above the others after 20
# wins against each, and 28 after 200. The fit reports convergence.
#
#> never met: C against A -1.099, standard error 0.365, p 0.003
#> A won 20-0 twice: B against A -25.6, converged TRUE
#> A won 200-0 twice: B against A -27.8, converged TRUE
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
[[ $(dpkg-query -Wf '${db:Status-Status}' r-cran-bradleyterry2 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends r-cran-bradleyterry2=1.1-2-2; } >/dev/null
cat >see.R <<'R'
suppressMessages(library(BradleyTerry2))
options(warn = 2)
players <- function(x) factor(x, levels = LETTERS[1:4])
games <- data.frame(p1 = players(c("A", "C")), p2 = players(c("B", "D")), w = c(30, 10), l = c(10, 30))
fit <- BTm(cbind(w, l), p1, p2, data = games)
row <- summary(fit)$coefficients["..C", ]
cat(sprintf("never met: C against A %.3f, standard error %.3f, p %.3f\n", row[1], row[2], row[4]))
for (n in c(20, 200)) {
  games <- data.frame(p1 = factor(c("A", "A", "B"), levels = LETTERS[1:3]), p2 = factor(c("B", "C", "C"), levels = LETTERS[1:3]),
                      w = c(n, n, 12), l = c(0, 0, 8))
  fit <- BTm(cbind(w, l), p1, p2, data = games)
  cat(sprintf("A won %d-0 twice: B against A %.1f, converged %s\n", n, coef(fit)["..B"], fit$converged))
}
R
Rscript see.R | tee seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
