"""The recurrent units of the notes, transcribed literally in NumPy, with weights in PyTorch's order."""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def rnn_step(x, state, W, U, b, d):
    (h,) = state
    return (np.tanh(W @ x + b + U @ h + d),)


def lstm_step(x, state, W, U, b, d):
    h, c = state
    a = W @ x + b + U @ h + d
    i, f, g, o = np.split(a, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, state, W, U, b, d):
    (h,) = state
    ar, az, an = np.split(W @ x + b, 3)
    ur, uz, un = np.split(U @ h + d, 3)
    r, z = sigmoid(ar + ur), sigmoid(az + uz)
    n = np.tanh(an + r * un)
    return ((1 - z) * n + z * h,)


STEPS = {"rnn": (rnn_step, 1), "gru": (gru_step, 1), "lstm": (lstm_step, 2)}


def run(cell, xs, W, U, b, d):
    """Return h after every step of one sequence (steps, inputs), and the last state."""
    step, parts = STEPS[cell]
    state = tuple(np.zeros(U.shape[1]) for _ in range(parts))
    hs = []
    for x in xs:
        state = step(x, state, W, U, b, d)
        hs.append(state[0])
    return np.array(hs), state


def stacked(cell, xs, weights, n_layers, bidirectional):
    """Return the outputs of a stack; `weights` is PyTorch's state of `nn.LSTM` and the like, as arrays."""
    for layer in range(n_layers):
        outs = []
        for way in ("", "_reverse") if bidirectional else ("",):
            W, U, b, d = (weights[f"{name}_l{layer}{way}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            hs, _ = run(cell, xs[::-1] if way else xs, W, U, b, d)
            outs.append(hs[::-1] if way else hs)
        xs = np.concatenate(outs, axis=1)
    return xs
