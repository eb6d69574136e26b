"""Recurrent estimators: what they say from their own weights by hand, tasks that need memory, weights, files, refusals."""

import numpy as np
import pytest
from reference.neural_network import cells
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import novum
from novum.exceptions import DataError, DataWarning, ParameterError, UnknownCategory
from novum.neural_network import RecurrentClassifier, RecurrentRegressor

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]
QUICK = {"max_epochs": 2, "random_state": 0, "device": "cpu"}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def bits(n, seed, low=1, high=13):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 2, size=k).tolist() for k in rng.integers(low, high, size=n)]


def series(n=40, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(3.0, 2.0, size=(k, columns)) for k in rng.integers(1, 8, size=n)]


def states(model, x):
    """The states of one sequence of vectors or symbols, from the fitted weights and the formulas."""
    w = model.weights_
    if model.symbols_ is None:
        x = (x - w["input.mean"]) / w["input.scale"]
    else:
        x = np.array([w["input.table"][4 + model.symbols_.index(symbol)] for symbol in x])
    own = {name.removeprefix("layers.rnn."): value.astype(np.float64) for name, value in w.items()}
    return cells.stacked(model.cell, x, own, model.n_layers, model.bidirectional)


def outputs(model, h):
    return h @ model.weights_["head.weight"].T + model.weights_["head.bias"]


@pytest.mark.notes("000-c", "token-embedding")
@pytest.mark.notes("000-c", "rnn")
@pytest.mark.notes("000-c", "gru")
@pytest.mark.notes("000-c", "lstm")
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_answers_follow_from_the_weights_by_the_formulas(cell):
    X = series()
    y = [x[:, 0].mean() + 10 for x in X]
    model = RecurrentRegressor(6, cell=cell, n_layers=2, **QUICK).fit(X, y)
    by_hand = [outputs(model, states(model, x)[-1])[0] * np.std(y) + np.mean(y) for x in X]
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-5)
    words = ["abca", "b", "cc", "bca"] * 5
    model = RecurrentClassifier(5, cell=cell, bidirectional=True, n_embedding=3, **QUICK).fit(words, [0, 1, 0, 2] * 5)
    h = [states(model, word) for word in words]
    logits = np.array([outputs(model, np.concatenate([s[-1, :5], s[0, 5:]])) for s in h])
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(words), p, atol=1e-6)
    assert np.array_equal(model.predict(words), model.classes_[p.argmax(axis=1)])
    model = RecurrentClassifier(5, cell=cell, per_step=True, n_embedding=3, **QUICK).fit(words, words)
    found = model.predict_proba(words)
    for word, one in zip(words, found):
        logits = outputs(model, states(model, word))
        np.testing.assert_allclose(one, np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), atol=1e-6)


def test_parity_is_learned_by_the_lstm():
    X, T = bits(1200, 0), bits(300, 1, 13, 20)  # tested on longer sequences than it has seen
    model = RecurrentClassifier(24, n_embedding=8, max_epochs=40, learning_rate=1e-2, batch_size=32, random_state=0)
    model.fit(X, [sum(x) % 2 for x in X])
    assert model.score(T, [sum(x) % 2 for x in T]) == 1.0


def test_running_sums_are_learned_at_every_step():
    X = [np.random.default_rng(k).normal(size=(4 + k % 6, 2)) for k in range(300)]
    y = [np.cumsum(x, axis=0) @ [[1.0, 0.5], [0.0, -1.0]] for x in X]
    model = RecurrentRegressor(32, cell="gru", per_step=True, max_epochs=40, learning_rate=1e-2, random_state=0).fit(
        X, y
    )
    assert [one.shape for one in model.predict(X[:3])] == [one.shape for one in y[:3]]
    assert model.score(X[200:], y[200:]) > 0.98
    assert model.n_outputs_ == 2 and model.n_features_in_ == 2


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("pooling", ["last", "mean", "max"])
def test_company_and_order_change_no_answer(bidirectional, pooling):
    X = series()
    y = np.arange(len(X)) % 3
    model = RecurrentClassifier(4, bidirectional=bidirectional, pooling=pooling, **QUICK).fit(X, y)
    together = model.predict_proba(X)
    alone = np.concatenate([model.predict_proba([x]) for x in X])
    np.testing.assert_allclose(together, alone, atol=2e-7)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(model.predict_proba([X[k] for k in order]), together[order], atol=2e-7)


