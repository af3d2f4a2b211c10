"""Reads records with python-shogi and cshogi, as far as Python finds them, for the table of make formats.

It prints one line of JSON for each file and peer. Each file is read in a process of its own, because a file may end the
process. Arguments: the folder of the files NAME.FORMAT."""
import json
import os
import sys

sys.dont_write_bytecode = True
peers = {}
try:
    import shogi
    import shogi.CSA
    import shogi.KIF

    def python_shogi(form, text):
        parse = {"csa": shogi.CSA.Parser, "kif": shogi.KIF.Parser}.get(form)
        if parse is None:
            return None
        game = parse.parse_str(text)[0]
        return {"start": game["sfen"], "moves": game["moves"], "end": str(game["win"] or ""), "names": [n or "" for n in game["names"]]}

    peers["python-shogi"] = python_shogi
except ImportError:
    print("python-shogi is not there", file=sys.stderr)
try:
    import cshogi
    import cshogi.CSA
    import cshogi.KI2
    import cshogi.KIF

    def by_cshogi(form, text):
        parse = {"csa": cshogi.CSA.Parser, "csa3": cshogi.CSA.Parser, "kif": cshogi.KIF.Parser, "ki2": cshogi.KI2.Parser}.get(form)
        if parse is None:
            return None
        game = parse.parse_str(text)
        game = game[0] if isinstance(game, list) else game
        end = {cshogi.BLACK_WIN: "b", cshogi.WHITE_WIN: "w", cshogi.DRAW: "-"}.get(game.win, "")
        names = [n or "" for n in (game.names or ["", ""])]
        return {"start": game.sfen, "moves": [cshogi.move_to_usi(m) for m in game.moves], "end": end, "names": names}

    peers["cshogi"] = by_cshogi
except ImportError:
    print("cshogi is not there", file=sys.stderr)


def read(file, peer, form, text):
    try:
        got = peers[peer](form, text)
    except BaseException as e:  # a fault of the peer, of whatever kind
        got = {"error": type(e).__name__ + ": " + str(e)}
    if got is not None:
        line = json.dumps({"file": file, "peer": peer, **got}) + "\n"
        os.write(1, line.encode())


folder = sys.argv[1]
for file in sorted(os.listdir(folder)):
    form = file.split(".")[1]
    with open(os.path.join(folder, file), encoding="utf-8", newline="") as f:
        text = f.read()
    for peer in peers:
        child = os.fork()
        if child == 0:
            read(file, peer, form, text)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            os.write(1, (json.dumps({"file": file, "peer": peer, "error": "the process ended with a signal"}) + "\n").encode())
