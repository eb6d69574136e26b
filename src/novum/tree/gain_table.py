r"""What every attribute would gain at a node, as the notes tabulate it.

At a node with rows S an attribute A divides S into S_v; with W weights of rows and H the entropy of the classes in bits,

    gain            H(S) - sum_v W_v / W H(S_v)                                                    (1)
    split entropy   -sum_v W_v / W log2(W_v / W)                                                   (2)
    gain ratio      (1) / (2)                                                                      (3)
    gini gain       (1) with sum_k p_k (1 - p_k) for H                                             (4)

A column of numbers is divided at the threshold with the largest gain.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.exact import Rules, Target
from novum.exceptions import DataError, ParameterError
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result, draw_bars
from novum.report.tables import html_paragraph, html_table, text_table
from novum.runtime.checks import check_choice
from novum.runtime.typing import Numbers, Rows, RowWeights
from novum.tree.classifier import DecisionTreeClassifier
from novum.tree.column_splits import Column, Entries, column_of, search, threshold_candidates
from novum.tree.conditions import Names, float_rows, names_of
from novum.tree.splits import channels, gain_ratio, independence, judge, masses, tables, weights

__all__ = ["AttributePartition", "GainTable", "ThresholdTable", "information_gain_table"]


@dataclass(frozen=True, repr=False)
class AttributePartition(Result):
    """The subsets of a node's rows by the values of an attribute: their class counts and entropies."""

    attribute: str
    values: list[str]
    classes: list[str]
    counts: NDArray  # (values, classes)
    entropy: NDArray  # (values,)

    def _rows(self) -> list[list[str]]:
        head = [self.attribute, *self.classes, "entropy"]
        return [head] + [
            [value, *(f"{c:g}" for c in count), f"{num(h):.6f}"]
            for value, count, h in zip(self.values, self.counts, self.entropy)
        ]

    def __repr__(self) -> str:
        return "\n".join(text_table(self._rows(), indent=""))

    def _repr_html_(self) -> str:
        return html_table(self._rows())

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per value."""
        import pandas as pd

        frame = pd.DataFrame(self.counts, columns=self.classes, index=pd.Index(self.values, name=self.attribute))
        return frame.assign(entropy=self.entropy)


@dataclass(frozen=True, repr=False)
class ThresholdTable(Result):
    """Candidate thresholds of a column of numbers, with the gain of each."""

    attribute: str
    threshold: NDArray
    gain: NDArray

    def _rows(self) -> list[list[str]]:
        head = [self.attribute, "gain"]
        return [head] + [[f"<= {t:g}", f"{num(g):.6f}"] for t, g in zip(self.threshold, self.gain)]

    def _result_picture(self, ax: Any) -> None:
        ax.plot(self.threshold, self.gain, marker=".")
        ax.set(xlabel=f"threshold of {self.attribute}", ylabel="gain")

    def __repr__(self) -> str:
        return "\n".join(text_table(self._rows(), indent=""))

    def _repr_html_(self) -> str:
        return html_table(self._rows())

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per threshold."""
        import pandas as pd

        return pd.DataFrame({"threshold": self.threshold, "gain": self.gain})


