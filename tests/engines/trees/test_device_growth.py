"""Parts of trees on a device: the draws of the compiled generator, lists that are divided, cells from all ways of adding."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from novum import _core
from novum.engines.trees.bins import Bins
from novum.engines.trees.passes.single_tree import ChannelEncoding
from novum.ensemble.forest.samples import poisson_counts
from novum.runtime.random import Stream

torch = pytest.importorskip("torch")
from interpreted import interpreted  # noqa: E402  before Triton

from novum.engines.trees.device import draws, filled_cells  # noqa: E402
from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, divide, extremes_between, sums_between  # noqa: E402
from novum.ensemble.forest.device import halved_counts  # noqa: E402

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
N, D, MISSING = 300, 3, 14


@pytest.mark.parametrize("seed", [0, 7, 2**31 - 2, 2**63 + 12345, 2**64 - 1])
def test_numbers_are_those_of_the_compiled_generator(seed):
    for first in (0, 2**32 - 3, 2**40):
        row = torch.arange(first, first + 50)
        found = draws.uniform_of_rows(draws.signed(seed), "counts of rows", row)
        assert_array_equal(found.numpy(), Stream(seed).uniform("counts of rows", 0, range(first, first + 50)))
    place = torch.arange(40).view(8, 5)
    counter = (place * 7 % 2**32, place + 2**31, 3, 0x74726565)
    plain = draws.philox(counter, draws.signed(seed))
    try:
        with interpreted():
            assert all((one == other).all() for one, other in zip(plain, draws.philox(counter, draws.signed(seed))))
    except pytest.skip.Exception:
        assert len(plain) == 4  # no Triton here: the kernel is compared where it is installed
    keys = [0, 1, seed]
    for _ in range(4):
        keys += [_core.trees.passes.child_key(key, side) for key in keys[-3:] for side in (False, True)]
    tensor = torch.tensor([draws.signed(key) for key in keys])
    for side in (False, True):
        found = [draws.signed(_core.trees.passes.child_key(key, side)) for key in keys]
        assert draws.child_keys(tensor, int(side)).tolist() == found


def test_columns_are_drawn_without_repetition_and_evenly():
    kind = torch.arange(3).repeat(2000)
    key = torch.arange(6000) * 977
    order = draws.column_order(kind, key, torch.full_like(key, 5), 6, 4)
    assert (order.sort(dim=1).values.diff(dim=1) > 0).all()
    for k in range(3):
        counts = np.stack([np.bincount(order[kind == k, i], minlength=6) for i in range(4)])
        assert np.abs(counts - 2000 / 6).max() < 5 * np.sqrt(2000 / 6)
    whole = draws.column_order(kind, key, torch.full_like(key, 5), 6, 6)
    assert (whole[kind != draws.FROM_CODES] == torch.arange(6)).all()
    begun = whole[kind == draws.FROM_CODES]
    assert ((begun - begun[:, :1]) % 6 == torch.arange(6)).all() and len(begun[:, 0].unique()) == 6


def test_counts_are_poisson_quantiles():
    share = RNG.random(4000)
    mean = np.repeat([0.0, 0.01, 0.7, 3.0, 60.0], 800)
    assert_array_equal(
        halved_counts(torch.as_tensor(share), torch.as_tensor(mean)).numpy(), poisson_counts(share, mean)
    )


def drawn(classes, most=3):
    """Return rows of five nodes, some of them twice."""
    bins = Bins(np.empty(0), np.zeros(D + 1, np.int64), np.zeros(D, np.int32), MISSING)
    task = ChannelEncoding(bins, "gini", classes, None, 0.0, 1.0, 1.0, True, (1.0, 1.0, 1.0))
    rows = np.array([1, 40, 0, 2, 257])
    whole = int(rows.sum())
    codes = torch.as_tensor(RNG.integers(0, MISSING + 1, (N, D)), dtype=torch.uint8)
    numbers = [RNG.integers(low, high, whole) for low, high in ((0, N), (1, most + 1), (-(2**30), 2**30 + 1))]
    row, mass, moment = (torch.as_tensor(part, dtype=torch.int32) for part in numbers)
    label = torch.as_tensor(RNG.integers(0, classes, N), dtype=torch.int32) if classes else None
    begin = torch.as_tensor(np.cumsum(rows) - rows)
    one = DrawnRows(task, codes, label, None, None, row, mass, None if classes else moment)
    return one, begin, torch.as_tensor(rows)


def test_lists_are_divided_in_their_order():
    one, begin, rows = drawn(0)
    before = [part.numpy().copy() for part in (one.row, one.mass, one.moment)]
    feature, code, gaps_left = np.array([0, 2, 0, 1, 2]), np.array([3, 7, 0, 0, 10]), np.array([0, 1, 1, 0, 0], bool)
    wanted = [np.empty_like(part) for part in before]
    left = np.zeros(5, np.int64)
    for k, (a, m) in enumerate(zip(begin.tolist(), rows.tolist())):
        here = np.arange(a, a + m)
        cell = one.codes.numpy()[before[0][here], feature[k]]
        goes = np.where(cell == MISSING, gaps_left[k], cell <= code[k])
        left[k] = goes.sum()
        for out, values in zip(wanted, before):
            out[here] = values[np.concatenate([here[goes], here[~goes]])]
    divide(one, begin, rows, tuple(map(torch.as_tensor, (feature, code, gaps_left, left))))
    for found, expected in zip((one.row, one.mass, one.moment), wanted):
        assert_array_equal(found.numpy(), expected)


def test_sums_and_extremes_of_runs(monkeypatch):
    monkeypatch.setattr("novum.engines.trees.device.drawn_rows.PIECE", 7)
    values = torch.as_tensor(RNG.normal(size=120))
    lengths = torch.tensor([1, 6, 7, 8, 50, 48])
    runs = values.split(lengths.tolist())
    assert extremes_between(values, "min", lengths).tolist() == [float(run.min()) for run in runs]
    assert extremes_between(values, "max", lengths).tolist() == [float(run.max()) for run in runs]
    whole = torch.as_tensor(RNG.integers(-100, 100, 120))
    begin, rows = torch.tensor([0, 5, 5, 119]), torch.tensor([5, 0, 100, 1])
    expected = [int(whole[a : a + m].sum()) for a, m in zip(begin.tolist(), rows.tolist())]
    assert sums_between(whole, begin, rows).tolist() == expected


@pytest.mark.parametrize("classes", [0, 2, 5])
@pytest.mark.parametrize("most", [3, 2**30])
def test_all_ways_add_up_the_same_cells(classes, most):
    one, begin, rows = drawn(classes, most)
    some = (rows > 0).nonzero()[:, 0]
    zeros = torch.zeros_like(some)
    nodes = Nodes(zeros, zeros, zeros, begin[some], rows[some], None, None, None)
    columns = torch.as_tensor(RNG.integers(0, D, (len(some), 2)))
    found = [filled_cells.cells_of(one, nodes, columns, small) for small in (False, True)]
    try:
        with interpreted():
            found.append(filled_cells.cells_of(one, nodes, columns, False))
    except pytest.skip.Exception:
        assert len(found) == 2  # no Triton here: the kernel is compared where it is installed
    for other in found[1:]:
        for part, same in zip(found[0], other):
            assert_array_equal(part.numpy(), same.numpy())
    cells = found[0]
    for segment, code, number, sums in zip(*(part.tolist() for part in cells)):
        node, column = divmod(segment, 2)
        here = slice(int(begin[some[node]]), int(begin[some[node]] + rows[some[node]]))
        row, mass = one.row[here].long(), one.mass[here].long()
        inside = one.codes[row, columns[node, column]] == code
        assert number == int(inside.sum())
        if classes:
            expected = [int(mass[inside & (one.label[row] == k)].sum()) for k in range(classes)]
        else:
            expected = [int(one.moment[here].long()[inside].sum()), int(mass[inside].sum())]
        assert sums == expected
    assert cells.rows.sum() == 2 * rows.sum()
