"""What the pictures of the gallery show is what was computed: unmixed signals, cities, a roll, a lattice, a curve."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

EXAMPLES = Path(__file__).parents[2] / "examples" / "decomposition"


@pytest.fixture
def run():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    def figures_of(name):
        names = runpy.run_path(str(EXAMPLES / name))
        return names, [pyplot.figure(number) for number in pyplot.get_fignums()]

    yield figures_of
    pyplot.close("all")


def test_unmixing(run):
    names, (signals, squares) = run("plot_independent_components.py")
    drawn = np.column_stack([line.get_ydata() for line in signals.axes[3].lines])
    match = np.abs(np.corrcoef(drawn.T, names["sources"].T)[:3, 3:])
    assert (match.max(axis=1) > 0.98).all() and len(set(match.argmax(axis=1))) == 3
    points = squares.axes[2].collections[0].get_offsets()
    assert np.abs(points).max() < 1.9  # a square of variance one again: its sides are at sqrt(3)
    turned = squares.axes[1].collections[0].get_offsets()
    assert np.abs(turned).max() > 2.0


def test_maps(run):
    names, (cities, roll, lattice, curve) = run("plot_maps.py")
    places = np.asarray(cities.axes[0].collections[0].get_offsets())
    found = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert np.abs(found - names["kilometres"]).max() < 60
    assert [text.get_text() for text in cities.axes[0].texts] == names["cities"]
    shown = dict(zip(names["cities"], places))
    assert shown["London"][1] > shown["Rome"][1] and shown["Lisbon"][0] < shown["Warsaw"][0]
    unrolled = np.asarray(roll.axes[1].collections[0].get_offsets())
    assert_allclose(unrolled, names["unrolled"].embedding_)
    assert max(abs(np.corrcoef(names["angle"], z)[0, 1]) for z in unrolled.T) > 0.97
    model, dots = names["model"], lattice.axes[0].collections[1]
    assert_allclose(lattice.axes[0].collections[0].get_array(), model.u_matrix().ravel())
    assert_allclose(dots.get_sizes() / dots.get_sizes().max(), model.hits_ / model.hits_.max())
    setosa = names["iris"].target == 0
    assert not set(model.predict(names["iris"].data[setosa])) & set(model.predict(names["iris"].data[~setosa]))
    line = curve.axes[0].lines[0].get_xydata()
    assert_allclose(line, names["curve"].curve_)
    inside = np.abs(line[:, 0]) < 2.7
    assert np.abs(line[inside, 1] - np.sin(line[inside, 0])).max() < 0.15
