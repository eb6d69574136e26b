"""Every result prints, shows itself as HTML, becomes a frame and draws itself; none is forgotten."""

import dataclasses
import inspect
import re
import typing
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest
from report.result_calls import CALLS, made
from sklearn.base import BaseEstimator

import novum
from novum.base.discovery import public_modules
from novum.exceptions import ParameterError
from novum.report.numbers import cell_text
from novum.report.result import RESULTS, Result, result, words_of

pd = pytest.importorskip("pandas")
figure = pytest.importorskip("matplotlib.figure")
Gcf = pytest.importorskip("matplotlib._pylab_helpers").Gcf

BASES = {
    "Banded",
    "StateValues",
    "Distribution",
    "ExponentialFamily",
    "OnGraph",
    "CoefficientTable",
    "States",
}  # nothing is of these classes alone
# They say themselves that outcomes of more than two dimensions have no picture, and of what a picture can be drawn.
NO_PICTURE = {"Multinomial", "NormalInverseWishart"}
# What a user gives, or what a method works with: no answer to a question.
PLAYERS = (
    "novum.bandits.exponential_weights",
    "novum.bandits.policies",
    "novum.bandits.posterior_policies",
    "novum.bandits.environments",
    "novum.bandits.policy_state",
    "novum.reinforcement.deep",
    "novum.teaching.games",
    "novum.reinforcement.linear",
)
INPUTS = (
    *PLAYERS,
    "novum.activations",
    "novum.kernels",
    "novum.losses",
    "novum.fold",
    "novum.engines",
    "novum.lab.controls",
    "novum.lab.frames",
    "novum.lab.points",
    "novum.optimize.rules",
    "novum.lab.controls",
    "novum.lab.points",
    "novum.lab.frames",
)
INPUT_NAMES = {
    "L1Penalty",
    "L2Penalty",
    "ElasticNetPenalty",
    "Constraint",
    "LinearGaussian",
    "Candidacy",
    "Candidate",
    "Column",
    "FittedCandidate",
    "Fold",
    "LearningTask",
    "Measure",
    "Parting",
    "Predicted",
    "Schema",
    "Table",
    "BootstrapSplit",
    "GibbsSampler",
    "HamiltonianMonteCarlo",
    "LogisticPosterior",
    "MetropolisHastings",
    "MDP",
    "Model",
    "Layout",
    "TransitionTable",
    "PC",
    "PublicName",
    "ChowLiu",
    "ExactSearch",
    "HillClimb",
    "StructurePosterior",
}
STATISTICS = ("Sums", "Counts", "Range", "Least", "Most")  # how names of what a fold of a distribution adds up end


@pytest.fixture(scope="module", autouse=True)
def results_that_end():
    """Let go of what was made: results that outlive the interpreter's modules count as leaks of the compiled core."""
    yield
    made.cache_clear()


def parsed(html):
    return ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")


@pytest.mark.parametrize("name", CALLS)
def test_a_result_shows_itself_in_four_ways(name):
    found = made(name)
    assert type(found) in RESULTS
    assert isinstance(repr(found), str) and repr(found)
    assert "".join(parsed(found._repr_html_()).itertext()).strip()
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame) and len(frame) and len(frame.columns)
    ax = figure.Figure().subplots()
    if name in NO_PICTURE:
        with pytest.raises(ParameterError, match="Draw a marginal"):
            found.plot(ax=ax)
        return
    known = len(Gcf.figs)
    drawn = found.plot(ax=ax)
    assert drawn is ax or drawn.ax_ is ax
    assert ax.has_data() or ax.tables or ax.texts or ax.patches or ax.collections
    assert len(Gcf.figs) == known  # drawing left nothing in pyplot's state


def test_every_kind_of_result_has_its_call():
    for module in public_modules():
        try:
            import_module(module)
        except ModuleNotFoundError as error:  # layers import PyTorch at their top, kernels Triton
            assert error.name in ("torch", "triton")
    kinds = {type(made(name)) for name in CALLS}
    known = {cls for cls in RESULTS if cls.__module__.startswith("novum.")}
    assert {cls.__name__ for cls in known - kinds} == BASES


