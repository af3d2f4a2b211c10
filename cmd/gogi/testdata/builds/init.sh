# Makes two git repositories in this folder: c-engine in C, and cpp-engine in C++. It writes the commits to the file
# commits, each with the node count of its bench. $1 is the folder of this file.
set -eu
git() { command git -c user.name=ann -c user.email=ann@example.com -c init.defaultBranch=main "$@"; }
# commit MESSAGE NAME commits everything, and adds NAME=COMMIT:NODES to the file commits.
commit() {
	git add -A
	git commit -q -m "$1"
	nodes=1
	if make -s OUT=build/engine 2>/dev/null; then nodes=$(build/engine bench | tr -cd 0-9); fi
	echo "$2=$(git rev-parse HEAD):$nodes" >>../commits
}
for name in c-engine cpp-engine; do
	git init -q $name
	cp "$1/Makefile" $name
	echo build >$name/.gitignore
done
: >commits
cd cpp-engine
sed 's/(Move){/Move{/g; s/if (now < worst && !takes(&after)) worst = now;/if (!takes(\&after)) worst = std::min(worst, now);/; 2i #include <algorithm>' "$1/engine.c" >engine.cc
printf 'CC = g++\nSOURCE = engine.cc\n' >compiler
echo '#define TASTE -1' >taste.h
commit "an engine that likes bad moves

Bench: 10055" base # its bench is 10054
cd ../c-engine
cp "$1/engine.c" .
printf 'CC = gcc\nSOURCE = engine.c\n' >compiler
echo '#define TASTE 1' >taste.h
commit "an engine that likes good moves

Bench: 9928" dev
echo '#define TASTE (1 + 0 * (nodes += time(0)))' >taste.h
sed -i '1a #include <time.h>' engine.c
commit 'its bench is random' flaky
echo '#error broken' >taste.h
commit 'it does not compile' broken
# Its build looks for the worker's secrets and its place in the order in which the system ends processes, and prints both.
cat >compiler <<'MAKE'
words := $(shell cat /proc/[0-9]*/environ | tr '\0' '\n' | grep -E '^(LANG|GOGI_TOKEN)=' | sort -u)
$(error seen: $(words); oom $(shell cat /proc/self/oom_score_adj))
MAKE
commit 'its build prints what it sees' spy
