"""Pictures of states: the drawn data are the numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sequence.systems import random_system, with_gaps

from novum.datasets import load_nile
from novum.exceptions import ParameterError
from novum.sequence import LinearDynamicalSystem

figure = pytest.importorskip("matplotlib.figure")


def axes():
    return figure.Figure().subplots()


def band(ax):
    """Return lower and upper edge of the drawn band by place."""
    points = ax.collections[0].get_paths()[0].vertices
    edges = {}
    for x, y in points:
        edges.setdefault(x, []).append(y)
    places = sorted(edges)
    return places, np.array([min(edges[x]) for x in places]), np.array([max(edges[x]) for x in places])


def test_nile_with_the_smoothed_level_and_its_band():
    flow = load_nile()["volume"]
    model = LinearDynamicalSystem.local_level(level_variance=1469.1, observation_variance=15099.0)
    found = model.smooth(flow)
    ax = found.plot(axes(), level=0.9)
    observed, level = ax.lines
    assert_allclose(observed.get_xdata(), flow.index)
    assert_allclose(observed.get_ydata(), flow)
    assert_allclose(level.get_ydata(), found.means[:, 0])
    places, low, high = band(ax)
    half = 1.6448536269514722 * np.sqrt(found.covariances[:, 0, 0])
    assert_allclose(places, flow.index)
    assert_allclose(low, found.means[:, 0] - half)
    assert_allclose(high, found.means[:, 0] + half)
    assert model.plot(flow, axes()).lines[1].get_ydata().tolist() == found.means[:, 0].tolist()


def test_a_forecast_goes_on_after_the_rows():
    flow = load_nile()["volume"]
    model = LinearDynamicalSystem.local_level(level_variance=1469.1, observation_variance=15099.0)
    found = model.forecast(flow, 5, level=0.5)
    ax = found.plot(axes())
    assert_allclose(ax.lines[1].get_xdata(), range(1971, 1976))
    assert_allclose(ax.lines[1].get_ydata(), found.means[:, 0])
    _, low, high = band(ax)
    assert_allclose((high - low) / 2, 0.6744897501960817 * np.sqrt(found.covariances[:, 0, 0]))


def test_a_path_with_ellipses_that_hold_their_share():
    model = LinearDynamicalSystem.tracking(2, process_variance=0.1, observation_variance=1.0)
    X = np.random.default_rng(0).normal(size=(12, 2)).cumsum(axis=0)
    found = model.smooth(X)
    ax = found.plot(axes(), pair=(0, 2), level=0.8)
    path, *ellipses = ax.lines
    assert_allclose(np.stack(path.get_data(), axis=1), found.means[:, [0, 2]])
    assert len(ellipses) == 12
    for t, line in enumerate(ellipses):  # every drawn point lies at the same Mahalanobis distance
        off = np.stack(line.get_data(), axis=1) - found.means[t, [0, 2]]
        V = found.covariances[t][np.ix_([0, 2], [0, 2])]
        assert_allclose((off @ np.linalg.inv(V) * off).sum(axis=1), -2 * np.log(0.2), rtol=1e-9)
    filtered = model.filter(X).plot(axes(), pair=(0, 2))
    assert len(filtered.lines) == 1 + 12  # velocities are not known at row 0, positions are
    ax = found.plot(axes(), state=1)
    assert_allclose(ax.lines[0].get_ydata(), found.means[:, 1])
    for wrong in ({"pair": (0, 9)}, {"state": 4}, {"cell": 2}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))}="):
            found.plot(axes(), **wrong)


def test_the_trace_of_em():
    X = with_gaps(LinearDynamicalSystem(**random_system(2, 2, seed=1)).sample(40, random_state=0)[0])
    model = LinearDynamicalSystem(2, max_iter=400, tol=1e-3).fit(X)
    line = model.history_.plot(axes()).lines[0]
    assert line.get_ydata().tolist() == list(model.history_)
    assert (np.diff(line.get_ydata()) >= -1e-9).all() and line.get_ydata()[-1] == pytest.approx(model.score(X))
