"""Transformers: dates and reversed words exact on what was never seen, decoding without the kept keys, maps, refusals."""

import math
import warnings

import numpy as np
import pytest
from neural_network.dates import dates, words
from sklearn.base import clone

import novum
from novum.exceptions import DataError, DataWarning, ParameterError, UnknownCategory
from novum.neural_network import TransformerClassifier, TransformerSeq2Seq

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]
QUICK = {"max_epochs": 2, "random_state": 0, "device": "cpu"}
SMALL = {"width": 8, "n_heads": 2, "n_layers": 1, **QUICK}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def translator():
    torch.set_num_threads(1)
    X, y = dates(3000, 0)
    options = {"max_epochs": 14, "learning_rate": 5e-3, "batch_size": 32, "schedule": "cosine", "warmup_steps": 100}
    model = TransformerSeq2Seq(
        48, n_layers=1, n_hidden=96, dropout=0.0, tied_weights=True, random_state=0, device="cpu", **options
    )
    return model.fit(X, y)


@pytest.mark.notes("000-c", "transformer")
def test_dates_are_translated_exactly(translator):
    seen = set(dates(3000, 0)[0])
    X, y = map(list, zip(*((x, out) for x, out in zip(*dates(800, 1)) if x not in seen)))
    assert len(X) > 700
    assert translator.predict(X) == y
    assert translator.score(X, y) == 1.0
    assert translator.predict(["3 March 2021"]) == ["2021-03-03"]


def test_words_are_reversed_exactly():
    X = words(2300, 0)
    y = [word[::-1] for word in X]
    options = {"max_epochs": 20, "learning_rate": 8e-3, "batch_size": 32, "schedule": "cosine", "warmup_steps": 100}
    model = TransformerSeq2Seq(32, n_layers=1, n_hidden=64, dropout=0.0, random_state=0, **options)
    model.fit(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) == 1.0
    assert model.set_params(beam_width=3).score(X[2000:2050], y[2000:2050]) == 1.0


def whole_network(model, x, said):
    """log p of the next symbol after `said`, by a run of the whole network on one sequence; and the symbols."""
    numbers = {symbol: k for k, symbol in enumerate(model.source_symbols_, start=4)}
    targets = {symbol: k for k, symbol in enumerate(model.target_symbols_, start=4)}
    from novum.neural_network.sequences.padding import PaddedBatch

    length = torch.tensor([len(x)])
    source = PaddedBatch(torch.tensor([[numbers[s] for s in x]]), length, length, True)
    with torch.no_grad():
        logits = model.module_(source, torch.tensor([[1, *(targets[s] for s in said)]]))[0, -1].double().numpy()
    allowed = logits[[2, *range(4, len(logits))]]  # END and the symbols
    return allowed - math.log(np.exp(allowed).sum()), ["<end>", *model.target_symbols_]