def test_weights_leave_out_and_repeat():
    X, y = series(30), np.arange(30) % 2
    w = np.r_[np.ones(20), np.zeros(10)]
    wild = [*X[:20], *[x * 1e30 for x in X[20:]]]
    a = RecurrentClassifier(4, **QUICK).fit(wild, y, sample_weight=w)
    b = RecurrentClassifier(4, **QUICK).fit(X[:20], y[:20])
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    whole = {**QUICK, "batch_size": 100, "optimizer": "sgd"}  # one batch: then the order of rows does not matter
    words = ["abca", "b", "cc", "bcaab", "ca"] * 6
    for model, targets in [
        (RecurrentClassifier(4, **whole), y),
        (RecurrentClassifier(4, per_step=True, **whole), [np.arange(len(x)) % 2 for x in words]),
        (RecurrentRegressor(4, **whole), y + 0.5 * np.arange(30)),
        (RecurrentRegressor(4, per_step=True, **whole), [x[:, 0] for x in X]),
    ]:
        a, b = clone(model), clone(model)
        given = (
            X if isinstance(model, RecurrentRegressor) else words
        )  # numbers are scaled by moments, which have weights too
        a.fit(given, targets, sample_weight=1 + np.arange(30) % 2)
        twice = [k for k in range(30) for _ in range(1 + k % 2)]
        b.fit([given[k] for k in twice], [targets[k] for k in twice])
        if isinstance(model, RecurrentRegressor):
            np.testing.assert_allclose([a.target_mean_, a.target_scale_], [b.target_mean_, b.target_scale_], rtol=1e-12)
        for name in a.weights_:
            np.testing.assert_allclose(a.weights_[name], b.weights_[name], atol=1e-6, err_msg=name)
        np.testing.assert_allclose(a.history_.objective, b.history_.objective, atol=1e-6)


@pytest.mark.parametrize(
    "model", [RecurrentClassifier(4, cell="gru", **QUICK), RecurrentRegressor(4, bidirectional=True, **QUICK)]
)
def test_files_and_seeds_repeat_the_answers(model, tmp_path):
    X, y = series(), np.arange(40) % 4
    fitted = clone(model).fit(X, y)
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), again.predict(X))
    novum.save(fitted, tmp_path / "model.novum")
    loaded = novum.load(tmp_path / "model.novum")
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    assert "module_" not in vars(fitted) and type(model).__name__ in repr(loaded)


def test_a_training_goes_on_from_its_file(tmp_path):
    X, y = ["abca", "b", "cc", "bca"] * 20, [0, 1, 0, 1] * 20
    options = {"n_units": 6, "dropout": 0.2, "batch_size": 16, "random_state": 3, "checkpoint": tmp_path / "state.npz"}
    whole = RecurrentClassifier(max_epochs=6, **options).fit(X, y)
    RecurrentClassifier(max_epochs=3, **options).fit(X, y)
    resumed = RecurrentClassifier(max_epochs=6, **options).resume(X, y)
    np.testing.assert_array_equal(resumed.history_.objective, whole.history_.objective)
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))


def test_a_body_is_transferred_with_the_numbers_of_its_symbols():
    X = ["abca", "b", "cc", "bca"] * 10
    old = RecurrentClassifier(6, **QUICK).fit(X, [0, 1, 0, 1] * 10)
    new = old.transfer(["ccb", "b", "bbc"] * 10, ["x", "y", "z"] * 10)  # without "a": the numbers would shift
    assert new.symbols_ == ["a", "b", "c"] and new.classes_.tolist() == ["x", "y", "z"]
    for name, value in old.weights_.items():
        assert name.startswith("head.") or np.array_equal(new.weights_[name], value)
    with pytest.raises(UnknownCategory, match="'q'"):
        old.transfer(["qb", "b"], [0, 1])
    assert "_old_symbols" not in vars(new)


