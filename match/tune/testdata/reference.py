#!/usr/bin/env python3
"""Writes reference.json: tunes calculated from the definitions of the methods, without the code of this package.

SPSA: J. C. Spall, IEEE Trans. Aerospace and Electronic Systems 34 (1998) 817, with the spread controller and the
averaged answer of docs/tune.md. The evidence that a parameter moved is the sum of perturbation, sign and result, and
halves its weight after EARLIEST of all pairs.

Run it in this directory: python3 reference.py > reference.json
"""
import json
import math
import random

SEED = 20261123

# The controller of the perturbations.
RATE, RATE_LATER, RATE_OFFSET = 0.003, 2.0, 500
FACTOR_LEAST, FACTOR_MOST = 1 / 6, 3.0
EARLIEST = 0.05
ELO_PER_PAIR = 400 / math.log(10)


def clamp(x, lo, hi):
    return min(max(x, lo), hi)


def spsa(draw, name, pairs, params, block=4, inflight=8, spread=0.0, probes=0.1, average=0.5, r_end=0.05,
         a=0.1, alpha=0.602, gamma=0.101, factor=1.0, score=None):
    """params: (start, min, max, c at the end of the schedule), all floats."""
    n_params, stabiliser = len(params), math.floor(a * pairs)
    theta = [p[0] for p in params]
    lag = max(1, -(-inflight // block) - 1)
    states = [(list(theta), factor)]
    path, evidence, outcomes, probe_count = [], [], [], 0
    for pair in range(pairs):
        k, b = pair + 1, pair // block
        from_theta, from_factor = states[max(b - lag, 0)]
        kind = "probe" if math.floor((pair + 1) * probes) > math.floor(pair * probes) else "duel"
        flips = [draw.choice([-1, 1]) for _ in params]
        c_k = [p[3] * (pairs / k) ** gamma for p in params]
        played = [clamp(c * from_factor, 1e-6 * (p[2] - p[1]), (p[2] - p[1]) / 2) for c, p in zip(c_k, params)]
        at = [clamp(x, p[1] + c, p[2] - c) for x, p, c in zip(from_theta, params, played)]
        result = score(draw, kind, flips, pair)
        if kind == "probe":
            probe_count += 1
            if spread > 0:
                rate = min(RATE, RATE_LATER / (probe_count + RATE_OFFSET))
                loss = -ELO_PER_PAIR * result
                factor = clamp(factor * math.exp(-rate * (loss - spread) / spread), FACTOR_LEAST, FACTOR_MOST)
        else:
            # a_k = a/(A+k)^alpha and c_k = c/k^gamma, with r_end = a_N/c_N^2. The step is a_k/c_k^2 times the
            # perturbation as it was played, times the result.
            move = []
            for p, c, f, c_played in zip(params, c_k, flips, played):
                a_k = r_end * p[3] ** 2 * ((stabiliser + pairs) / (stabiliser + k)) ** alpha
                move.append(a_k / c ** 2 * c_played * f * result)
            theta = [clamp(x + m, p[1], p[2]) for x, m, p in zip(theta, move, params)]
            evidence.append([c * f * result / (k + EARLIEST * pairs) for c, f in zip(played, flips)])
        path.append(list(theta))
        outcomes.append({"kind": kind, "flips": flips, "c": played, "at": at, "score": result})
        if k % block == 0 or k == pairs:
            states.append((list(theta), factor))
    # The answer is the mean of the centre over the last part of the path.
    first = math.floor(pairs * (1 - average))
    tail = range(first, pairs)
    answer = [sum(path[k][i] for k in tail) / len(tail) for i in range(n_params)]
    drift = [sum(e[i] for e in evidence) for i in range(n_params)]
    squares = [sum(e[i] ** 2 for e in evidence) for i in range(n_params)]
    return {
        "name": name, "method": "spsa", "pairs": pairs, "block": block, "inflight": inflight, "spread": spread,
        "probes": probes, "average": average, "r_end": r_end, "a": a, "alpha": alpha, "gamma": gamma,
        "factor": states[0][1],
        "params": [{"start": p[0], "min": p[1], "max": p[2], "c": p[3]} for p in params], "outcomes": outcomes,
        "states": [{"centre": s[0], "factor": s[1]} for s in states[1:]],
        "answer": answer, "drift": drift, "drift_squares": squares,
    }


def uphill(draw, kind, flips, pair):
    """A result that prefers the first parameter higher and the second lower."""
    lean = 0.0 if kind == "probe" else 0.5 * flips[0] - 0.4 * flips[1]
    return clamp(round(draw.gauss(lean, 0.8)), -2, 2)


def cheap(draw, kind, flips, pair):
    """As uphill, and the perturbed point never loses to the centre."""
    return 2 if kind == "probe" else uphill(draw, kind, flips, pair)


def dear(draw, kind, flips, pair):
    return -2 if kind == "probe" else uphill(draw, kind, flips, pair)


def short(x):
    """The same with twelve digits of each number."""
    if isinstance(x, dict):
        return {k: short(v) for k, v in x.items()}
    if isinstance(x, list):
        return [short(v) for v in x]
    return float(f"{x:.12g}") if isinstance(x, float) else x


def main():
    draw = random.Random(SEED)
    three = [(10.0, -200.0, 200.0, 6.0), (-3.0, -50.0, 50.0, 2.5), (0.5, 0.0, 9.0, 0.25)]
    cases = [
        spsa(draw, "a controlled path", 80, three, spread=15.0, score=uphill),
        spsa(draw, "no controller", 60, three, spread=0.0, score=uphill),
        spsa(draw, "the whole path is averaged", 50, three, block=5, average=1.0, score=uphill),
        spsa(draw, "the factor at its upper bound", 60, three, spread=2.0, probes=0.5, factor=2.9, score=cheap),
        spsa(draw, "the factor at its lower bound", 60, three, spread=2.0, probes=0.5, factor=0.18, score=dear),
        spsa(draw, "a walk into walls", 80, [(4.0, 0.0, 5.0, 1.0), (1.0, 0.0, 5.0, 1.0)], r_end=0.4, score=uphill),
    ]
    text = json.dumps(short({"seed": SEED, "cases": cases}), separators=(",", ":"))
    print(text.replace('{"name"', '\n{"name"'))


main()