@pytest.mark.notes("000-c", "greedy-decoding")
def test_decoding_appends_the_best_symbol_until_end(translator):
    X, _ = dates(5, 3)
    half = [*X, *(x[: len(x) // 2 + 1] for x in X)]  # cut dates: where the network is unsure
    for model in (translator, TransformerSeq2Seq(max_length=6, **SMALL).fit(X, ["ab", "ba", "a", "b", "aab"])):
        found = []
        for x in half:
            said, total = "", 0.0
            while True:
                log_prob, symbols = whole_network(model, x, said)
                total += log_prob.max()
                if symbols[log_prob.argmax()] == "<end>" or len(said) == model.max_length_:
                    break
                said += symbols[log_prob.argmax()]
            found.append((said, total))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # hardly trained, some answers are cut
            answers = model.candidates(half)
        assert [one.sequence[0] for one in answers] == [said for said, _ in found]
        np.testing.assert_allclose([one.log_prob[0] for one in answers], [total for _, total in found], atol=1e-4)


def test_log_probabilities_are_sums_over_symbols(translator):
    X, y = dates(4, 9)
    y[1] = "2021-03-99"
    by_hand = []
    for x, out in zip(X, y):
        total = 0.0
        for place in range(len(out) + 1):
            log_prob, symbols = whole_network(translator, x, out[:place])
            total += log_prob[symbols.index(out[place] if place < len(out) else "<end>")]
        by_hand.append(total)
    np.testing.assert_allclose(translator.score_samples(X, y), by_hand, rtol=1e-4, atol=1e-5)
    best = translator.candidates(X, 3)
    assert all(len(one.sequence) == 3 and (np.diff(one.log_prob) <= 0).all() for one in best)
    for x, one in zip(X, best):
        np.testing.assert_allclose(translator.score_samples([x] * 3, one.sequence), one.log_prob, rtol=1e-3, atol=1e-4)


def test_attention_maps_show_what_is_copied(translator):
    x, y = "17 October 1987", "1987-10-17"
    (found,) = translator.attention_maps([x])
    assert found.source == list(x) and found.target == [*y, "<end>"]
    assert found.weights.shape == (1, 4, len(y) + 1, len(x))
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1.0, rtol=1e-5)
    year = found.weights[0, :, :4, -4:].sum(axis=-1).max(axis=0)
    assert (year > 0.5).all()  # some head reads the year's figures from the year
    together = translator.attention_maps([x, "1 May 2000"])[0]
    np.testing.assert_allclose(together.weights, found.weights, atol=1e-5)
    given = translator.attention_maps([x], [y])[0]
    np.testing.assert_array_equal(given.weights, found.weights)
    assert found.to_frame().shape == (len(y) + 1, len(x) + 1)
    with pytest.raises(ParameterError, match="layer=1, and there are 1"):
        found.mean(layer=1)


@pytest.mark.notes("000-c", "plot-architectures")
def test_the_drawn_map_is_the_attention(translator):
    plt = pytest.importorskip("matplotlib.pyplot")
    x = "3 March 2021"
    (found,) = translator.attention_maps([x])
    ax = translator.plot_attention(x, layer=0, head=2)
    np.testing.assert_allclose(np.asarray(ax.images[0].get_array()), found.weights[0, 2], atol=1e-6)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(x)
    assert [label.get_text() for label in ax.get_yticklabels()] == [*"2021-03-03", "<end>"]
    mean = found.plot()
    np.testing.assert_allclose(np.asarray(mean.images[0].get_array()), found.weights[0].mean(axis=0))
    plt.close("all")


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_company_and_order_change_no_answer(positions):
    X = words(60, 1)
    model = TransformerSeq2Seq(positions=positions, **SMALL).fit(X, [word[::-1] for word in X])
    y = [word[::-1] for word in X]
    together = model.score_samples(X, y)
    alone = np.array([model.score_samples([x], [out])[0] for x, out in zip(X, y)])
    np.testing.assert_allclose(together, alone, atol=2e-5)
    labels = np.arange(60) % 3
    for pooling in ("mean", "max"):
        reader = TransformerClassifier(pooling=pooling, positions=positions, **SMALL).fit(X, labels)
        alone = np.concatenate([reader.predict_proba([x]) for x in X])
        np.testing.assert_allclose(reader.predict_proba(X), alone, atol=1e-6)


def test_classes_of_sequences_and_of_steps():
    X = words(400, 2)
    first = [word[0] for word in X]  # needs positions
    options = {"n_heads": 2, "n_layers": 1, "dropout": 0.0, "learning_rate": 1e-2, "max_epochs": 25, "random_state": 0}
    model = TransformerClassifier(16, **options).fit(X[:300], first[:300])
    assert model.score(X[300:], first[300:]) > 0.95
    last = [word[-1] * len(word) for word in X]  # the target of every step is the last symbol
    steps = TransformerClassifier(16, per_step=True, **options).fit(X[:300], [list(out) for out in last[:300]])
    assert steps.score(X[300:], [list(out) for out in last[300:]]) > 0.9
    maps = steps.attention_maps(X[:3])
    assert [one.weights.shape for one in maps] == [(1, 2, len(x), len(x)) for x in X[:3]]
    ax = steps.plot_attention(X[0], head=1)
    np.testing.assert_allclose(np.asarray(ax.images[0].get_array()), maps[0].weights[0, 1], atol=1e-6)
    rng = np.random.default_rng(0)
    numbers = [rng.normal(size=(n, 3)) for n in rng.integers(2, 6, size=200)]
    signs = [x[:, 1].mean() > 0 for x in numbers]
    vectors = TransformerClassifier(16, **options).fit(numbers, signs)
    assert vectors.score(numbers, signs) > 0.9 and vectors.attention_maps(numbers[:1])[0].source == list(
        range(len(numbers[0]))
    )


def test_own_symbols_come_back():
    X = [[1, 2], [3], [2, 2, 1]] * 10
    for y, kind in [
        ([("x", "y"), ("z",), ()] * 10, tuple),
        ([[7, 8], [9], []] * 10, list),
        (["xy", "z", ""] * 10, str),
    ]:
        model = TransformerSeq2Seq(
            16, n_heads=2, n_layers=1, dropout=0.0, max_epochs=40, learning_rate=1e-2, random_state=0
        )
        model.fit(X, y)
        assert model.predict(X[:3]) == y[:3] and all(isinstance(out, kind) for out in model.predict(X[:3]))


def test_weights_files_and_seeds(tmp_path):
    X = words(40, 3)
    y = [word[::-1] for word in X]
    model = TransformerSeq2Seq(tied_weights=True, label_smoothing=0.1, **SMALL)
    fitted = clone(model).fit(X, y)
    part = clone(model).fit([*X, "zz"], [*y, "qq"], sample_weight=[1.0] * 40 + [0.0])
    np.testing.assert_array_equal(part.score_samples(X, y), fitted.score_samples(X, y))
    novum.save(fitted, tmp_path / "model.novum")
    loaded = novum.load(tmp_path / "model.novum")
    np.testing.assert_array_equal(loaded.score_samples(X, y), fitted.score_samples(X, y))
    options = {**SMALL, "dropout": 0.3, "batch_size": 16, "checkpoint": tmp_path / "state.npz"}
    whole = TransformerSeq2Seq(**{**options, "max_epochs": 4}).fit(X, y)
    TransformerSeq2Seq(**options).fit(X, y)
    resumed = TransformerSeq2Seq(**{**options, "max_epochs": 4}).resume(X, y)
    np.testing.assert_array_equal(resumed.history_.objective, whole.history_.objective)
    reader = TransformerClassifier(**SMALL).fit(X, np.arange(40) % 2)
    novum.save(reader, tmp_path / "reader.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "reader.novum").predict_proba(X), reader.predict_proba(X))


def test_the_loss_is_the_mean_over_symbols_by_weight():
    X, y = words(12, 4), words(12, 5)
    w = 1.0 + np.arange(12) % 3
    model = TransformerSeq2Seq(**{**SMALL, "max_epochs": 1, "dropout": 0.0, "learning_rate": 1e-30, "batch_size": 20})
    model.fit(X, y, sample_weight=w)
    module, n = model.module_, np.array([len(out) + 1 for out in y])
    examples = model._examples(X, y, None, False).to("cpu")
    source, inputs, outputs, _ = examples.take(examples.batches(None, 12)[0])
    log_p = torch.log_softmax(module(source, inputs.values).double(), dim=-1).detach().numpy()
    terms = [sum(log_p[i, t, outputs.values[i, t]] for t in range(n[i])) for i in range(12)]
    assert model.history_[0] == pytest.approx(-(w @ terms) / (w @ n), rel=1e-5)


def test_refusals():
    X = ["ab", "b"]
    with pytest.raises(ParameterError, match="width=9 is no multiple of n_heads=2"):
        TransformerSeq2Seq(9, n_heads=2, **QUICK).fit(X, X)
    with pytest.raises(DataError, match="X has 2 sequences and y has 1; give pairs"):
        TransformerSeq2Seq(**SMALL).fit(X, ["a"])
    with pytest.raises(DataError, match="sequence 1 of X is empty"):
        TransformerSeq2Seq(**SMALL).fit(["a", ""], X)
    with pytest.raises(DataError, match="X has no sequence"):
        TransformerSeq2Seq(**SMALL).fit([], [])
    with pytest.raises(DataError, match=r"sequence 0 of y is 0\.5"):
        TransformerSeq2Seq(**SMALL).fit(X, [0.5, 1.5])
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match=r"X is a table; give the column with the sequences, X\['words'\]"):
        TransformerSeq2Seq(**SMALL).fit(pd.DataFrame({"words": X}), X)
    model = TransformerSeq2Seq(positions="learned", max_length=3, **SMALL).fit(X, X)
    with pytest.raises(DataError, match="X has no sequence"):
        model.predict([])
    with pytest.raises(UnknownCategory, match=r"X holds symbols that fit did not see: 'z' \(sequence 1\)"):
        model.predict(["a", "z"])
    with pytest.raises(DataError, match="a sequence has 9 steps, and positions='learned' knows 4"):
        model.predict(["aabbaabba"])
    with pytest.raises(DataError, match="a sequence has 6 steps, and positions='learned' knows 4"):
        model.score_samples(X, ["aabba", "a"])
    with pytest.raises(DataError, match="a sequence has 5 steps, and positions='learned' knows 4"):
        TransformerSeq2Seq(positions="learned", max_length=3, **SMALL).fit(X, X, validation=(["ababa"], ["a"]))
    with pytest.raises(DataError, match="beam_width=0 must be 1 or more"):
        model.candidates(X, 0)
    with pytest.raises(UnknownCategory, match="y holds symbols"):
        model.score_samples(X, ["zz", "a"])
