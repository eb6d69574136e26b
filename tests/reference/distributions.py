"""Log-densities one outcome at a time, by their definitions: the oracle of the compiled ones."""

import math

import numpy as np

INFINITE = math.inf


def is_count(x):
    return x >= 0 and x == math.floor(x)


def log_factorial(x):
    return math.lgamma(x + 1)


def times(a, b):
    return 0.0 if a == 0 else a * b


def gamma(x, power, rate, norm, at_zero):
    return power * math.log(x) - rate * x + norm if x > 0 else at_zero if x == 0 else -INFINITE


def beta(x, a, b, norm):
    if 0 < x < 1:
        return a * math.log(x) + b * math.log(1 - x) + norm
    if x not in (0, 1):
        return -INFINITE
    power = a if x == 0 else b
    return norm if power == 0 else -INFINITE if power > 0 else INFINITE


def bernoulli(x, success, failure):
    return {1: success, 0: failure}.get(x, -INFINITE)


def poisson(x, log_rate, rate):
    return times(x, log_rate) - rate - log_factorial(x) if is_count(x) else -INFINITE


def binomial(x, n, success, failure, factorial):
    if not is_count(x) or x > n:
        return -INFINITE
    return factorial - log_factorial(x) - log_factorial(n - x) + times(x, success) + times(n - x, failure)


def exponential(x, minus_rate, log_rate):
    return log_rate + minus_rate * x if x >= 0 else -INFINITE


def uniform(x, low, high, height):
    return height if low <= x <= high else -INFINITE


def squared_length(x, mean, factor):
    z = np.linalg.solve(factor, x - mean)
    return z @ z