def test_validation_and_kinds_of_input():
    X = np.random.default_rng(0).normal(size=(40, 5, 2))
    y = np.array(["a", "b"] * 20)
    model = RecurrentClassifier(4, validation_fraction=0.25, **QUICK).fit(X, y)
    assert len(model.history_.columns["validation loss"]) == 2
    plain = RecurrentClassifier(4, **QUICK).fit(X, y)
    for other in (list(X), X.tolist(), torch.from_numpy(X), X.astype(np.float32)):
        np.testing.assert_allclose(clone(plain).fit(other, y).predict_proba(X), plain.predict_proba(X), atol=1e-5)
    pd = pytest.importorskip("pandas")
    frames = [pd.DataFrame(x, columns=["a", "b"]) for x in X]
    np.testing.assert_allclose(clone(plain).fit(frames, y).predict_proba(frames), plain.predict_proba(X), atol=1e-5)
    flat = RecurrentRegressor(4, tokens=False, **QUICK).fit([[1, 2, 3], [4, 5]], [0.0, 1.5])
    assert flat.symbols_ is None and flat.n_features_in_ == 1
    lengths = RecurrentRegressor(4, **QUICK).fit(["ab", "b", "abba"], [2.0, 1.0, 4.5])
    assert lengths.symbols_ == ["a", "b"] and lengths.predict(["ba"]).shape == (1,)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([], [], {}, "RecurrentClassifier: X has no sequence"),
        (["ab", "c"], [0], {}, "RecurrentClassifier: X has 2 sequences and y has 1 targets"),
        (["ab", "c"], None, {}, "requires y to be passed"),
        (["ab", "c"], [1, 1], {}, "RecurrentClassifier: y has one class, .*1.*at least two"),
        (["ab", "c"], [[0, 1], [1]], {}, "unequal lengths.*per_step=True"),
        (["ab", "c"], [[0, 1], [1, 0]], {"per_step": True}, "sequence 1 of X has 1 steps, and y has 2 targets"),
        (["ab", "c"], [0, 1], {"per_step": True}, "y holds a sequence of targets for each of X"),
        (["ab", ""], [0, 1], {}, "sequence 1 of X is empty"),
        ([[[np.nan]], [[1.0]]], [0, 1], {}, "contains NaN"),
        (["ab", "c"], [0.5, 1.5], {}, "continuous"),
        ([["a"], [0.5]], [0, 1], {}, "sequence 1 of X"),
        ([[[1e200]], [[1.0]]], [0, 1], {}, "sequence 0 holds 1e.200, too large for float32; scale X"),
    ],
)
def test_refusals_change_nothing(X, y, options, message):
    model = RecurrentClassifier(4, **QUICK, **options)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert vars(model) == before


def test_refusals_of_a_fitted_model():
    with pytest.raises(NotFittedError):
        RecurrentClassifier().predict(["a"])
    with pytest.raises(ParameterError, match=r"'cell' parameter of RecurrentClassifier must be.*Did you mean 'lstm'"):
        RecurrentClassifier(cell="lstn").fit(["a", "b"], [0, 1])
    model = RecurrentClassifier(4, **QUICK).fit(["ab", "b"], [0, 1])
    with pytest.raises(UnknownCategory, match="'q'"):
        model.predict(["aq"])
    model.set_params(unknown="warn")
    with pytest.warns(DataWarning, match="'q'"):
        assert model.predict(["aq"]).shape == (1,)
    with pytest.raises(DataError, match=r"y holds 1e\+200, whose square is no number; scale y"):
        RecurrentRegressor(4, **QUICK).fit(series(2), [1e200, 0.0])
    numbers = RecurrentRegressor(4, **QUICK).fit(series(10), np.arange(10.0))
    with pytest.raises(DataError, match="X has 3 features, but RecurrentRegressor is expecting 2 features"):
        numbers.predict([np.ones((2, 3))])
