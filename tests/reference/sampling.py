"""Slow, obvious twins of the sampling kernels, with the same random numbers, and of the diagnostics."""

import numpy as np

from novum import _core

MOMENTUM, CHANCE = 0x6D6F6D65, 0x63686E63
STEP, WALK = 0x73746570, 0x77616C6B


def numbers(kernel, seed, purpose, iteration, chain, count):
    out = np.empty((1, count))
    kernel(seed, purpose, iteration, chain, out)
    return out[0]


def normals(seed, purpose, iteration, chain, count):
    return numbers(_core.runtime.random.normal, seed, purpose, iteration, chain, count)


def uniforms(seed, purpose, iteration, chain, count):
    return numbers(_core.runtime.random.uniform, seed, purpose, iteration, chain, count)


class Nuts:
    """The No-U-Turn sampler by plain recursion (Hoffman and Gelman 2014; Betancourt 2017), with step and covariance given."""

    def __init__(self, log_prob, gradient, covariance, step, max_depth, seed, chain):
        self.log_prob, self.gradient, self.step, self.max_depth = log_prob, gradient, step, max_depth
        self.C = np.atleast_2d(covariance)
        self.L = np.linalg.cholesky(self.C)
        self.seed, self.chain = seed, chain

    def energy(self, q, p):
        return 0.5 * p @ self.C @ p - self.log_prob(q)

    def straight(self, first, last, rho):
        return (self.C @ first) @ rho > 0 and (self.C @ last) @ rho > 0

    def leapfrog(self, q, p, sign):
        p = p + sign * self.step / 2 * self.gradient(q)
        q = q + sign * self.step * self.C @ p
        return q, p + sign * self.step / 2 * self.gradient(q)

    def tree(self, q, p, sign, depth):
        """Return None where it turns or diverges, else (first p, last p, rho, drawn, log weight, end q, end p)."""
        if depth == 0:
            q, p = self.leapfrog(q, p, sign)
            self.n_steps += 1
            gain = self.start - self.energy(q, p)
            if not -gain <= 1000:
                return None
            return p, p, p, q, gain, q, p
        a = self.tree(q, p, sign, depth - 1)
        if a is None:
            return None
        b = self.tree(a[5], a[6], sign, depth - 1)
        if b is None:
            return None
        rho = a[2] + b[2]
        if not (
            self.straight(a[0], b[1], rho)
            and self.straight(a[0], b[0], a[2] + b[0])
            and self.straight(a[1], b[1], b[2] + a[1])
        ):
            return None
        total = np.logaddexp(a[4], b[4])
        drawn = b[3] if next(self.chance) < np.exp(b[4] - total) else a[3]
        return a[0], b[1], rho, drawn, total, b[5], b[6]

    def __call__(self, q, iteration):
        p = np.linalg.solve(self.L.T, normals(self.seed, MOMENTUM, iteration, self.chain, len(q)))
        self.chance = iter(uniforms(self.seed, CHANCE, iteration, self.chain, 4096))
        self.start, self.n_steps = self.energy(q, p), 0
        ends = {1: (q, p), -1: (q, p)}
        rho, drawn, weight = p, q, 0.0
        for depth in range(self.max_depth):
            sign = 1 if next(self.chance) < 0.5 else -1
            half = self.tree(*ends[sign], sign, depth)
            if half is None:
                return drawn
            if half[4] >= weight or next(self.chance) < np.exp(half[4] - weight):
                drawn = half[3]
            weight = np.logaddexp(weight, half[4])
            near, far = ends[sign][1], ends[-sign][1]
            goes_on = (
                self.straight(far, half[1], rho + half[2])
                and self.straight(far, half[0], rho + half[0])
                and self.straight(near, half[1], half[2] + near)
            )
            rho = rho + half[2]
            ends[sign] = half[5], half[6]
            if not goes_on:
                return drawn
        return drawn


def random_walk(log_prob, x, factor, n, seed, chain):
    """Return n draws of Metropolis' walk with steps factor z."""
    draws = []
    for iteration in range(n):
        new = x + factor @ normals(seed, STEP, iteration, chain, len(x))
        if uniforms(seed, WALK, iteration, chain, 1)[0] < np.exp(min(0.0, log_prob(new) - log_prob(x))):
            x = new
        draws.append(x)
    return np.array(draws)


def autocovariance(x, lag):
    centered = x - x.mean()
    return float(centered[: len(x) - lag] @ centered[lag:]) / len(x)


def effective_size(chains):
    """Return the effective size of chains that are cut already, term by term."""
    m, n = chains.shape
    within = np.mean([np.var(x, ddof=1) for x in chains])
    total = within * (n - 1) / n + np.var(chains.mean(axis=1), ddof=1)

    def rho(t):
        return 1.0 if t == 0 else 1 - (within - np.mean([autocovariance(x, t) for x in chains])) / total

    tau, smallest, k = -1.0, np.inf, 0
    while True:
        even, odd = rho(2 * k), rho(2 * k + 1)
        if even + odd <= 0 or 2 * k + 1 >= n - 3:
            tau += even if even > 0 or even + odd >= 0 else 0
            break
        smallest = min(smallest, even + odd)
        tau += 2 * smallest
        k += 1
    return m * n / max(tau, 1 / np.log10(m * n))


def r_hat(chains):
    """Return split R-hat of chains that are cut already."""
    n = chains.shape[1]
    within = np.mean([np.var(x, ddof=1) for x in chains])
    between = n * np.var([x.mean() for x in chains], ddof=1)
    return np.sqrt(((n - 1) / n * within + between / n) / within)
