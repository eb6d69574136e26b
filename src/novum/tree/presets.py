"""Two trees by name: the classifier with the settings that Quinlan's programs have."""

from typing import Any

from novum.tree.classifier import DecisionTreeClassifier

__all__ = ["C45", "ID3"]


def ID3(**params: Any) -> DecisionTreeClassifier:
    """Return a tree that grows as ID3 does: by information gain, a branch per category, to the end.

    Parameters
    ----------
    **params
        Parameters of DecisionTreeClassifier. Without them criterion="entropy", branching="multiway", missing="fill".

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import ID3, export_text
    >>> print(export_text(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True))))
    |--- Outlook = Sunny
    |   |--- Humidity = High
    |   |   |--- class: No
    |   |--- Humidity = Normal
    |   |   |--- class: Yes
    |--- Outlook = Overcast
    |   |--- class: Yes
    |--- Outlook = Rain
    |   |--- Wind = Weak
    |   |   |--- class: Yes
    |   |--- Wind = Strong
    |   |   |--- class: No
    <BLANKLINE>
    """
    return DecisionTreeClassifier(**{"criterion": "entropy", "branching": "multiway", "missing": "fill", **params})


def C45(**params: Any) -> DecisionTreeClassifier:
    """Return a tree in the manner of C4.5: gain ratio, a branch per category, divided rows, two rows in two branches, pruning.

    Parameters
    ----------
    **params
        Parameters of DecisionTreeClassifier. Without them criterion="gain_ratio", branching="multiway", missing="fractional",
        min_samples_leaf=2, pruning="reduced_error".

    Notes
    -----
    C4.5 prunes by a bound on the training error; here held-out rows decide. The gain ratio is taken of all columns, not of those
    with at least the mean gain, and thresholds are chosen by their gain.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import C45
    >>> X, y = load_play_tennis(return_X_y=True, as_frame=True)
    >>> C45(pruning=None).fit(X, y).get_n_leaves()
    5
    """
    settings = {
        "criterion": "gain_ratio",
        "branching": "multiway",
        "missing": "fractional",
        "min_samples_leaf": 2,
        "pruning": "reduced_error",
    }
    return DecisionTreeClassifier(**{**settings, **params})
