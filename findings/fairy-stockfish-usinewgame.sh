#!/usr/bin/env bash
# Fairy-Stockfish keeps data between games under USI: after other games it plays another game than a new process.
#
# Version: fairy-stockfish 11.1-1+b1 (Debian 12), one thread, hash of 16 MB.
# Input: 40 openings of two moves, from each a game of at most 120 moves against itself with `go nodes 600`. Each game
# begins with isready and usinewgame, and ends with gameover.
# Right: usinewgame begins a new game, so the games in one process are those of new processes.
# Behaviour: two sets of games in new processes are equal, and 8 of 40 games in one process differ from them, from their
# 35th to their 60th move on. A program that compares games move for move must start the engine anew.
#
#> 40 games in new processes, played twice: 0 differ
#> 40 games in one process: 8 differ from those in new processes
set -euo pipefail
script=$(realpath "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in fairy-stockfish=11.1-1+b1 python3; do
	[[ $(dpkg-query -Wf '${db:Status-Status}' "${package%=*}" 2>/dev/null) == installed ]] || { apt-get update && apt-get install -y --no-install-recommends "$package"; } >/dev/null
done
cat >play.py <<'PY'
import itertools
import subprocess

class Engine:
    def __init__(self):
        self.process = subprocess.Popen(["/usr/games/fairy-stockfish"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("usi", "usiok")
        self.ask("setoption name Threads value 1\nsetoption name Hash value 16\nisready", "readyok")

    def ask(self, line, word):
        self.process.stdin.write(line + "\n")
        for answer in self.process.stdout:
            if answer.startswith(word):
                return answer.split()
        raise SystemExit("the engine ended")

    def game(self, opening):
        moves = list(opening)
        self.ask("isready", "readyok")
        self.process.stdin.write("usinewgame\n")
        while len(moves) < 120:
            move = self.ask("position startpos moves " + " ".join(moves) + "\ngo nodes 600", "bestmove")[1]
            if move in ("resign", "win"):
                break
            moves.append(move)
        self.process.stdin.write("gameover draw\n")
        return moves

    def quit(self):
        self.process.communicate("quit\n")

def alone(opening):
    engine = Engine()
    moves = engine.game(opening)
    engine.quit()
    return moves

black = ["7g7f", "2g2f", "5g5f", "6g6f", "4g4f", "9g9f", "1g1f", "3i4h", "7i7h", "6i7h"]
openings = list(itertools.product(black, ["3c3d", "8c8d", "5c5d", "4a3b"]))
first, second = [[alone(o) for o in openings] for _ in range(2)]
engine = Engine()
together = [engine.game(o) for o in openings]
engine.quit()
print(f"{len(openings)} games in new processes, played twice: {sum(a != b for a, b in zip(first, second))} differ")
print(f"{len(openings)} games in one process: {sum(a != b for a, b in zip(first, together))} differ from those in new processes")
PY
python3 play.py >seen
cat seen
diff <(sed -n 's/^#> //p' "$script") seen >&2 || { echo "$script: the output differs from the one in the header" >&2; exit 1; }
