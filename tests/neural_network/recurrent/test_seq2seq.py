"""Encoders with decoders: answers by hand from the weights, words reversed, attention that points backwards."""

import numpy as np
import pytest
from neural_network.dates import words
from reference.neural_network import cells
from sklearn.base import clone

import novum
from novum.exceptions import DataError, DataWarning
from novum.neural_network import Seq2Seq

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]
QUICK = {"max_epochs": 2, "random_state": 0, "device": "cpu"}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def layer_weights(model, part):
    start = f"{part}.rnn."
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    return [model.weights_[start + name].astype(float) for name in names]


def log_probs_by_hand(model, x, out):
    """log p(symbol | out so far, x) at every place of out and after it, for a model of one layer that reads one way."""
    w = model.weights_
    step, _ = cells.STEPS[model.cell]
    read = [w["source_table"][4 + model.source_symbols_.index(s)] for s in x]
    memory, state = cells.run(model.cell, read, *layer_weights(model, "encoder"))
    found = []
    for last in (1, *(4 + model.target_symbols_.index(s) for s in out)):
        state = step(w["target_table"][last], state, *layer_weights(model, "decoder"))
        q = state[0]
        if model.attention == "dot":
            scores = memory @ w["attention.memory_map.weight"].T @ q
        elif model.attention == "additive":
            inner = memory @ w["attention.memory_map.weight"].T
            inner = inner + w["attention.state_map.weight"] @ q + w["attention.state_map.bias"]
            scores = np.tanh(inner) @ w["attention.direction"]
        if model.attention is not None:
            a = np.exp(scores) / np.exp(scores).sum()
            q = np.tanh(w["attention.combine.weight"] @ np.concatenate([q, a @ memory]) + w["attention.combine.bias"])
        logits = w["head.weight"] @ q + w["head.bias"]
        logits[[0, 1, 3]] = -np.inf  # padding, the beginning and the unknown symbol are never said
        found.append(logits - np.log(np.exp(logits).sum()))
    return np.array(found)


def log_prob_by_hand(model, x, out):
    """log p(out | x), the sum over its symbols and the end."""
    numbers = [*(4 + model.target_symbols_.index(s) for s in out), 2]
    return log_probs_by_hand(model, x, out)[np.arange(len(numbers)), numbers].sum()


@pytest.mark.notes("000-c", "teacher-forcing")
@pytest.mark.parametrize("cell", ["lstm", "gru", "rnn"])
@pytest.mark.parametrize(
    "attention",
    [
        pytest.param(None, marks=pytest.mark.notes("000-c", "seq2seq-lstm")),
        pytest.param("dot", marks=pytest.mark.notes("000-c", "seq2seq-attention")),
        pytest.param("additive", marks=pytest.mark.notes("000-c", "seq2seq-attention")),
    ],
)
def test_answers_follow_from_the_weights_by_the_formulas(attention, cell):
    X = words(30, 0)
    y = [word[::-1] + "!" for word in X]
    model = Seq2Seq(5, cell=cell, attention=attention, n_embedding=4, learning_rate=0.05, **QUICK).fit(X, y)
    found = model.score_samples(X, y)
    np.testing.assert_allclose(found, [log_prob_by_hand(model, *pair) for pair in zip(X, y)], rtol=1e-5)


@pytest.mark.notes("000-c", "greedy-decoding")
@pytest.mark.filterwarnings("ignore:.*did not end within:novum.exceptions.DataWarning")
@pytest.mark.parametrize("attention", [None, "dot"])
def test_every_symbol_said_is_the_most_probable_one(attention):
    X = words(60, 1)
    y = [word[::-1] for word in X]
    options = {**QUICK, "max_epochs": 25}
    model = Seq2Seq(8, cell="gru", attention=attention, learning_rate=0.02, max_length=6, **options).fit(X, y)
    lengths = set()
    for x, said in zip(X, model.predict(X)):
        best = log_probs_by_hand(model, x, said).argmax(axis=1)
        numbers = [*(4 + model.target_symbols_.index(s) for s in said), 2]
        assert best[: len(said)].tolist() == numbers[:-1]
        assert best[-1] == 2 or len(said) == 6  # said to the end, or cut
        lengths.add(len(said))
    assert len(lengths) > 2


def test_words_are_reversed_and_attention_points_backwards():
    X = words(1700, 0, high=6)
    y = [word[::-1] for word in X]
    options = {"n_embedding": 16, "learning_rate": 1e-2, "batch_size": 32, "schedule": "cosine", "random_state": 0}
    model = Seq2Seq(32, max_epochs=12, **options).fit(X[:1500], y[:1500])
    assert model.score(X[1500:], y[1500:]) > 0.98
    assert model.set_params(beam_width=3).score(X[1500:], y[1500:]) > 0.98
    blind = Seq2Seq(48, attention=None, cell="gru", max_epochs=12, **options).fit(X[:1500], y[:1500])
    assert blind.score(X[1500:], y[1500:]) > 0.8  # one vector holds the whole word
    with pytest.raises(DataError, match="Seq2Seq has no attention; fit it with attention='dot' or 'additive'"):
        blind.attention_maps(X[:2])
    with pytest.raises(DataError, match="has no attention"):
        blind.plot_attention(X[0])


@pytest.mark.notes("000-c", "seq2seq-attention")
@pytest.mark.parametrize("attention", ["dot", "additive"])
def test_attention_maps_are_those_of_the_formula(attention):
    X = words(30, 0)
    y = [word[::-1] for word in X]
    model = Seq2Seq(5, attention=attention, bidirectional=True, n_layers=2, **QUICK).fit(X, y)
    maps = model.attention_maps(X, y)
    for x, out, found in zip(X, y, maps):
        assert found.source == list(x) and found.target == [*out, "<end>"]
        assert found.weights.shape == (1, 1, len(out) + 1, len(x))
        np.testing.assert_allclose(found.weights.sum(axis=-1), 1.0, rtol=1e-5)
    alone = model.attention_maps(X[:1], y[:1])[0]
    np.testing.assert_allclose(alone.weights, maps[0].weights, atol=1e-6)
    ax = model.plot_attention(X[0], y[0])
    np.testing.assert_allclose(np.asarray(ax.images[0].get_array()), maps[0].weights[0, 0], atol=1e-6)


@pytest.mark.parametrize(("cell", "bidirectional"), [("lstm", True), ("gru", False)])
def test_company_weights_files_and_seeds(cell, bidirectional, tmp_path):
    X = words(40, 3)
    y = [word[::-1] for word in X]
    model = Seq2Seq(6, cell=cell, bidirectional=bidirectional, n_layers=2, dropout=0.1, **QUICK)
    fitted = clone(model).fit(X, y)
    together = fitted.score_samples(X, y)
    np.testing.assert_allclose([fitted.score_samples([x], [out])[0] for x, out in zip(X, y)], together, atol=2e-5)
    part = clone(model).fit([*X, "zz"], [*y, "qq"], sample_weight=[1.0] * 40 + [0.0])
    np.testing.assert_array_equal(part.score_samples(X, y), together)
    novum.save(fitted, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").score_samples(X, y), together)


def test_answers_that_do_not_end_are_reported():
    model = Seq2Seq(4, max_length=2, **QUICK).fit(["ab", "ba"] * 4, ["aaaaaa", "bbbbbb"] * 4)
    with pytest.warns(DataWarning, match="2 of 2 answers did not end within 2 symbols"):
        said = model.predict(["ab", "ba"])
    assert all(len(one) == 2 for one in said)
