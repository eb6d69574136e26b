"""Every picture of the notes, drawn by one call: nothing covered, clipped or unnamed, and what it showed before."""

import matplotlib

matplotlib.use("agg")

import pytest
from drawings.faults import faults_of
from drawings.references import MOST, differing, image_of, reference
from drawings.rows import PICTURES, drawn
from matplotlib import pyplot

from novum.notes import ledger

BROKEN = {  # a fault made on purpose, in each of some pictures
    "003/fig-regret": lambda ax: ax.lines[0].remove(),
    "003/fig-rbf": lambda ax: ax.lines[1].set_ydata(1.06 * ax.lines[1].get_ydata()),
    "000-b/plot-hinge": lambda ax: ax.lines[2].set_ydata(ax.lines[2].get_ydata() + 0.12),
    "002/plot-rejection": lambda ax: ax.lines[3].remove(),
    "000-b/plot-svm-margin": lambda ax: ax.collections[2].remove(),
    "001/posterior-plot": lambda ax: ax.lines[0].set_visible(False),
    "000-c/plot-dendrogram": lambda ax: ax.lines[12].remove(),
    "003/regularisation-path": lambda ax: ax.set_xscale("linear"),
    "000-c/plot-elbow": lambda ax: ax.set_ylim(0, 700),
    "002/plot-student-vs-gauss": lambda ax: ax.lines[2].remove(),
}


@pytest.fixture(autouse=True)
def no_figures():
    pyplot.close("all")
    yield
    pyplot.close("all")


def test_every_picture_of_the_notes_is_drawn():
    assert {f"{row.source}/{row.item}" for row in ledger() if row.kind == "plot"} == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_wrong_and_nothing_has_changed(name):
    figure = drawn(name)
    shown = image_of(figure)  # before it is drawn again, which may move its panels by a pixel
    assert not faults_of(figure)
    assert differing(shown, reference(name)) <= MOST


@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_made_on_purpose_is_noticed(name):
    figure = drawn(name)
    BROKEN[name](figure.axes[0])
    assert differing(image_of(figure), reference(name)) > 2 * MOST


def test_a_shift_by_a_pixel_is_none():
    shown = reference("003/fig-regret")
    assert differing(shown[1:], shown[:-1]) <= MOST and differing(shown[:, 1:], shown[:, :-1]) <= MOST
    assert differing(shown[3:], shown[:-3]) > 10 * MOST


def test_faults_are_found():
    """Each kind of fault, made in a figure of its own."""
    figure = pyplot.figure(figsize=(4, 3), layout="constrained")
    ax = figure.subplots()
    assert ("unnamed axis", "x") in faults_of(figure) and ("unnamed axis", "y") in faults_of(figure)
    ax.set(xlabel="x", ylabel="y")
    assert not faults_of(figure)
    ax.plot([0, 1], [0, 1], label="up")
    ax.plot([0, 1], [1, 0], label="down")
    assert faults_of(figure) == [("no legend", "down", "up")]
    ax.legend(loc="center")
    assert [fault[0] for fault in faults_of(figure)] == ["legend on data"]
    figure.set_layout_engine("none")  # which would make room
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    assert {fault[0] for fault in faults_of(figure)} == {"outside"}
    ax.get_legend().remove()
    ax.lines[1].remove()
    ax.text(0.5, 0.5, "one word")
    ax.text(0.52, 0.5, "another")
    assert [fault[0] for fault in faults_of(figure)] == ["overlap"]
    for text, angle in zip(list(ax.texts), (45, 45)):
        text.set(rotation=angle, position=(0.2 if text.get_text() == "one word" else 0.4, 0.5))
    assert not faults_of(figure)
