"""describe_task: every setting and kind of target, with its reason, from every kind of table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

import novum
from novum.datasets import load_play_tennis, make_gaussian_classes, path
from novum.exceptions import DataError, ParameterError

X = np.random.default_rng(0).normal(size=(60, 3))
COLORS = np.array(["red", "green", "blue"] * 20)


@pytest.mark.notes("000-a", "task-type")
@pytest.mark.parametrize(
    ("target", "setting", "kind"),
    [
        (None, "unsupervised", "clustering or dimension reduction"),
        (np.arange(60) % 2, "supervised", "binary"),
        (np.arange(60) % 2 == 0, "supervised", "binary"),
        (COLORS, "supervised", "multiclass"),
        (np.arange(60) % 4, "supervised", "multiclass"),
        (np.arange(60), "supervised", "regression"),
        (X[:, 0], "supervised", "regression"),
        (X[:, :2], "supervised", "multioutput regression"),
        ((X[:, :2] > 0).astype(int), "supervised", "multilabel"),
        ([{"a", "b"}, {"c"}] * 30, "supervised", "multilabel"),
        ([["a", "b"], ["c"]] * 30, "supervised", "multilabel"),
        (np.column_stack([COLORS, COLORS[::-1]]), "supervised", "multioutput classification"),
        (pd.Categorical(["low", "mid", "high"] * 20, ["low", "mid", "high"], ordered=True), "supervised", "ordinal"),
        (np.where(np.arange(60) < 9, np.nan, np.arange(60) % 2), "semi-supervised", "binary"),
        (np.where(np.arange(60) < 9, np.nan, X[:, 1]), "semi-supervised", "regression"),
        ([None, "yes", "no"] * 20, "semi-supervised", "binary"),
        (np.full(60, np.nan), "unsupervised", "clustering or dimension reduction"),
        (np.zeros(60), "supervised", "constant"),
        (np.repeat([0, 1, 2, 3, 4, 5, 12], [20, 14, 10, 7, 4, 2, 3]), "supervised", "regression"),  # 95 % before a gap
        (np.repeat([0, 1, 2, 3, 4, 5, 12], [20, 14, 10, 6, 4, 2, 4]), "supervised", "multiclass"),  # and 93 %
    ],
)
def test_settings_and_kinds(target, setting, kind):
    found = novum.describe_task(X, pd.Series(target) if isinstance(target, pd.Categorical) else target)
    assert (found.setting, found.kind) == (setting, kind)
    assert found.reasons and found.measure and found.n_rows == 60 and found.n_numbers == 3
    html = found._repr_html_()
    assert html.startswith("<table>") and "because" in html


@pytest.mark.notes("000-a", "problem-card")
def test_problem_card_names_task_measure_experience_and_whether_it_learns():
    data = make_gaussian_classes(400, random_state=0)
    card = novum.describe_task(data.data, data.target)
    assert (card.task, card.measure) == ("supervised, binary classification", "accuracy")
    assert card.experience == "400 rows, 2 numbers" and card.is_classification
    learning = card.learning(GaussianNB(), data.data, data.target)
    assert learning.sizes[-1] == 320 and learning.scores.shape == (5,) and learning.scores[-1] > 0.85
    permuted = card.learning(GaussianNB(), data.data, np.random.default_rng(1).permutation(data.target))
    assert abs(permuted.scores[-1] - 0.5) < 0.1


@pytest.mark.notes("001", "problem-type")
def test_concept_learning_is_two_classes_of_discrete_inputs():
    tennis = novum.describe_task(*load_play_tennis(return_X_y=True, as_frame=True))
    assert tennis.concept and tennis.target == "PlayTennis" and tennis.n_categories == 4
    assert tennis.classes == {"No": 5, "Yes": 9}
    assert not novum.describe_task(X, np.arange(60) % 2).concept
    log = pd.DataFrame({"s": [0, 1], "u": [1, 0], "r": [0.0, 1.0], "next_s": [1, 1]})
    moves = novum.describe_task(log, action="u", reward="r")
    assert (moves.setting, moves.n_numbers) == ("reinforcement", 2) and "action (u)" in moves.reasons[0]


@pytest.mark.notes("003", "data-set-types")
@pytest.mark.parametrize("library", [pd, pl])
def test_tables_of_any_library(library):
    frame = library.DataFrame({"x": X[:, 0], "color": COLORS, "t": X[:, 1], "c": np.arange(60) % 3})
    assert novum.describe_task(frame, "t").kind == "regression"
    found = novum.describe_task(frame, target="c")
    assert found.kind == "multiclass" and (found.n_numbers, found.n_categories) == (2, 1)
    assert found.classes == {0: 20, 1: 20, 2: 20} and found.inputs == "2 numbers and 1 category"
    assert novum.describe_task(frame).setting == "unsupervised"
    assert novum.describe_task(frame, ["t", "x"]).kind == "multioutput regression"
    transitions = library.DataFrame({"x": [0.0], "u": [1], "y": [0.5], "r": [1.0]})
    assert novum.describe_task(transitions, action="u", reward="r").setting == "reinforcement"


@pytest.mark.notes("003", "unsupervised-named")
def test_data_without_a_target_name_clustering_and_reduction():
    found = novum.describe_task(X)
    assert found.methods["clustering"] == "novum.cluster.KMeans"
    assert found.methods["dimension reduction"] == "novum.decomposition.PCA"
    assert "novum.decomposition.PCA" in repr(found)


def test_the_tables_of_the_package():
    cancer = novum.describe_task(pd.read_csv(path("breast_cancer.csv")), "diagnosis")
    assert repr(cancer).splitlines()[:4] == [
        "task        supervised, binary classification",
        "target      diagnosis: benign 357, malignant 212",
        "measure     accuracy",
        "experience  569 rows, 30 numbers",
    ]
    diabetes = novum.describe_task(pd.read_csv(path("diabetes.csv")), "progression")
    assert diabetes.kind == "regression" and "different whole numbers in 442 rows" in diabetes.reasons[1]


def test_options_and_errors():
    ranks = ["good", "bad", "fair"] * 20
    assert list(novum.describe_task(X, ranks, order=["bad", "fair", "good"]).classes) == ["bad", "fair", "good"]
    partly = novum.describe_task(X, np.arange(60) % 3 - 1, unlabelled=-1)
    assert (partly.setting, partly.n_unlabelled, partly.kind) == ("semi-supervised", 20, "binary")
    polars_enum = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": pl.Series(["a", "b", "c"], dtype=pl.Enum(["c", "b", "a"]))})
    assert novum.describe_task(polars_enum, "y").kind == "ordinal"
    frame = pd.DataFrame(X, columns=list("abc"))
    with pytest.raises(
        ParameterError, match=r"describe_task\(target='d'\): no column 'd'; there are \['a', 'b', 'c'\]"
    ):
        novum.describe_task(frame, "d")
    with pytest.raises(ParameterError, match="transitions need both action= and reward="):
        novum.describe_task(frame, action="a")
    with pytest.raises(ParameterError, match=r"describe_task\(reward='z'\): no such column"):
        novum.describe_task(frame, action="a", reward="z")
    with pytest.raises(DataError, match="data has 60 rows and target 3"):
        novum.describe_task(X, [1, 2, 3])
    with pytest.raises(DataError, match="give a table with rows and columns"):
        novum.describe_task(X[:, 0])
    with pytest.raises(DataError, match="the target holds dates"):
        novum.describe_task(X, np.arange(60).astype("datetime64[D]"))
    with pytest.raises(DataError, match="different kinds"):
        novum.describe_task(pd.DataFrame({"x": X[:, 0], "t": X[:, 1], "c": COLORS}), ["t", "c"])
