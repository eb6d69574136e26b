"""What a training ended with is reported: runaways, weights that are no numbers, rates, files of other optimizers, odd modules."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from novum.exceptions import DataError, NotConverged, ParameterError  # noqa: E402
from novum.neural_network import (  # noqa: E402
    Autoencoder,
    ConvNetClassifier,
    DeepBoltzmannMachine,
    GraphNetwork,
    MLPClassifier,
    MLPRegressor,
    MultiTaskNetwork,
    RecurrentClassifier,
    RecurrentRegressor,
    RestrictedBoltzmannMachine,
    Seq2Seq,
    TorchClassifier,
    TorchRegressor,
)
from novum.neural_network.training.judging import least_constant_loss  # noqa: E402
from novum.neural_network.training.steps import rate_at  # noqa: E402

pytestmark = pytest.mark.deep
few_epochs = pytest.mark.filterwarnings("ignore:.*the network is worse than none")
CPU = {"device": "cpu", "random_state": 0}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = X @ [1.0, 2, -1, 0.5]
SERIES = [x[:, None] for x in X]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def small(n_features, n_outputs):
    return nn.Sequential(nn.Linear(n_features, 8), nn.Tanh(), nn.Linear(8, n_outputs))


def loss_beside_constant(model, rows, y):
    """The loss on the training rows and that of the best constant, from the public answers alone."""
    if hasattr(model, "predict_proba"):
        likelihood = model.predict_proba(rows)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        share = np.unique(y, return_counts=True)[1] / len(y)
        return -np.log(np.maximum(likelihood, 1e-300)).mean(), -(share * np.log(share)).sum()
    return np.mean((model.predict(rows) - y) ** 2) / np.var(y), 1.0


RATES = (1e-7, 1e-3, 0.02, 1.0, 30.0, 1e4)


@pytest.mark.parametrize(
    ("make", "rows", "y"),
    [
        (lambda rate: TorchRegressor(small, learning_rate=rate, max_epochs=8, **CPU), X, Y),
        (lambda rate: TorchRegressor(small, learning_rate=rate, max_epochs=8, optimizer="sgd", **CPU), X, Y),
        (lambda rate: TorchClassifier(small, learning_rate=rate, max_epochs=8, **CPU), X, Y > 1),
        (lambda rate: RecurrentRegressor(6, cell="lstm", learning_rate=rate, max_epochs=4, **CPU), SERIES, Y),
        (lambda rate: RecurrentClassifier(6, cell="gru", learning_rate=rate, max_epochs=4, **CPU), SERIES, Y > 1),
        (lambda rate: MLPRegressor(learning_rate_init=rate, max_iter=25, tol=0, random_state=0), X, Y),
        (lambda rate: MLPRegressor(learning_rate_init=rate, max_iter=25, solver="sgd", random_state=0), X, Y),
        (lambda rate: MLPClassifier(learning_rate_init=rate, max_iter=25, random_state=0), X, Y > 1),
    ],
)
def test_a_warning_where_the_end_is_worse_than_a_constant_and_only_there(make, rows, y):
    for rate in RATES:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = make(rate).fit(rows, y)
            except DataError as error:
                assert (rate >= 1 and "range of floating point" in str(error)) or "non-finite" in str(error)
                continue
        loss, constant = loss_beside_constant(model, rows, y)
        said = any("worse than none" in str(one.message) and one.category is NotConverged for one in caught)
        if not constant < loss < 1.02 * constant + 0.02:
            assert said == (loss > constant), (rate, loss, constant)


@pytest.mark.parametrize("rate", [1e20, 1e30])
def test_weights_that_left_floating_point_are_an_error(rate):
    """One step of one epoch: the loss was fine before it, and nothing checks again after it."""
    for optimizer in ("sgd", "adam", "rmsprop"):
        net = TorchRegressor(small, learning_rate=rate, max_epochs=1, batch_size=999, optimizer=optimizer, **CPU)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((DataError, NotConverged), match=r"no longer finite|worse than none"):
                net.fit(1e8 * X, Y)


@pytest.mark.parametrize("rate", [50.0, 1e5])
def test_other_loops_say_it_too(rate):
    bits = (X > 0).astype(float)
    for model, rows in [
        (Autoencoder(2, learning_rate=rate, max_epochs=3, **CPU), X),
        (RestrictedBoltzmannMachine(3, learning_rate=rate, max_epochs=5, random_state=0), bits),
        (DeepBoltzmannMachine((3, 2), learning_rate=20 * rate, max_epochs=20, random_state=0), bits),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((DataError, NotConverged)):
                model.fit(rows)


def test_the_best_constant_by_search():
    """Against the least loss over constants, searched for."""
    from scipy.optimize import minimize

    weight = RNG.uniform(0.1, 3, 50)
    codes = RNG.integers(0, 4, 50)
    value = RNG.normal(size=(50, 2))

    def entropy(z):
        return float(np.average(np.logaddexp.reduce(z) - z[codes], weights=weight))

    assert least_constant_loss(codes, weight) == pytest.approx(minimize(entropy, np.zeros(4)).fun, abs=1e-9)
    square = minimize(lambda c: float(np.average(((value - c) ** 2).mean(axis=1), weights=weight)), np.zeros(2)).fun
    assert least_constant_loss(value, weight) == pytest.approx(square, abs=1e-9)


@few_epochs
@pytest.mark.parametrize("schedule", ["linear", "cosine", "step", "constant"])
def test_the_recorded_rate_is_that_of_the_last_step(schedule):
    net = TorchRegressor(small, schedule=schedule, max_epochs=4, batch_size=30, warmup_steps=3, patience=None, **CPU)
    rates = net.fit(X, Y).history_.columns["rate"]
    assert rates == pytest.approx([rate_at(schedule, 1e-3, 4 * epoch + 3, 16, 3) for epoch in range(4)])
    assert min(rates) > 0


@few_epochs
@pytest.mark.parametrize("before", ["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"])
def test_a_training_goes_on_with_its_own_optimizer_only(before, tmp_path):
    path = tmp_path / "state.npz"
    TorchRegressor(small, optimizer=before, max_epochs=1, checkpoint=path, **CPU).fit(X, Y)
    for after in ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"):
        net = TorchRegressor(small, optimizer=after, max_epochs=2, checkpoint=path, **CPU)
        if after == before:
            whole = TorchRegressor(small, optimizer=after, max_epochs=2, **CPU).fit(X, Y)
            held = path.read_bytes()
            assert net.resume(X, Y).history_.objective == whole.history_.objective
            path.write_bytes(held)
        else:
            with pytest.raises(ParameterError, match=rf"optimizer='{after}'.*optimizer='{before}'"):
                net.resume(X, Y)
    with pytest.raises(ParameterError, match="averaging"):
        TorchRegressor(small, optimizer=before, averaging=0.9, max_epochs=2, checkpoint=path, **CPU).resume(X, Y)


@few_epochs
def test_batch_normalization_and_a_last_batch_of_one():
    def normed(n, k):
        return nn.Sequential(nn.Linear(n, 4), nn.BatchNorm1d(4), nn.Linear(4, k))

    for n, size in ((33, 32), (65, 32), (3, 2)):
        TorchRegressor(normed, max_epochs=2, batch_size=size, **CPU).fit(X[:n], Y[:n])
    with pytest.raises(DataError, match=r"TorchRegressor\(batch_size=1\).*batch_size of 2 or more"):
        TorchRegressor(normed, max_epochs=2, batch_size=1, **CPU).fit(X, Y)


def test_modules_that_cannot_be_trained_are_named():
    class Pair(nn.Linear):
        def forward(self, x):
            return super().forward(x), x

    for module, words in (
        (nn.Identity(), "Identity has no weights"),
        (nn.Linear(9, 2), r"Linear cannot take rows of shape \(64, 4\)"),
        (nn.Linear(4, 7), r"outputs of shape \(64, 7\)"),
        (Pair(4, 2), "gave tuple, not a tensor"),
    ):
        with pytest.raises(DataError, match=f"TorchClassifier: .*{words}"):
            TorchClassifier(module, max_epochs=1, **CPU).fit(X, Y > 0)


@few_epochs
def test_directed_links_are_refused():
    nx = pytest.importorskip("networkx")
    one_way = np.triu(np.random.default_rng(1).random((8, 8)) < 0.4, 1).astype(float)
    net = GraphNetwork("link", max_epochs=2, **CPU)
    for graph in (one_way, nx.from_numpy_array(one_way, create_using=nx.DiGraph)):
        with pytest.raises(DataError, match="the graph is directed"):
            net.fit(graph)
    both = one_way + one_way.T
    net.fit(nx.from_numpy_array(both, create_using=nx.DiGraph))
    with pytest.raises(DataError, match="the graph is directed"):
        net.fit(both).link_probability(one_way, [(0, 1)])


@few_epochs
@pytest.mark.parametrize("shape", [(16, 12, 3), (9, 9, 1), (8, 10, 4)])
def test_channels_behind_are_refused(shape):
    images, labels = RNG.normal(size=(12, *shape)), np.arange(12) % 2
    net = ConvNetClassifier((2,), hidden=(), pool=1, max_epochs=1, **CPU)
    with pytest.raises(DataError, match=r"transpose\(0, 3, 1, 2\)"):
        net.fit(images, labels)
    first = images.transpose(0, 3, 1, 2)
    assert net.fit(first, labels).image_shape_ == first.shape[1:]
    if shape[2] > 1:
        with pytest.raises(DataError, match="not those of the fit"):
            net.predict(images)
    with pytest.raises(DataError, match="put the channels first"):
        ConvNetClassifier((2,), image_shape=shape, max_epochs=1, **CPU).fit(images.reshape(12, -1), labels)
    named = ConvNetClassifier((2,), hidden=(), pool=1, image_shape=shape, max_epochs=1, **CPU).fit(images, labels)
    assert named.image_shape_ == shape  # who says so means it


def test_several_tasks_do_not_depend_on_units():
    net = MultiTaskNetwork((16,), learning_rate=0.01, max_epochs=60, **CPU)
    y = {"number": Y, "class": Y > 0}
    plain = net.fit(X, y).score(X, y)
    moved = net.fit(X * [1e-6, 1.0, 1e4, 1e9] + [0, 50, 1e5, -1e9], y).score(
        X * [1e-6, 1.0, 1e4, 1e9] + [0, 50, 1e5, -1e9], y
    )
    assert plain > 0.9 and moved == pytest.approx(plain, abs=0.02)


@pytest.mark.filterwarnings("ignore:.*did not end within", "ignore:.*the network is worse than none")
@pytest.mark.parametrize("width", [1, 3, 8])
def test_candidates_are_shown_once_with_their_own_probability(width):
    words = [list("abcab"[k % 3 :]) for k in range(20)]
    net = Seq2Seq(6, n_embedding=4, max_length=2, beam_width=width, max_epochs=1, **CPU).fit(words, words)
    for one, source in zip(net.candidates(words[:5]), words[:5]):
        shown = ["".join(said) for said in one.sequence]
        assert len(set(shown)) == len(shown) and max(map(len, shown)) <= 2
        whole = net.score_samples([source] * len(shown), one.sequence)  # with END
        short = np.array([len(said) < 2 for said in shown])
        np.testing.assert_allclose(one.log_prob[short], whole[short], atol=1e-4)
        assert (one.log_prob >= whole - 1e-4).all()  # one that is cut may go on in any way


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("seed", range(2))
def test_the_modules_of_a_poisson_network_predict_counts(activation, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(150, 3))
    counts = rng.poisson(np.exp(rows[:, 0]))
    model = MLPRegressor(
        loss="poisson",
        hidden_layer_sizes=(5,),
        activation=activation,
        solver="lbfgs",
        alpha=0.0,
        max_iter=300,
        tol=1e-2,
        random_state=0,
    ).fit(rows, counts)
    network = model.modules()
    np.testing.assert_allclose(network.forward(rows, training=False)[:, 0], model.predict(rows), rtol=1e-12)
    report = model.gradient_report(rows[:40], counts[:40])
    network.forward(rows[:40])
    network.backward_loss(counts[:40, None].astype(float))
    last = network.modules[-1]

    def deviance(shift):  # half of it, by hand
        p = np.exp(last.x @ last.weights + last.shift + shift)[:, 0]
        return float(np.sum(p - counts[:40] * np.log(p)))

    assert last.gradients[1][0] == pytest.approx((deviance(1e-6) - deviance(-1e-6)) / 2e-6, rel=1e-5, abs=1e-6)
    error = np.abs(model.predict(rows[:40]) - counts[:40]).mean()
    assert report.error[-1] == pytest.approx(error, rel=1e-10)
