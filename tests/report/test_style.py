"""The style sheet: colors that every kind of vision tells apart, pictures on light and dark, and settings left as they are."""

import itertools

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from novum.cluster import KMeans
from novum.evaluation import RocCurveDisplay
from novum.linear_model import LinearRegression
from novum.naive_bayes import GaussianNB
from novum.report.axes import drawing_axes, drawing_panels
from novum.report.legends import draw_legend
from novum.report.style import PALETTE, colors_of, ink, letters, paper, series, shade
from novum.tree import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)
VISION = {  # what is left of linear red, green and blue (Machado, Oliveira and Fernandes 2009, severity 1)
    "all": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


def linear(color):
    part = np.array(to_rgb(color))
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(color, vision):
    """Return a color as it is seen, in CIELAB."""
    x = TO_XYZ @ np.clip(np.asarray(VISION[vision]) @ linear(color), 0, 1) / (TO_XYZ @ np.ones(3))
    f = np.where(x > (6 / 29) ** 3, np.cbrt(x), x / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    """Return the ratio of contrast of the web's guidelines."""
    a, b = sorted((float(TO_XYZ[1] @ linear(color)) + 0.05 for color in (one, other)), reverse=True)
    return a / b


@pytest.mark.parametrize("vision", VISION)
def test_the_first_six_colors_stay_apart(vision):
    seen = [lab(color, vision) for color in PALETTE[:6]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 15  # one just differs at 2.3


def test_no_color_is_lost_on_white_or_on_black():
    assert min(contrast(color, ground) for color in PALETTE for ground in ("white", "black")) > 2


def draw_some(ax=None):
    """Return the axes of pictures of several kinds."""
    yield KMeans(3, random_state=0, n_init=1).fit(X[:, :2]).plot(X[:, :2], ax=ax)
    yield LinearRegression().fit(X, Y).plot(ax=ax)
    yield GaussianNB().fit(X[:, :2], Y).plot(X[:, :2], Y, ax=ax)
    yield DecisionTreeClassifier(max_depth=2).fit(X, Y).plot(ax=ax)
    yield RocCurveDisplay.from_predictions(Y > 1, X[:, 0], ax=ax, n_resamples=20).ax_


def test_settings_stay_as_they_are():
    before = dict(matplotlib.rcParams)
    for ax in draw_some():
        ax.figure.canvas.draw()
    assert dict(matplotlib.rcParams) == before


def test_own_figures_take_the_palette_and_a_callers_axes_the_callers():
    own = drawing_axes(None)
    assert colors_of(own, 3) == list(PALETTE[:3]) and own.plot([0, 1])[0].get_color() == PALETTE[0]
    assert not own.spines["top"].get_visible()
    twin = own.twinx()
    assert twin.plot([0, 1])[0].get_color() == PALETTE[0] and own.plot([1, 0])[0].get_color() == PALETTE[1]
    mine = Figure().subplots()
    assert (
        colors_of(mine, 2) == [to_hex("C0"), to_hex("C1")]
        and drawing_axes(mine) is mine
        and mine.spines["top"].get_visible()
    )
    with plt.style.context("ggplot"):
        styled = drawing_axes(None)
        cycle = plt.rcParams["axes.prop_cycle"].by_key()["color"]
        second = series(styled, 1)
        assert styled.plot([0, 1])[0].get_color() == cycle[0]
    assert second == to_hex(cycle[1]) != to_hex("C1")  # of the style, also after it


def test_everything_written_can_be_read_on_dark_and_on_light():
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            for ax in draw_some():
                ax.figure.canvas.draw()
                ticks = [tick for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_ticklabels() if ax.axison]
                keys = ax.get_legend().get_texts() if ax.get_legend() is not None else []
                for text in (*ax.texts, *ticks, *keys, ax.xaxis.label, ax.yaxis.label, ax.title):
                    box = text.get_bbox_patch() if hasattr(text, "get_bbox_patch") else None
                    ground = paper(ax) if box is None else box.get_facecolor()
                    assert contrast(text.get_color(), ground) > 3, (style, text.get_text())
            assert contrast(ink(ax), paper(ax)) == pytest.approx(21)
            assert contrast(shade(ax, 0.3), paper(ax)) > contrast(shade(ax, 0.7), paper(ax))
            assert letters(ax, "navy") == ("white" if style == "dark_background" else paper(ax))


def test_a_legend_stands_beside_an_own_figure_which_grows_by_it_once():
    ax = drawing_axes(None)
    width, height = ax.figure.get_size_inches()
    for name in ("one", "another", "a third one"):
        ax.plot([0, 1], label=name)
    for _ in range(3):
        draw_legend(ax)
    wider = ax.figure.get_figwidth()
    assert width + 0.8 < wider < width + 2.2 and ax.figure.get_figheight() == height
    ax.figure.canvas.draw()
    legend, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.x0 >= frame.x1 and legend.x1 <= ax.figure.bbox.width + 1
    assert frame.width / ax.figure.dpi > 0.7 * width  # the axes keep their size
    left, right = drawing_panels(2)
    for panel in (left, right):
        panel.plot([0, 1], label="the same")
        draw_legend(panel)
    assert left.figure.get_figwidth() > right.figure.get_figheight() * 2.5
    given = Figure(figsize=(4, 3)).subplots()
    given.plot([0, 1], label="inside")
    draw_legend(given)
    given.figure.canvas.draw()
    legend, frame = given.get_legend().get_window_extent(), given.get_window_extent()
    assert legend.x1 <= frame.x1 and tuple(given.figure.get_size_inches()) == (4, 3)


def test_two_calls_with_one_name_and_color_have_one_entry():
    ax = drawing_axes(None)
    for color, name in (("red", "a"), ("red", "a"), ("blue", "a"), ("red", "b")):
        ax.plot([0, 1], color=color, label=name)
    assert [text.get_text() for text in draw_legend(ax).get_texts()] == ["a", "a", "b"]
    assert draw_legend(drawing_axes(None)) is None
