"""Slow and obvious: epochs of a multilayer perceptron in NumPy, the oracle of _core.neural_network.perceptron."""

import numpy as np

from novum.activations import get_activation

RULES = ("sgd", "adagrad", "rmsprop", "adam")


def output_of(kind, z):
    """Return what the last layer makes of its sums."""
    if kind == "softmax":
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    return {"identity": z, "logistic": 1 / (1 + np.exp(-z)), "exp": np.exp(z)}[kind]


def loss_of(kind, p, y, weight):
    """Return the sum of weight times loss."""
    if kind == "identity":
        rows = 0.5 * ((p - y) ** 2).mean(axis=1)
    elif kind == "softmax":
        rows = -np.log((p * y).sum(axis=1))
    elif kind == "logistic":
        rows = -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum(axis=1)
    else:
        rows = (np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / p), 0) - y + p).sum(axis=1)
    return weight @ rows


def gradients(coefs, shifts, activation, kind, X, y, weight):
    """Return the sum of the losses and the gradients of weights and shifts, summed over the rows."""
    h = get_activation(activation)
    units, sums = [X], []
    for l, (w, b) in enumerate(zip(coefs, shifts)):
        sums.append(units[-1] @ w + b)
        units.append(output_of(kind, sums[-1]) if l == len(coefs) - 1 else h(sums[-1]))
    delta = (units[-1] - y) * weight[:, None]
    of_coefs, of_shifts = [], []
    for l in reversed(range(len(coefs))):
        of_coefs.insert(0, units[l].T @ delta)
        of_shifts.insert(0, delta.sum(axis=0))
        if l:
            delta = h.vjp(sums[l - 1], delta @ coefs[l].T)
    return loss_of(kind, units[-1], y, weight), of_coefs, of_shifts


def move(rule, g, state, rate, step, momentum=0.9, nesterov=True, b1=0.9, b2=0.999, eps=1e-8):
    """Return the change of some numbers and the scale of one unit of gradient; `state` is changed."""
    if rule == "sgd":
        state[0] = momentum * state[0] - rate * g
        return (momentum * state[0] - rate * g if nesterov else state[0]), rate / (1 - momentum)
    if rule == "adagrad":
        state[1] = state[1] + g**2
        scale = rate / (np.sqrt(state[1]) + eps)
        return -scale * g, scale
    state[1] = b2 * state[1] + (1 - b2) * g**2
    if rule == "rmsprop":
        scale = rate / (np.sqrt(state[1]) + eps)
        return -scale * g, scale
    state[0] = b1 * state[0] + (1 - b1) * g
    scale = rate * np.sqrt(1 - b2**step) / (1 - b1**step) / (np.sqrt(state[1]) + eps)
    return -scale * state[0], scale


def epoch(coefs, shifts, activation, kind, X, y, weight, batch, rule, rate, alpha=0.0, l1=0.0, states=None, step=0):
    """Step over the rows in order; return the sum over batches of rows times penalized loss. Weights are changed in place."""
    states = states if states is not None else [[np.zeros_like(p), np.zeros_like(p)] for p in (*coefs, *shifts)]
    total = 0.0
    for begin in range(0, len(X), batch):
        rows = slice(begin, begin + batch)
        mass = weight[rows].sum()
        loss, of_coefs, of_shifts = gradients(coefs, shifts, activation, kind, X[rows], y[rows], weight[rows])
        penalty = sum(alpha / 2 * (w**2).sum() + l1 * np.abs(w).sum() for w in coefs)
        total += (loss + penalty) / mass * len(X[rows])
        step += 1
        for k, (p, g) in enumerate(zip((*coefs, *shifts), (*of_coefs, *of_shifts))):
            penalized = k < len(coefs)
            change, scale = move(rule, (g + alpha * p * penalized) / mass, states[k], rate, step)
            p += change
            if penalized and l1:
                p[...] = np.sign(p) * np.maximum(np.abs(p) - scale * l1 / mass, 0)
    return total
