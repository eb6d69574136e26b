"""The answers of fitted Transformers from their weights, by the formulas of the notes in NumPy."""

import math

import numpy as np
import pytest
from neural_network.dates import words

from novum.neural_network import TransformerClassifier, TransformerSeq2Seq

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]
START, END = 1, 2
SPECIAL = 4  # symbols that stand before those of the data
OPTIONS = {"n_heads": 2, "dropout": 0.0, "max_epochs": 3, "learning_rate": 0.03, "random_state": 0, "device": "cpu"}


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(w, part, x, memory, *, causal, n_heads=2):
    """Concatenated heads softmax(Q_h K_h' / sqrt(d_h)) V_h, times W^O."""
    projections = np.split(w[f"{part}.in_proj_weight"], 3), np.split(w[f"{part}.in_proj_bias"], 3)
    Q, K, V = (source @ W.T + b for source, W, b in zip((x, memory, memory), *projections))
    heads = []
    for q, k, v in zip(*(np.split(z, n_heads, axis=1) for z in (Q, K, V))):
        scores = q @ k.T / math.sqrt(q.shape[1])
        if causal:  # a step does not see those after it
            scores[np.triu_indices(len(q), 1, len(k))] = -np.inf
        heads.append(softmax(scores) @ v)
    return np.concatenate(heads, axis=1) @ w[f"{part}.out_proj.weight"].T + w[f"{part}.out_proj.bias"]


def normal(w, part, x):
    centered = x - x.mean(axis=1, keepdims=True)
    return (
        centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5) * w[f"{part}.weight"] + w[f"{part}.bias"]
    )


def block(w, name, x, memory, *, first):
    """Self-attention, attention to the encoder where there is one, the small network; each added to what it read."""
    below, above = f"{name}.feed_forward.linear1", f"{name}.feed_forward.linear2"

    def small_network(h):
        return (
            np.maximum(h @ w[f"{below}.weight"].T + w[f"{below}.bias"], 0) @ w[f"{above}.weight"].T + w[f"{above}.bias"]
        )

    parts = [lambda h: attention(w, f"{name}.self_attn", h, h, causal=memory is not None), small_network]
    if memory is not None:
        parts.insert(1, lambda h: attention(w, f"{name}.multihead_attn", h, memory, causal=False))
    for number, part in enumerate(parts):
        norm = f"{name}.norms.{number}"
        x = x + part(normal(w, norm, x)) if first else normal(w, norm, x + part(x))
    return x


def placed(x):
    """x + P, with P[p, 2i] = sin(p / 10000^(2i/d)) and P[p, 2i+1] = cos(p / 10000^(2i/d))."""
    n, d = x.shape
    return x + [
        [(math.cos if j % 2 else math.sin)(p / 10000 ** (2 * (j // 2) / d)) for j in range(d)] for p in range(n)
    ]


def encoded(w, x, first):
    x = block(w, "encoder.blocks.0", placed(x), None, first=first)
    return normal(w, "encoder.norm", x) if first else x


def weights_of(model):
    return {name: value.astype(float) for name, value in model.weights_.items()}


def next_symbols(model, x, said):
    """Return log p(y_t | y_1 ... y_{t-1}, x) at every place of START and what is said, (places, symbols)."""
    w, first = weights_of(model), model.norm_first
    source = w["source_embedding.weight"][[SPECIAL + model.source_symbols_.index(s) for s in x]]
    memory = encoded(w, math.sqrt(model.width) * source, first)
    read = [START, *(SPECIAL + model.target_symbols_.index(s) for s in said)]
    y = placed(math.sqrt(model.width) * w["target_embedding.weight"][read])
    y = block(w, "blocks.0", y, memory, first=first)
    logits = (normal(w, "norm", y) if first else y) @ w["head.weight"].T + w["head.bias"]
    logits[:, [0, 1, 3]] = -np.inf  # padding, START and the unknown symbol are never said
    return np.log(softmax(logits), where=np.isfinite(logits), out=np.full_like(logits, -np.inf))


@pytest.mark.notes("000-c", "token-embedding")
@pytest.mark.notes("000-c", "positional-encoding")
@pytest.mark.notes("000-c", "scaled-dot-attention")
@pytest.mark.notes("000-c", "causal-mask")
@pytest.mark.notes("000-c", "multi-head-attention")
@pytest.mark.notes("000-c", "positionwise-ffn")
@pytest.mark.notes("000-c", "transformer-blocks")
@pytest.mark.notes("000-c", "teacher-forcing")
@pytest.mark.parametrize("norm_first", [True, False])
def test_probabilities_of_answers(norm_first):
    X = words(30, 0)
    y = [word[::-1] + "!" for word in X]
    model = TransformerSeq2Seq(8, n_layers=1, norm_first=norm_first, **OPTIONS).fit(X, y)
    expected = []
    for x, out in zip(X, y):
        log_p = next_symbols(model, x, out)
        numbers = [*(SPECIAL + model.target_symbols_.index(s) for s in out), END]
        expected.append(sum(log_p[t, number] for t, number in enumerate(numbers)))
    np.testing.assert_allclose(model.score_samples(X, y), expected, rtol=1e-4)


@pytest.mark.notes("000-c", "multi-head-attention")
@pytest.mark.notes("000-c", "positionwise-ffn")
@pytest.mark.notes("000-c", "transformer-blocks")
@pytest.mark.parametrize("norm_first", [True, False])
def test_probabilities_of_classes(norm_first):
    X = words(60, 1)
    model = TransformerClassifier(8, n_layers=1, norm_first=norm_first, **OPTIONS).fit(X, [len(x) % 3 for x in X])
    w, expected = weights_of(model), []
    for x in X:
        codes = encoded(w, w["input.table"][[SPECIAL + list(model.symbols_).index(s) for s in x]], norm_first)
        expected.append(softmax(codes.mean(axis=0) @ w["head.weight"].T + w["head.bias"]))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-5)