def classes_in(hint):
    if inspect.isclass(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from classes_in(part)


def hints_of(value):
    try:
        return typing.get_type_hints(value)
    except (NameError, TypeError):  # names that only a type checker imports
        return {}


def returned_classes():
    """Yield the classes that public calls say they return, and what the methods and fields of those lead to."""
    values = [getattr(novum, name) for name in novum.__all__]
    public = [getattr(module, name) for module in values if hasattr(module, "__all__") for name in module.__all__]
    waiting, seen = [], set()

    def note(hint):
        for cls in classes_in(hint):
            if cls.__module__.startswith("novum.") and cls not in seen:
                seen.add(cls)
                waiting.append(cls)

    for value in [*values, *public]:
        note(value if inspect.isclass(value) else hints_of(value).get("return"))
    while waiting:
        cls = waiting.pop()
        yield cls
        for name, member in inspect.getmembers(cls):
            function = member.fget if isinstance(member, property) else member
            if not name.startswith("_") and (inspect.isfunction(function) or inspect.ismethod(function)):
                note(hints_of(function).get("return"))
        for name, hint in hints_of(cls).items():
            if not name.startswith("_"):
                note(hint)


def is_printable(cls):
    own = any("__repr__" in vars(base) for base in cls.__mro__ if base.__module__.startswith("novum."))
    return own or dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")


def test_whatever_a_public_call_returns_is_a_result():
    missing = [
        f"{cls.__module__}.{cls.__name__}"
        for cls in returned_classes()
        if is_printable(cls)
        and cls not in RESULTS
        and not issubclass(cls, BaseEstimator | Exception)
        and not cls.__module__.startswith(INPUTS)
        and not cls.__name__.endswith("Schedule")
        and cls.__name__ not in INPUT_NAMES
        and not cls.__name__.endswith(STATISTICS)
    ]
    assert missing == []


@result
class Pair(typing.NamedTuple):
    name: str
    values: np.ndarray
    errors: np.ndarray


@dataclasses.dataclass
class Point(Result):
    x: float
    text: str = "<b>"


class Plain(Result):
    def __init__(self):
        self.a, self.b = [1, 2, 3], ["x", "y", "z"]


def test_columns_scalars_and_pictures_come_from_the_fields():
    pair = Pair("<i>", np.array([1.0, 2.0]), np.array([0.1, 0.2]))
    name, *_ = pair
    assert (name, len(pair)) == ("<i>", 3) and repr(pair).startswith("Pair(name=")
    frame = pair.to_frame()
    assert frame.columns.tolist() == ["values", "errors"] and frame.attrs == {"name": "<i>"}
    assert parsed(pair._repr_html_()).find(".//caption").text == "Pair: name <i>"
    ax = pair.plot()
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1.0, 2.0], [0.1, 0.2]]

    point = Point(2.5)
    assert repr(point) == "Point(x=2.5, text='<b>')" and point.to_frame().iloc[0].tolist() == [2.5, "<b>"]
    assert [patch.get_height() for patch in point.plot().patches] == [2.5]

    plain = Plain()
    assert repr(plain).splitlines() == ["Plain", "  a  b", "  1  x", "  2  y", "  3  z"]
    assert [tick.get_text() for tick in plain.plot().get_xticklabels()] == ["x", "y", "z"]


def test_long_tables_are_cut_and_say_so():
    text = Pair("n", np.arange(100.0), np.arange(100.0))._repr_html_()
    assert "... 40 more" in text and len(Pair("n", np.arange(100.0), np.arange(100.0)).to_frame()) == 100


def test_words_and_cells():
    assert [words_of(name) for name in ("KKTReport", "QPSolution", "ErrorBound")] == [
        "KKT report",
        "QP solution",
        "Error bound",
    ]
    assert cell_text("a" * 80).endswith("...") and cell_text(np.float32(0.5)) == ".5"


def test_html_of_names_is_escaped():
    assert "&lt;fair&gt;" in made("EvidenceComparison")._repr_html_()
    assert "&lt;y&gt;" in made("JointTable")._repr_html_()
    assert "&lt;even&gt;" in made("VersionSpace")._repr_html_()


@pytest.mark.parametrize("name", list(CALLS)[::5])
def test_numbers_print_in_one_manner(name):
    """No zero before the point, in text and HTML, but in calls as Python has them."""
    found = made(name)
    for text in (repr(found), "".join(parsed(found._repr_html_()).itertext())):
        if not text.startswith(f"{type(found).__name__}("):
            text = re.sub(r"\w+\([^()]*\)", "", text)
            assert not re.search(r"(?<![\w.,'\"=:/^*\[(-])-?0\.(?!0\D)\d", text), text
