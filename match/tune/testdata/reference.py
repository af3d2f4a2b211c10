#!/usr/bin/env python3
"""Writes reference.json: tunes calculated from the definitions of the methods, without the code of this package.

SPSA: J. C. Spall, IEEE Trans. Aerospace and Electronic Systems 34 (1998) 817, with the spread controller and the
averaged answer of docs/tune.md. The evidence that a parameter moved is the sum of perturbation, sign and result, and
halves its weight after EARLIEST of all pairs.
Surface: D. J. C. MacKay, Neural Computation 4 (1992) 415. The likelihood and the posterior mean come from the
covariance of the outcomes (the package works with the covariance of the coefficients), and the top comes from
all faces of the box (the package climbs by coordinates).

Run it in this directory: python3 reference.py > reference.json
"""
import itertools
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


# The method "surface": standard deviations before any data, in W - L per perturbation.
SLOPE, CURVE, CROSS = 0.02, 0.004, 0.001
REACH = 1.5  # perturbations from the mean of all middles
GROWTH = 1.02  # the number of pairs grows by this factor until the next fit


def solve(a, b):
    """Gaussian elimination with pivots; returns the solution and log |det a|."""
    n = len(a)
    a = [row[:] + [y] for row, y in zip(a, b)]
    log_det = 0.0
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[pivot] = a[pivot], a[i]
        log_det += math.log(abs(a[i][i]))
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            if f:
                for c in range(i, n + 1):
                    a[r][c] -= f * a[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][c] * x[c] for c in range(i + 1, n))) / a[i][i]
    return x, log_det


def fit(middles, flips, scores, d):
    """The slopes and the curvatures (as a matrix) of the likeliest model."""
    index = [(a, b) for a in range(d) for b in range(a, d)]
    x = [[2 * f[a] for a in range(d)] +
         [2 * f[a] * z[a] if a == b else 2 * (f[a] * z[b] + f[b] * z[a]) for a, b in index]
         for z, f in zip(middles, flips)]
    n = len(scores)
    noise = sum(y * y for y in scores) / n
    best = None
    for scale in (1 / 16, 1 / 4, 1, 4):
        variances = [scale * v ** 2 for v in [SLOPE] * d + [CURVE if a == b else CROSS for a, b in index]]
        covariance = [[sum(v * p * q for v, p, q in zip(variances, x[i], x[j])) + (noise if i == j else 0)
                       for j in range(n)] for i in range(n)]
        for curve in (0.5, 1, 2, 4):
            prior = [0.0] * d + [-curve * CURVE if a == b else 0.0 for a, b in index]
            residual = [y - sum(p * m for p, m in zip(row, prior)) for row, y in zip(x, scores)]
            whitened, log_det = solve(covariance, residual)
            likelihood = -(sum(r * w for r, w in zip(residual, whitened)) + log_det) / 2
            if best is None or likelihood > best[0]:
                posterior = [m + v * sum(x[i][j] * whitened[i] for i in range(n))
                             for j, (m, v) in enumerate(zip(prior, variances))]
                best = likelihood, posterior
    beta = best[1]
    h = [[0.0] * d for _ in range(d)]
    for (a, b), value in zip(index, beta[d:]):
        h[a][b] = h[b][a] = value
    return beta[:d], h


def top(g, h, lo, hi):
    """The highest place of g'z + z'Hz/2 in a box: the best stationary point of all its faces."""
    d, best = len(g), None
    for face in itertools.product("lfh", repeat=d):
        free = [i for i in range(d) if face[i] == "f"]
        z = [lo[i] if face[i] == "l" else hi[i] if face[i] == "h" else 0.0 for i in range(d)]
        if free:
            rhs = [-(g[i] + sum(h[i][j] * z[j] for j in range(d) if j not in free)) for i in free]
            inner, _ = solve([[h[i][j] for j in free] for i in free], rhs)
            for i, value in zip(free, inner):
                z[i] = value
            if any(z[i] < lo[i] or z[i] > hi[i] for i in free):
                continue
        height = sum(g[i] * z[i] for i in range(d)) + sum(h[i][j] * z[i] * z[j] for i in range(d) for j in range(d)) / 2
        if best is None or height > best[0]:
            best = height, z
    return best[1]


def surface(draw, name, pairs, params, block, slopes, curves):
    d = len(params)
    middles, flips, scores, outcomes, states, fitted = [], [], [], [], [], 0
    centre = [p[0] for p in params]
    for pair in range(pairs):
        f = [draw.choice([-1, 1]) for _ in params]
        # A middle is drawn a perturbation about the start, inside the range.
        at = [clamp(p[0] + draw.uniform(-1, 1) * p[3], p[1] + p[3], p[2] - p[3]) for p in params]
        z = [(m - p[0]) / p[3] for m, p in zip(at, params)]
        mean = sum(2 * f[i] * (slopes[i] + curves[i] * z[i]) for i in range(d))
        score = clamp(round(mean + draw.gauss(0, 0.7)), -2, 2)
        middles.append(z), flips.append(f), scores.append(score)
        outcomes.append({"kind": "duel", "flips": f, "c": [p[3] for p in params], "at": at, "score": score})
        n = pair + 1
        if n % block and n != pairs:
            continue
        due = n >= fitted * GROWTH
        if due or n == pairs:
            fitted = n
            g, h = fit(middles, flips, scores, d)
            means = [sum(m[i] for m in middles) / n for i in range(d)]
            lo = [max(m - REACH, (p[1] - p[0]) / p[3]) for m, p in zip(means, params)]
            hi = [min(m + REACH, (p[2] - p[0]) / p[3]) for m, p in zip(means, params)]
            centre = [p[0] + z * p[3] for p, z in zip(params, top(g, h, lo, hi))]
        states.append({"centre": centre, "factor": 1.0})
    assert not due, "the last fit is to happen only because the tune ends"
    return {
        "name": name, "method": "surface", "pairs": pairs, "block": block, "inflight": block, "spread": 0.0,
        "probes": 0.0, "average": 0.0, "r_end": 0.0, "a": 0.1, "alpha": 0.602, "gamma": 0.101, "factor": 1.0,
        "params": [{"start": p[0], "min": p[1], "max": p[2], "c": p[3]} for p in params], "outcomes": outcomes,
        "states": states, "answer": centre,
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
        surface(draw, "slopes beyond the box", 61, [(0.0, -90.0, 90.0, 3.0), (5.0, -90.0, 7.0, 2.0), (1.0, -40.0, 40.0, 4.0)],
                20, [-0.2, 0.2, 0.0], [0.0, 0.0, -0.3]),
    ]
    text = json.dumps(short({"seed": SEED, "cases": cases}), separators=(",", ":"))
    print(text.replace('{"name"', '\n{"name"'))


main()
