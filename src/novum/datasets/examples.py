"""Small printed tables: candy bags, ten-fold scores, words by topic, and the tiny examples of `load_example`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from novum.datasets.bunch import bunch_of_columns
from novum.runtime.checks import check_choice

__all__ = ["load_candy_bags", "load_example", "load_tenfold_scores", "load_topic_words"]

SEVEN_ROWS = ("TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "TBT")
SEVEN_ROWS_INCOMPLETE = ("TRF", "?RF", "TGT", "F?F", "TBT", "T?T", "TBT")


def load_candy_bags() -> Bunch:
    """Return the five kinds of candy bags: their prior and their share of lime candies.

    Returns
    -------
    Bunch
        `hypotheses`, `prior`, `lime` (the probability of a lime from each bag), and `target`, the candies seen in the
        notes: three limes.

    Examples
    --------
    The probability that the candy after three limes is lime:

    >>> from novum.datasets import load_candy_bags
    >>> bags = load_candy_bags()
    >>> joint = bags.prior * bags.lime**3
    >>> round(float(joint @ bags.lime / joint.sum()), 6)
    0.796053
    """
    return Bunch(
        hypotheses=["h1", "h2", "h3", "h4", "h5"],
        prior=np.array([0.1, 0.2, 0.4, 0.2, 0.1]),
        lime=np.array([0.0, 0.25, 0.5, 0.75, 1.0]),
        target=np.array(["lime"] * 3),
        DESCR="Five kinds of candy bags (Russell and Norvig; 001 section 3.2.1).",
    )


def load_tenfold_scores(*, as_frame: bool = False) -> Any:
    """Return the accuracies of two learners on the same ten folds.

    The paired t over the folds is 2.980346 with 9 degrees of freedom (p = .015441).

    Examples
    --------
    >>> from novum.datasets import load_tenfold_scores
    >>> scores = load_tenfold_scores()
    >>> scores.feature_names, round(float((scores.data[:, 0] - scores.data[:, 1]).mean()), 3)
    (['A', 'B'], 0.046)
    """
    columns = {
        "A": np.array([0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]),
        "B": np.array([0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]),
    }
    description = "Accuracy of learners A and B on ten folds (000 section 6.6.1)."
    return bunch_of_columns(columns, None, description, index=range(1, 11), as_frame=as_frame)


def load_topic_words(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Return how often five words occur in two topics: the legible columns of the notes' table, a row per topic.

    Examples
    --------
    >>> from novum.datasets import load_topic_words
    >>> words = load_topic_words()
    >>> words.target.tolist(), words.data.sum(axis=1).tolist()
    (['machine learning', 'math'], [214, 59])
    """
    counts = np.array([[0, 10, 200, 3, 1], [55, 0, 3, 0, 1]])
    names = ["w_1", "w_2", "w_i", "w_n-1", "w_n"]
    columns: dict[str, Any] = {name: counts[:, j] for j, name in enumerate(names)}
    columns["topic"] = ["machine learning", "math"]
    description = "Word counts by topic, two topics of 000 section 11.2."
    return bunch_of_columns(columns, "topic", description, return_X_y=return_X_y, as_frame=as_frame)


def airport(as_frame: bool) -> Any:
    columns = {"minutes_before": np.array([25, 60, 1440]), "on_time": np.array([0.04, 0.84, 0.999])}
    return bunch_of_columns(
        columns, "on_time", "P(on time | leave so many minutes before) (001 section 3.1).", as_frame=as_frame
    )


def integers(as_frame: bool) -> Any:
    hypotheses: dict[str, Callable[[int], bool]] = {
        "odd": lambda n: n % 2 == 1,
        "at most 5": lambda n: n <= 5,
        "one or prime": lambda n: n >= 1 and all(n % d for d in range(2, n)),
        "in {1, 3, 5}": lambda n: n in (1, 3, 5),
    }
    columns: dict[str, Any] = {"n": np.array([1, 3, 5, 6, 8, 10]), "concept": ["+", "+", "+", "-", "-", "-"]}
    description = "Integers labelled by an unknown concept, and four hypotheses (001 section 1.3.1)."
    return bunch_of_columns(columns, "concept", description, as_frame=as_frame, hypotheses=hypotheses)


def sequence(name: str, values: str, description: str, as_frame: bool) -> Any:
    return bunch_of_columns({name: list(values)}, None, description, as_frame=as_frame)


def seven(rows: tuple[str, ...], description: str, as_frame: bool) -> Any:
    columns = {
        f"X{j + 1}": np.array([None if row[j] == "?" else row[j] for row in rows], dtype=object) for j in range(3)
    }
    levels = {"X1": ("T", "F"), "X2": ("R", "G", "B"), "X3": ("T", "F")}
    return bunch_of_columns(columns, None, description, levels=levels, as_frame=as_frame)


EXAMPLES: dict[str, Callable[[bool], Any]] = {
    "airport": airport,
    "coin": lambda frame: sequence("face", "HHTTTHH", "Seven tosses, four heads (000 section 7.4.1).", frame),
    "integers": integers,
    "seven_rows": lambda frame: seven(SEVEN_ROWS, "Seven complete rows (000 section 10.1).", frame),
    "seven_rows_incomplete": lambda frame: seven(
        SEVEN_ROWS_INCOMPLETE, "Seven rows with three cells unknown, None (000 section 10.2).", frame
    ),
    "weather": lambda frame: sequence("day", "RCCSSSRC", "Eight days: rain, clouds or sun (000 section 7.4.2).", frame),
}


def load_example(name: str, *, as_frame: bool = False) -> Any:
    """Return one of the tiny tables that the notes compute with by hand.

    Parameters
    ----------
    name : {"airport", "coin", "integers", "seven_rows", "seven_rows_incomplete", "weather"}
        Leaving for the airport; coin tosses; integers with four hypotheses (in `hypotheses`); the rows from which a
        network learns, complete or with unknown cells (None); a week and a day of weather.
    as_frame : bool, default=False
        Whether to give pandas.

    Examples
    --------
    >>> from novum.datasets import load_example
    >>> "".join(load_example("coin").data[:, 0])
    'HHTTTHH'
    >>> [name for name, h in load_example("integers").hypotheses.items() if h(11)]
    ['odd', 'one or prime']
    """
    return EXAMPLES[check_choice("load_example", "name", name, tuple(EXAMPLES))](as_frame)