@dataclass(frozen=True, repr=False)
class GainTable(Result):
    """A row per attribute. Prints as a table; `to_frame()` gives the rows.

    Attributes
    ----------
    attributes : list of str
    entropy, gini, weight : float
        Of the classes at the node, and the weight of its rows.
    gain, split_entropy, gain_ratio, gini_gain, p_value : array of shape (n_attributes,)
        (1) to (4), and the p-value of the chi-squared test of the attribute against the classes.
    threshold : array of shape (n_attributes,)
        NaN for categories.
    """

    attributes: list[str]
    entropy: float
    gini: float
    weight: float
    gain: NDArray
    split_entropy: NDArray
    gain_ratio: NDArray
    gini_gain: NDArray
    p_value: NDArray
    threshold: NDArray
    _partitions: dict[str, AttributePartition]
    _thresholds: dict[str, ThresholdTable]

    @property
    def best(self) -> str:
        """Attribute with the largest gain, of equal ones the first."""
        return self.attributes[int((self.gain >= self.gain.max() - 1e-12).argmax())]

    def partition(self, attribute: str) -> AttributePartition:
        """Return the subsets that an attribute makes."""
        return _entry(self._partitions, attribute, self.attributes)

    def thresholds(self, attribute: str) -> ThresholdTable:
        """Return the candidate thresholds of a column of numbers."""
        return _entry(self._thresholds, attribute, list(self._thresholds))

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per attribute."""
        import pandas as pd

        names = ("gain", "split_entropy", "gain_ratio", "gini_gain", "p_value", "threshold")
        return pd.DataFrame({name: getattr(self, name) for name in names}, index=self.attributes)

    def _rows(self) -> list[list[str]]:
        numbers = not np.isnan(self.threshold).all()
        head = ["", "gain", "split entropy", "gain ratio", "gini gain", "p"] + ["threshold"] * numbers
        rows = [head]
        for i, name in enumerate(self.attributes):
            cells = [self.gain[i], self.split_entropy[i], self.gain_ratio[i], self.gini_gain[i]]
            row = [name, *(f"{num(cell):.6f}" for cell in cells), f"{num(self.p_value[i]):.3f}"]
            if numbers:
                row.append("" if np.isnan(self.threshold[i]) else f"{self.threshold[i]:g}")
            rows.append(row)
        return rows

    def _foot(self) -> str:
        return f"entropy {num(self.entropy):.6f}, gini {num(self.gini):.6f}, weight {self.weight:g}; largest gain: {self.best}"

    def _result_picture(self, ax: Any) -> None:
        draw_bars(ax, list(self.attributes), {"gain": list(self.gain), "gain ratio": list(self.gain_ratio)})
        draw_legend(ax)
        ax.set(xlabel="attribute", ylabel="bits", title=f"largest gain: {self.best}")

    def __repr__(self) -> str:
        return "\n".join([*text_table(self._rows(), indent=""), self._foot()])

    def _repr_html_(self) -> str:
        return html_table(self._rows()) + html_paragraph([self._foot()])


def _entry(found: dict[str, Any], name: str, known: list[str]) -> Any:
    if name not in found:
        raise ParameterError(f"GainTable: no attribute {name!r} of this kind; there are {known}.")
    return found[name]


def information_gain_table(
    X: Rows,
    y: Numbers,
    *,
    tree: DecisionTreeClassifier | None = None,
    node: int = 0,
    sample_weight: RowWeights = None,
    categorical_features: Literal["from_dtype"] | Numbers | None = "from_dtype",
    missing: str = "fractional",
) -> GainTable:
    """Return what every attribute gains, for all rows or for those at a node of a tree.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels.
    tree : DecisionTreeClassifier, default=None
        A fitted tree; None for all rows.
    node : int, default=0
        Node of the tree whose rows are looked at.
    sample_weight : array-like of shape (n_samples,), default=None
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        As in DecisionTreeClassifier; a given tree knows them.
    missing : {"fractional", "fill", "fill_by_class", "best_side"}, default="fractional"
        What becomes of rows without the cell, as in DecisionTreeClassifier.

    Returns
    -------
    GainTable
        With `partition(attribute)` for the subsets and `thresholds(attribute)` for all candidates of a column of numbers.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import information_gain_table
    >>> X, y = load_play_tennis(return_X_y=True, as_frame=True)
    >>> table = information_gain_table(X, y)
    >>> table
                     gain  split entropy  gain ratio  gini gain      p
    Outlook       .246750       1.577406     .156428    .116327   .170
    Temperature   .029223       1.556657     .018773    .018707   .752
    Humidity      .151836       1.000000     .151836    .091837   .094
    Wind          .048127        .985228     .048849    .030612   .334
    entropy .940286, gini .459184, weight 14; largest gain: Outlook
    >>> table.partition("Wind")
    Wind    No  Yes   entropy
    Weak     2    6   .811278
    Strong   3    3  1.000000
    """
    owner = "information_gain_table"
    check_choice(owner, "missing", missing, ("fractional", "fill", "fill_by_class", "best_side"))
    if tree is None:
        if node:
            raise ParameterError(f"{owner}(node={node!r}): nodes other than the root need tree=, a fitted tree.")
        reader = DecisionTreeClassifier(criterion="entropy", categorical_features=categorical_features)
        data = reader._read(X, y, sample_weight)
        part = np.ones(data.X.shape[0])
    else:
        reader = tree
        if not isinstance(tree, DecisionTreeClassifier):
            raise ParameterError(f"{owner}(tree={type(tree).__name__}): give a fitted DecisionTreeClassifier.")
        if not 0 <= node < tree.tree_.node_count:
            raise ParameterError(f"{owner}(node={node!r}): the tree has nodes 0 to {tree.tree_.node_count - 1}.")
        cells = float_rows(tree, X)
        data = DecisionTreeClassifier(criterion="entropy", categorical_features=None)._read(cells, y, sample_weight)
        data = data._replace(levels=tree.tree_.n_categories.tolist())
        part = np.asarray(tree.tree_.decision_path(cells)[:, [node]].todense(), np.float64).ravel()
    if data.target.code is None or data.target.code.shape[1] != 1:
        raise DataError(f"{owner}: y has one column of labels; look at one output at a time.")
    weight = part if data.weight is None else part * data.weight
    row = np.flatnonzero(weight)
    if not len(row):
        raise DataError(f"{owner}: no row of X reaches node {node}.")
    target = data.target._replace(criterion="entropy", code=data.target.code[row])
    at = Entries(np.arange(len(row)), np.zeros(len(row), np.int64), part[row], weight[row])
    labels = [str(label) for label in np.unique(np.asarray(y).ravel())]
    columns = [column_of(np.asarray(data.X[row, j], np.float64), data.levels[j]) for j in range(data.X.shape[1])]
    return tabulate_node(columns, at, target, missing, names_of(reader, None, None, data.levels), labels)


def tabulate_node(
    columns: list[Column], at: Entries, target: Target, missing: str, names: Names, labels: list[str]
) -> GainTable:
    """Return the table of rows that are all at one node."""
    rules, gini = Rules(max_features=len(columns)), target._replace(criterion="gini")
    whole = tables(target, at.node, 1, at.row, at.weight)
    total = float(weights(target, whole)[0])
    cells = np.zeros((len(columns), 5))
    threshold = np.full(len(columns), np.nan)
    partitions, candidates = {}, {}
    for j, column in enumerate(columns):
        name = names.features[j]
        found = search(column, at, 1, target, rules, False, missing)
        lost = whole - found.groups.sum(1) if found.valid[0] else np.zeros_like(whole)
        lost = np.where(np.abs(lost) > 1e-9 * total, lost, 0.0)
        split = bool(found.valid[0])
        gain, entropy = found.judged.gain[:1] * split, found.judged.split_entropy[:1] * split
        by_gini = judge(gini, found.groups, lost, missing).gain[0] * split
        cells[j] = gain[0], entropy[0], gain_ratio(gain, entropy)[0], by_gini, independence(found.groups)[0]
        groups, values = found.groups[0], names.levels[j]
        if not column.levels:
            threshold[j] = found.threshold[0] if found.threshold is not None and split else np.nan
            values = [f"<= {threshold[j]:g}", f"> {threshold[j]:g}"]
            candidates[name] = thresholds_of(column, at, target, missing, name)
        size = weights(target, groups)
        each = masses(target, groups) / np.where(size > 0, size, 1.0)
        partitions[name] = AttributePartition(name, values, labels, groups, each)
    entropy_here, gini_here = (float(masses(one, whole)[0]) / total for one in (target, gini))
    gain, entropy, ratio, by_gini, p_value = cells.T
    return GainTable(
        attributes=names.features,
        entropy=entropy_here,
        gini=gini_here,
        weight=total,
        gain=gain,
        split_entropy=entropy,
        gain_ratio=ratio,
        gini_gain=by_gini,
        p_value=p_value,
        threshold=threshold,
        _partitions=partitions,
        _thresholds=candidates,
    )


def thresholds_of(column: Column, at: Entries, target: Target, missing: str, name: str) -> ThresholdTable:
    """Return all candidates of a column of numbers with their gains."""
    known, gone = np.flatnonzero(column.code >= 0), np.flatnonzero(column.code < 0)
    order, place, threshold = threshold_candidates(column, column.code[known], at.node[known], 1)
    rows = known[order]
    sums = channels(target, rows, at.weight[rows]).cumsum(0)
    sides = np.stack([sums[place], sums[-1:] - sums[place]], axis=1) if len(place) else np.zeros((0, 2, sums.shape[1]))
    lost = channels(target, gone, at.weight[gone]).sum(0)
    gain = judge(target, sides, np.broadcast_to(lost, (len(place), len(lost))), missing).gain
    return ThresholdTable(name, threshold, gain)
