"""Attention: answers and weights against a plain fit, the formula's view against softmax written out."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.neural_network import Seq2Seq, TransformerSeq2Seq

pytestmark = pytest.mark.deep

TRANSFORMER = {"epochs": 2, "n": 80, "network": "transformer"}
STATES = [{"epochs": 3, "n": 100}, {**TRANSFORMER, "heads": "4", "task": "copy", "word": "edcb", "mask": False}]
STATES += [{**TRANSFORMER, "word": "aab", "seed": 1}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("attention", **request.param)


def fitted(s, epochs):
    rng = np.random.default_rng(s.seed)
    words = ["".join(rng.choice(list("abcde"), rng.integers(2, 7))) for _ in range(s.n)]
    options = {"dropout": 0.0, "max_length": 10, "max_epochs": epochs, "batch_size": 32, "learning_rate": s.rate}
    options |= {"schedule": "constant", "patience": None, "device": "cpu", "random_state": s.seed}
    model = (
        Seq2Seq(attention="dot", **options)
        if s.network == "recurrent"
        else TransformerSeq2Seq(width=32, n_heads=int(s.heads), n_layers=1, **options)
    )
    return model.fit(words, [word[::-1] for word in words] if s.task == "reverse" else words)


@pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")
def test_answers_and_weights_are_those_of_a_plain_fit(run):
    s = run.state
    for n in (1, s.epochs):
        frame, model = run.at(n, "train"), fitted(s, n)
        answer = model.predict([s.word])[0]
        assert frame.say[1]["answer"] == (answer or "∅")
        assert (frame.say[0] == "right") == (answer == (s.word[::-1] if s.task == "reverse" else s.word))
        assert frame.values["log_p"] == float(model.candidates([s.word], 1)[0].log_prob[0])
        looks = model.attention_maps([s.word], [answer])[0].weights.mean(axis=(0, 1))
        assert np.array(frame.arrays["looks"]) == pytest.approx(looks, rel=1e-5, abs=1e-7)
        assert np.array(frame.arrays["looks"]).sum(axis=1) == pytest.approx(1.0, rel=1e-5)
        if len(answer) < 10:  # an answer that was not cut has the probability of all its symbols and its end
            assert frame.values["log_p"] == pytest.approx(model.score_samples([s.word], [answer])[0], rel=1e-4)
        best = sorted((row[1] for row in frame.arrays["rows"]), reverse=True)
        assert [row[1] for row in frame.arrays["rows"]] == best


def test_every_symbol_says_where_it_looks(run):
    looks = np.array(run.at(run.state.epochs, "train").arrays["looks"])
    decoded = [frame for frame in run.frames if frame.part == "decode"]
    assert len(decoded) == len(looks)
    for frame, row in zip(decoded, looks):
        assert frame.say[1]["letter"] == run.state.word[row.argmax()]
        assert frame.values["weight"] == pytest.approx(row.max(), rel=1e-6)


def test_the_formula_is_softmax_of_scaled_products(run):
    n = len(run.state.word)
    angles = np.arange(n)[:, None] / 10_000 ** (np.arange(0, 8, 2) / 8)
    places = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, 8)
    e = np.exp(places @ places.T / np.sqrt(8))
    if run.state.mask:
        e = np.tril(e)
    weights = e / e.sum(axis=1, keepdims=True)
    assert np.array(run.last.arrays["self_looks"]) == pytest.approx(weights, rel=1e-6, abs=1e-9)
    ahead = sum(weights[i, j] for i in range(n) for j in range(i + 1, n)) / n
    assert run.last.values["leak"] == pytest.approx(ahead, rel=1e-9, abs=1e-12)
    assert (run.last.values["leak"] > 0.1) == (not run.state.mask)


def test_the_default_learns_to_reverse():
    run = run_of("attention")
    assert run.at(run.state.epochs, "train").say[0] == "right"
    assert run.last.values["log_p"] > -0.7


def test_letters_it_has_never_seen_are_refused():
    assert refusal_of("attention", word="abz")[1] == "word"
    assert refusal_of("attention", word="a")[1] == "word"
