"""One order of rows in every home: dealt by their numbers, visited where they are, learned from to the same bits."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import novum
from novum.base.validation import open_source
from novum.fold import dealing
from novum.fold.dealing import Deal, bucket_numbers, deal_of, order_in_bucket, order_of_buckets, rows_by_bucket
from novum.fold.homes import dealt_files
from novum.linear_model import LinearRegression, Perceptron, SGDClassifier, SGDRegressor
from novum.manifold import SelfOrganizingMap
from novum.neural_network import MLPClassifier, MLPRegressor
from novum.neural_network.mlp.compiled_network import Settings, fresh_memory
from novum.neural_network.mlp.visited_rows import Course, Visit, drawn_order, shuffled

pytest.importorskip("distributed")
import dask.array as da
from distributed import Client, LocalCluster

RNG = np.random.default_rng(0)
N = 1200
X = RNG.normal(size=(N, 4))
CLASSES = np.sort(RNG.integers(0, 3, N))  # sorted: every block has one class
X[:, 0] += 2 * CLASSES
NUMBERS = np.sort(X @ [1.0, -2.0, 0.5, 0.0])
CHUNKS = (500, 0, 13, 687)


@pytest.fixture(params=[2**23, 900], ids=["one bucket", "several"])
def values(request, monkeypatch):
    """Buckets of the usual size, which hold all rows, and small ones."""
    monkeypatch.setattr(dealing, "BUCKET_VALUES", request.param)
    monkeypatch.setattr(dealt_files, "BUFFER_VALUES", 1500)
    return request.param


@pytest.fixture(scope="module")
def workers():
    """Three workers that are threads of this process."""
    home = LocalCluster(n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50)
    with home, Client(home) as client:
        yield client


def mixed(z):
    """Return SplitMix64 of a number, from its paper."""
    z = (z + 0x9E3779B97F4A7C15) % 2**64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


def test_buckets_by_their_formula():
    for buckets in (1, 2, 7, 70_000):
        deal = Deal(11, buckets)
        keys = [mixed((mixed(11) + i * 0x9E3779B97F4A7C15) % 2**64) for i in range(50)]
        expected = [(key >> 32) * buckets >> 32 for key in keys]
        assert bucket_numbers(deal, 0, 50).tolist() == expected
        assert bucket_numbers(deal, 20, 5).tolist() == expected[20:25]
        found = rows_by_bucket(deal, 50)
        assert len(found) == buckets
        assert all(expected[row] == number for number, rows in enumerate(found) for row in rows)
        assert all((np.diff(rows) > 0).all() for rows in found) and sum(map(len, found)) == 50


def test_buckets_are_even_and_orders_are_permutations():
    rows = rows_by_bucket(Deal(5, 40), 40_000)
    sizes = np.array([len(one) for one in rows])
    assert abs(sizes - 1000).max() < 5 * np.sqrt(1000)  # binomial
    assert sorted(order_of_buckets(Deal(5, 40), 3)) == list(range(40))
    assert order_of_buckets(Deal(5, 40), 3) != order_of_buckets(Deal(5, 40), 4)
    drawn = order_in_bucket(Deal(5, 40), 2, 0, 30)
    assert_array_equal(np.sort(drawn), np.arange(30))
    assert (drawn != order_in_bucket(Deal(5, 40), 3, 0, 30)).any()


def listed(state, portion):
    block = portion.block
    return [*state, (portion.number, portion.last, block.X.tolist(), block.y.tolist(), block.weight.tolist())]


def in_files(folder, y, weight=None):
    """Return the rows as a scan of small batches."""
    np.save(folder / "rows.npy", X)
    np.save(folder / "target.npy", y)
    if weight is not None:
        np.save(folder / "weight.npy", weight)
    weight = None if weight is None else folder / "weight.npy"
    return novum.scan(folder / "rows.npy", target=folder / "target.npy", weight=weight, batch_rows=70)


def test_portions_are_the_same_rows_everywhere(values, workers, tmp_path):
    weight = RNG.random(N)
    homes = {
        "memory": (X, NUMBERS, weight),
        "files": (in_files(tmp_path, NUMBERS, weight), None, None),
        "dask": tuple(da.from_array(a, chunks=(CHUNKS, *a.shape[1:])) for a in (X, NUMBERS, weight)),
    }
    found = {}
    for name, (rows, y, w) in homes.items():
        source = open_source(LinearRegression(), rows, y, w, target="numeric")
        deal = deal_of(source, 9)
        assert deal.buckets == -(-N * 4 // values)
        with source.dealt(deal) as portions:
            found[name] = portions.walk(listed, [], order_of_buckets(deal, 0))
    assert found["memory"] == found["files"] == found["dask"]
    assert [last for _, last, *_ in found["dask"]] == [False] * (deal.buckets - 1) + [True]
    assert sorted(row for portion in found["dask"] for row in portion[2]) == sorted(X.tolist())


STEPPING = {
    "hinge": (SGDClassifier(random_state=0), CLASSES),
    "batches and averages": (SGDClassifier(random_state=0, batch_size=7, average=True), CLASSES),
    "absolute values": (SGDClassifier(random_state=0, penalty="l1", alpha=0.01), CLASSES),
    "numbers": (SGDRegressor(random_state=0, learning_rate="adaptive", batch_size=32), NUMBERS),
    "perceptron": (Perceptron(random_state=0), CLASSES),
    "network": (MLPClassifier((5,), random_state=0, max_iter=5, batch_size=33), CLASSES),
    "dropout": (MLPClassifier((5,), random_state=0, max_iter=4, dropout=0.2), CLASSES),
    "normalized": (
        MLPRegressor(hidden_layer_sizes=(5,), random_state=0, max_iter=4, batch_norm=True, n_init=2),
        NUMBERS,
    ),
    "map": (SelfOrganizingMap(3, 2, algorithm="online", max_iter=4, random_state=0), None),
}


def learned(model):
    """Return the numbers that were learned, and those of the passes."""
    if hasattr(model, "units_"):
        return [model.units_]
    weights = [model.coef_, model.intercept_] if hasattr(model, "coef_") else [*model.coefs_, *model.intercepts_]
    return [*weights, np.array(model.n_iter_)]


@pytest.mark.parametrize("name", STEPPING)
def test_steps_have_the_same_bits_everywhere(name, values, workers, tmp_path):
    model, y = STEPPING[name]
    weight = None if y is None else RNG.integers(0, 3, N).astype(float)
    chunks = lambda a: None if a is None else da.from_array(a, chunks=(CHUNKS, *a.shape[1:]))  # noqa: E731
    homes = [(X, y, weight), (in_files(tmp_path, NUMBERS if y is None else y, weight), None, None)]
    homes.append((chunks(X), chunks(y), chunks(weight)))
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows, target, weights in homes:
            given = {} if weights is None else {"sample_weight": weights}
            found.append(learned(model.fit(rows, target, **given)))
    for there in found[1:]:
        for here, one in zip(found[0], there, strict=True):
            if name == "map":  # its start is a sum over blocks
                np.testing.assert_allclose(one, here, rtol=1e-10)
            else:
                assert_array_equal(one, here)


@pytest.mark.parametrize("model", [SGDClassifier(random_state=0), Perceptron(random_state=0)])
def test_rows_sorted_by_class_are_learned(model, values, workers, tmp_path):
    """Steps that were shuffled within a partition alone ended with the last class for all."""
    y = (CLASSES > 0).astype(int)
    rows = X + 2 * np.outer(y, [0, 1, 1, 0])
    lazy = da.from_array(rows, chunks=(CHUNKS, 4)), da.from_array(y, chunks=(CHUNKS,))
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "target.npy", y)
    scan = novum.scan(tmp_path / "rows.npy", target=tmp_path / "target.npy", batch_rows=70)
    for there, target in ((scan, None), lazy):
        assert model.fit(there, target).score(rows, y) > 0.9


def test_without_shuffling_rows_are_visited_as_they_lie(workers, tmp_path):
    for model, y in (
        (SGDClassifier(shuffle=False, batch_size=13), CLASSES),
        (MLPClassifier((4,), shuffle=False), CLASSES),
    ):
        model.set_params(max_iter=3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            here = learned(model.fit(X, y))
            lazy = da.from_array(X, chunks=(CHUNKS, 4)), da.from_array(y, chunks=(CHUNKS,))
            for rows, target in ((in_files(tmp_path, y), None), lazy):
                for one, other in zip(here, learned(model.fit(rows, target))):
                    np.testing.assert_allclose(other, one, rtol=1e-11)


def test_an_order_that_a_lost_worker_knew_is_drawn_again():
    settings = Settings((1, 1), "identity", "identity")
    random = np.random.RandomState(4)
    visit = Visit(settings, None, 10, Deal(0, 1), "run", random.get_state())
    block, expected = novum.fold.Block(X[:30], memory={}), np.arange(30)
    for done in range(4):
        course = Course(fresh_memory(settings, np.zeros(2)), random.get_state())
        order, state = drawn_order(visit._replace(done=done), course, dealing.Portion(block, 0, True), 30)
        expected = expected[shuffled(random, 30)]
        assert_array_equal(order, expected)
        if done == 1:
            block = block._replace(memory={})
        again, state_again = drawn_order(visit._replace(done=done), course, dealing.Portion(block, 0, True), 30)
        assert_array_equal(again, expected)  # a task that is run twice
        assert_array_equal(state[1], random.get_state()[1])
        assert_array_equal(state[1], state_again[1])


def test_bytes_through_the_client_do_not_grow_with_rows(workers, monkeypatch):
    """Count what the client gets back and what it sends, while a network and a linear machine learn."""
    from distributed.utils import nbytes

    traffic = []

    def fetched(function):
        async def gather(self, *args, **kwargs):
            found = await function(self, *args, **kwargs)
            traffic.append(sum(len(part) for part in map(novum_dumps, found if isinstance(found, list) else [found])))
            return found

        return gather

    import cloudpickle

    novum_dumps = cloudpickle.dumps
    monkeypatch.setattr(Client, "_gather", fetched(Client._gather))
    sent = Client._send_to_scheduler

    def send(self, message):
        traffic.append(sum(nbytes(part) for part in [cloudpickle.dumps(message)]))
        return sent(self, message)

    monkeypatch.setattr(Client, "_send_to_scheduler", send)
    sizes = []
    for n in (6000, 60_000):  # both more than the rows that a network is judged on
        rows = da.random.default_rng(0).normal(size=(n, 4), chunks=(n // 6, 4))
        traffic.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            SGDClassifier(max_iter=3, random_state=0).fit(rows, (rows[:, 0] > 0).astype(int))
            MLPClassifier((3,), max_iter=3, random_state=0).fit(rows, (rows[:, 0] > 0).astype(int))
        sizes.append(sum(traffic))
    assert sizes[1] < 1.1 * sizes[0] < 60_000 * 4 * 8
