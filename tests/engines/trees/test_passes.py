"""Trees grown by passes over blocks: the same as the exact grower's where every value has a bin, in every cut and home."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import novum
from novum import _core
from novum.engines.moments.exact_sums import exact_limbs, exact_ratio, exact_value
from novum.engines.trees.best_first import Growth
from novum.engines.trees.bins import Bins
from novum.engines.trees.histograms import NODE, Growing, as_bytes
from novum.engines.trees.passes import growth as _fold_growth
from novum.engines.trees.passes import single_tree
from novum.engines.trees.passes.boosted import HistRule
from novum.exceptions import DataError, ParameterError
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
N = 5000
X = RNG.integers(0, 50, (N, 4)).astype(float)
X[RNG.random(X.shape) < 0.03] = np.nan
FILLED = np.nan_to_num(X)
LABELS = np.array(["a", "b", "c"])[(FILLED[:, 0] > 25).astype(int) + (FILLED[:, 1] + 8 * RNG.normal(size=N) > 25)]
Y = (2 * FILLED[:, 0] + FILLED[:, 1] + 5 * RNG.normal(size=N)).round(2)
W = RNG.integers(0, 3, N).astype(float)
CASES = [
    (DecisionTreeClassifier, {}),
    (DecisionTreeClassifier, {"criterion": "entropy", "max_leaf_nodes": 30}),
    (DecisionTreeClassifier, {"max_depth": 5, "min_samples_leaf": 7, "class_weight": "balanced"}),
    (DecisionTreeClassifier, {"class_weight": {"a": 2}, "min_impurity_decrease": 0.002, "ccp_alpha": 0.003}),
    (DecisionTreeRegressor, {"max_depth": 6, "min_weight_fraction_leaf": 0.01}),
    (DecisionTreeRegressor, {"max_leaf_nodes": 40}),
    (DecisionTreeRegressor, {"min_samples_leaf": 3}),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"x{j}": X[:, j] for j in range(4)}
    pq.write_table(pa.table({**columns, "c": LABELS, "r": Y, "w": W}), folder / "rows.parquet")

    def scan(kind, weight=False, rows=700):
        target = "c" if kind is DecisionTreeClassifier else "r"
        names = [f"x{j}" for j in range(4)]
        path = folder / "rows.parquet"
        return novum.scan(path, columns=names, target=target, weight="w" if weight else None, batch_rows=rows)

    return scan


def target_of(kind):
    return LABELS if kind is DecisionTreeClassifier else Y


def same_bits(one, other):
    for name, values in vars(one).items():
        assert_array_equal(values, getattr(other, name), err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind, settings", CASES)
def test_equals_the_exact_tree_where_every_value_has_a_bin(kind, settings, weighted, files, monkeypatch):
    exact = kind(**settings).fit(X, target_of(kind), sample_weight=W if weighted else None).tree_
    for rows in (400, 8192):  # exact splits below so many rows
        monkeypatch.setattr(single_tree, "EXACT_ROWS", rows)
        tree = kind(**settings).fit(files(kind, weighted)).tree_
        for name in ("children_left", "children_right", "feature", "n_node_samples", "missing_go_to_left"):
            assert_array_equal(getattr(tree, name), getattr(exact, name), err_msg=name)
        for name in ("threshold", "impurity", "value", "weighted_n_node_samples"):
            assert_allclose(getattr(tree, name), getattr(exact, name), rtol=1e-8, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("kind, settings", [CASES[0], CASES[4], CASES[5]])
def test_cuts_threads_and_room_change_no_bit(kind, settings, files, monkeypatch):
    monkeypatch.setattr(single_tree, "EXACT_ROWS", 500)
    monkeypatch.setattr(single_tree, "GATHERED_VALUES", 6000)  # several passes for the rows of small nodes
    first = kind(**settings).fit(files(kind, True)).tree_
    with threadpool_limits(1):
        same_bits(first, kind(**settings).fit(files(kind, True, 1234)).tree_)
    monkeypatch.setattr(_fold_growth, "HISTOGRAM_BYTES", 2)  # a histogram at a time, and few are kept
    same_bits(first, kind(**settings).fit(files(kind, True, 5000)).tree_)


def test_scores_of_continuous_columns_are_those_of_the_exact_tree(tmp_path, monkeypatch):
    monkeypatch.setattr(single_tree, "EXACT_ROWS", 200)
    x = RNG.normal(size=(12_000, 5))
    y = (x[:, 0] * x[:, 1] + x[:, 2] + 0.5 * RNG.normal(size=12_000) > 0).astype(int)
    np.save(tmp_path / "x.npy", x[:8000])
    np.save(tmp_path / "y.npy", y[:8000])
    np.save(tmp_path / "r.npy", x[:8000, 0] ** 2 + 0.1 * y[:8000])
    settings = {"min_samples_leaf": 20}
    model = DecisionTreeClassifier(**settings).fit(novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy"))
    exact = DecisionTreeClassifier(**settings).fit(x[:8000], y[:8000])
    right, expected = model.predict(x[8000:]) == y[8000:], exact.predict(x[8000:]) == y[8000:]
    assert abs(right.mean() - expected.mean()) < 2 * np.std(right.astype(float) - expected) / np.sqrt(4000)
    number = DecisionTreeRegressor(**settings).fit(novum.scan(tmp_path / "x.npy", target=tmp_path / "r.npy"))
    truth = x[8000:, 0] ** 2 + 0.1 * y[8000:]
    assert number.score(x[8000:], truth) > 0.98


def test_drawn_columns_and_plain_targets(files, tmp_path, monkeypatch):
    monkeypatch.setattr(single_tree, "EXACT_ROWS", 400)
    drawn = [
        DecisionTreeClassifier(max_features=2, random_state=s, max_depth=4).fit(files(DecisionTreeClassifier)).tree_
        for s in (0, 0, 1)
    ]
    same_bits(drawn[0], drawn[1])
    assert (drawn[0].feature[:5] != drawn[2].feature[:5]).any()
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "one.npy", np.full(N, 7.5))
    plain = novum.scan(tmp_path / "x.npy", target=tmp_path / "one.npy")
    tree = DecisionTreeRegressor().fit(plain).tree_
    assert tree.node_count == 1 and tree.value[0, 0, 0] == 7.5 and tree.impurity[0] == 0


def test_refusals(files):
    for settings, words in (
        ({"criterion": "poisson"}, "criterion='poisson'"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
        ({"splitter": "random"}, "splitter='random'"),
        ({"categorical_features": [0]}, "categorical_features"),
    ):
        with pytest.raises(ParameterError, match=f"{words}.* needs rows in memory"):
            DecisionTreeRegressor(**settings).fit(files(DecisionTreeRegressor))
    with pytest.raises(DataError, match="requires y to be passed"):
        DecisionTreeRegressor().fit(files(DecisionTreeRegressor)._with(target=None, has_target=False))


def test_the_kernels_are_the_definition():
    codes, missing, width = RNG.integers(0, 12, (300, 5)), 11, 12
    padded = np.zeros((300, 8), np.uint8)
    padded[:, :5] = codes
    words = np.ascontiguousarray(padded.reshape(300, 2, 4).transpose(1, 0, 2)).view(np.uint32)[:, :, 0]
    nodes = np.zeros(5, NODE)
    nodes["is_leaf"] = [0, 1, 0, 1, 1]
    for at, column, cut, left, gap in ((0, 1, 4, 1, 1), (2, 4, 7, 3, 0)):
        nodes[at]["feature_idx"], nodes[at]["bin_threshold"], nodes[at]["missing_go_to_left"] = column, cut, gap
        nodes[at]["left"], nodes[at]["right"] = left, left + 1
    leaf = np.zeros(300, np.int32)
    _core.trees.passes.advance(as_bytes(nodes), np.empty((0, 8), np.uint32), words, missing, leaf)
    goes = (codes[:, 1] <= 4) | (codes[:, 1] == missing)
    below = (codes[:, 4] <= 7) & (codes[:, 4] != missing)
    assert_array_equal(leaf, np.where(goes, 1, np.where(below, 3, 4)))
    slot = np.array([-1, 1, -1, 0, -1], np.int32)
    pairs, kind = RNG.integers(1, 1000, (300, 2)).astype(np.int32), RNG.integers(0, 3, 300).astype(np.int32)
    cells, counts = np.zeros((2, 5, width, 2), np.int64), np.zeros((2, 5, width), np.uint32)
    _core.trees.passes.add_pairs(words, leaf, slot, pairs, cells, counts)
    classes, same = np.zeros((2, 5, width, 3), np.int64), np.zeros((2, 5, width), np.uint32)
    _core.trees.passes.add_classes(words, leaf, slot, kind, pairs[:, 0].copy(), classes, same)
    for place, number in ((0, 3), (1, 1)):
        rows = leaf == number
        for j in range(5):
            for b in range(width):
                here = rows & (codes[:, j] == b)
                assert_array_equal(cells[place, j, b], pairs[here].sum(axis=0))
                assert_array_equal(
                    classes[place, j, b], np.bincount(kind[here], pairs[here, 0], minlength=3).astype(int)
                )
                assert counts[place, j, b] == same[place, j, b] == here.sum()
    with pytest.raises(ValueError, match="rows are at nodes"):
        _core.trees.passes.advance(as_bytes(nodes), np.empty((0, 8), np.uint32), words, missing, leaf + 9)
    with pytest.raises(ValueError, match="codes below the width"):
        _core.trees.passes.add_pairs(words, leaf, slot, pairs, cells[:, :, :8].copy(), counts[:, :, :8].copy())
    with pytest.raises(ValueError, match="class codes"):
        _core.trees.passes.add_classes(words, leaf, slot, kind + 1, None, classes, same)
    with pytest.raises(ValueError, match="slots of the histograms"):
        _core.trees.passes.add_pairs(words, leaf, slot + 1, pairs, cells, counts)


def test_dividing_ahead_changes_no_split():
    codes = RNG.integers(0, 30, (3000, 3))
    g = (1000 * np.sin(codes[:, 0] / 5) * (codes[:, 1] - 15) + 3000 * RNG.normal(size=3000)).astype(np.int32)
    pairs = np.column_stack([g, np.full(3000, 100, np.int32)])
    bins = Bins(np.tile(np.arange(29) + 0.5, 3), np.arange(4) * 29, np.zeros(3, np.int32), 30)
    words = np.zeros((3000, 4), np.uint8)
    words[:, :3] = codes
    words = words.view(np.uint32).T.copy()
    growing = Growing(1.0, 25, None, 5, 0.0, 1.0, np.zeros(3, np.int8), [], 0)
    trees, passes = [], []
    for room in (1, 100):
        growth = Growth(HistRule(growing, bins, (1.0, 1.0), 0), 25, room)

        def ask(requests):
            channels = _fold_growth.Channels(pairs=pairs)
            return _fold_growth.histograms_of(requests, lambda _: channels, words, bins, {}, 2)

        passes.append(_fold_growth.grow_trees([growth], ask))
        trees.append(
            [(n.split.feature, n.split.bin) for n in growth.settled if n.left is not None and n.left.final > 0]
        )
        assert len(trees[-1]) == 24
    assert trees[0] == trees[1]
    assert passes[1] <= 12 < passes[0]


def test_exact_sums_do_not_depend_on_the_order():
    from fractions import Fraction

    values = np.concatenate([RNG.normal(size=300) * 10.0 ** RNG.integers(-300, 290, 300), [1e308, -1e308, 5e-324, 0.0]])
    weight = RNG.random(len(values))
    for w in (None, weight):
        products = values if w is None else values * w
        expected = sum(map(Fraction, products.tolist()))
        for cut in (0, 10, 200):
            limbs = sum(
                exact_limbs(values[part], None if w is None else w[part].copy())
                for part in (slice(0, cut), slice(cut, None))
            )
            assert exact_value(limbs) == float(expected)
    assert exact_ratio(exact_limbs(np.array([1.0, 2.0])), exact_limbs(np.ones(3))) == 1.0
    assert exact_value(exact_limbs(np.array([1e308] * 4))) == np.inf


def test_counts_beyond_four_thousand_million_rows_do_not_wrap(files, monkeypatch):
    """Every row stands for four million: blocks count in 32 bits, what is merged has more."""
    times, plain, seen = 4_000_000, single_tree.block_histograms, []
    expected = DecisionTreeClassifier(max_depth=4, min_samples_leaf=50).fit(files(DecisionTreeClassifier)).tree_

    def crowded(step, block):
        found = plain(step, block)
        return found._replace(counts=(found.counts * np.uint64(times)).astype(np.uint32), rows=found.rows * times)

    merge = single_tree.merge_histograms

    def watched(a, b):
        seen.append(merge(a, b).counts)
        return merge(a, b)

    monkeypatch.setattr(single_tree, "block_histograms", crowded)
    monkeypatch.setattr(single_tree, "merge_histograms", watched)
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=50 * times)
    found = model.fit(files(DecisionTreeClassifier)).tree_
    assert max(int(counts[0, 0].sum(dtype=object)) for counts in seen) == N * times > 2**32
    assert_array_equal(found.feature, expected.feature)
    assert_array_equal(found.threshold, expected.threshold)


def test_boosting_refuses_more_rows_than_its_leaves_count():
    growing = Growing(0.1, 31, None, 20, 0.0, 1.0, np.zeros(1, np.int8), [], 0)
    counts = np.full((1, 4), 2**31, np.int64)
    with pytest.raises(DataError, match="32 bits, up to 4,294,967,295, and was given 8,589,934,592"):
        HistRule(growing, None, (1.0, 1.0), 0).root(np.ones((1, 4, 2), np.int64), counts)
