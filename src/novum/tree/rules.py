r"""A tree as rules and as formulas: one rule per leaf, one disjunctive normal form per class.

    phi_c = OR over leaves that say c, AND over the conditions on the way:   phi_c(x) holds  <=>  predict(x) = c            (1)

for every row x without missing cells: each row meets the conditions of one leaf and of no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError
from novum.report.numbers import num
from novum.report.result import Result
from novum.tree.base import BaseTree
from novum.tree.conditions import Condition, Names, condition_words, float_rows, holds, names_of, paths

__all__ = ["Formula", "Formulas", "Rule", "RuleSet", "export_dnf", "export_rules"]

ALWAYS, NEVER = "always", "never"


@dataclass(frozen=True)
class Rule(Result):
    """If all conditions hold, then the prediction.

    Attributes
    ----------
    conditions : tuple of Condition
        One per column that is tested.
    prediction : object
        Label, or number; a list of them for several outputs.
    leaf : int
        Node of the tree.
    weight : float
        Of the training rows at the leaf.
    purity : float
        Share of the predicted class among them; for numbers their impurity.
    text : str
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    leaf: int
    weight: float
    purity: float
    text: str

    def _result_columns(self) -> dict[str, Any]:
        names = ("text", "prediction", "leaf", "weight", "purity")
        return {name: [getattr(self, name)] for name in names}

    def _result_scalars(self) -> dict[str, Any]:
        return {}

    def __str__(self) -> str:
        return self.text


class RuleSet(Sequence[Rule], Result):
    """Rules of a tree, from left to right. Prints one per line."""

    def __init__(self, rules: list[Rule], model: Any) -> None:
        self.rules, self.model = rules, model

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        return self.rules[index]

    def __len__(self) -> int:
        return len(self.rules)

    def __repr__(self) -> str:
        return "\n".join(rule.text for rule in self.rules)

    def covers(self, X: Any) -> NDArray:
        """Return which rows meet which rules, a mask of shape (n_samples, n_rules)."""
        rows = float_rows(self.model, X)
        return np.stack([meets(rule.conditions, rows) for rule in self.rules], axis=1)


@dataclass(frozen=True, repr=False)
class Formula(Result):
    """A disjunction of conjunctions of conditions. Prints as a formula.

    Attributes
    ----------
    terms : tuple of tuples of Condition
    text : str
    """

    terms: tuple[tuple[Condition, ...], ...]
    text: str
    model: Any

    def _result_columns(self) -> dict[str, Any]:
        return {"formula": [self.text]}

    def _result_scalars(self) -> dict[str, Any]:
        return {}

    def __repr__(self) -> str:
        return self.text

    def evaluate(self, X: Any) -> NDArray:
        """Return which rows the formula holds for."""
        rows = float_rows(self.model, X)
        out = np.zeros(len(rows), bool)
        for term in self.terms:
            out |= meets(term, rows)
        return out


class Formulas(Mapping[Any, Formula], Result):
    """The formula of every class. Prints one per line."""

    def __init__(self, formulas: dict[Any, Formula], names: list[str]) -> None:
        self.formulas, self.names = formulas, names

    def __getitem__(self, label: Any) -> Formula:
        return self.formulas[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.formulas)

    def __len__(self) -> int:
        return len(self.formulas)

    def _result_columns(self) -> dict[str, Any]:
        return {"class": self.names, "formula": [formula.text for formula in self.formulas.values()]}

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {formula}" for name, formula in zip(self.names, self.formulas.values()))


def meets(conditions: tuple[Condition, ...], rows: NDArray) -> NDArray:
    """Return which rows meet all conditions."""
    out = np.ones(len(rows), bool)
    for condition in conditions:
        out &= holds(condition, rows)
    return out


def said(model: Any, leaf: int, names: Names) -> tuple[Any, str, float]:
    """Return what a leaf predicts, the same in words, and how pure it is."""
    value = model.tree_.value[leaf]
    if not hasattr(model, "classes_"):
        numbers = value[:, 0].tolist()
        text = ", ".join(f"{number:g}" for number in numbers)
        return (numbers[0] if len(numbers) == 1 else numbers), text, float(model.tree_.impurity[leaf])
    if names.classes is not None:
        k = int(value[0].argmax())
        return model.classes_[k], names.classes[k], float(value[0, k])
    labels = [classes[one[: len(classes)].argmax()] for classes, one in zip(model.classes_, value)]
    return labels, ", ".join(map(str, labels)), float(value.max(1).mean())


def export_rules(
    decision_tree: BaseTree,
    *,
    feature_names: Sequence[Any] | None = None,
    class_names: Sequence[Any] | None = None,
    decimals: int = 2,
) -> RuleSet:
    """Return one rule per leaf, its conditions merged so that every column occurs once.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    feature_names, class_names : sequence of str, default=None
        Names in place of those of `fit`.
    decimals : int, default=2
        Digits of thresholds in words; the conditions keep all of them.

    Notes
    -----
    Conditions are about cells that are there: a row with a missing cell on its way is covered by no rule, while `predict` sends
    it to the side that the tree learned.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import ID3, export_rules
    >>> export_rules(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True)))
    if Outlook = Sunny and Humidity = High then No (weight 3, share 1.00)
    if Outlook = Sunny and Humidity = Normal then Yes (weight 2, share 1.00)
    if Outlook = Overcast then Yes (weight 4, share 1.00)
    if Outlook = Rain and Wind = Weak then Yes (weight 3, share 1.00)
    if Outlook = Rain and Wind = Strong then No (weight 2, share 1.00)
    """
    check_is_fitted(decision_tree)
    names, tree = names_of(decision_tree, feature_names, class_names), decision_tree.tree_
    kind = "share" if hasattr(decision_tree, "classes_") else "impurity"
    rules = []
    for leaf, conditions in paths(tree):
        prediction, words, purity = said(decision_tree, leaf, names)
        weight = float(tree.weighted_n_node_samples[leaf])
        when = " and ".join(condition_words(one, names, decimals) for one in conditions) or ALWAYS
        text = f"if {when} then {words} (weight {weight:g}, {kind} {num(purity):.2f})"
        rules.append(Rule(conditions, prediction, leaf, weight, purity, text))
    return RuleSet(rules, decision_tree)


def export_dnf(
    decision_tree: Any,
    *,
    feature_names: Sequence[Any] | None = None,
    class_names: Sequence[Any] | None = None,
    decimals: int = 2,
) -> Formulas:
    """Return the formula (1) of every class.

        phi_c = OR over leaves that say c, AND over the conditions on the way:   phi_c(x) holds  <=>  predict(x) = c    (1)

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier
        A fitted tree of one output.
    feature_names, class_names : sequence of str, default=None
        Names in place of those of `fit`.
    decimals : int, default=2
        Digits of thresholds in words; the conditions keep all of them.

    Returns
    -------
    Formulas
        A mapping from labels to formulas; `formulas[label].evaluate(X)` says where a formula holds.

    Notes
    -----
    Missing cells are as in export_rules.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import ID3, export_dnf
    >>> export_dnf(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True)))["Yes"]
    (Outlook = Sunny ∧ Humidity = Normal) ∨ (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak)
    """
    check_is_fitted(decision_tree)
    owner = type(decision_tree).__name__
    names = names_of(decision_tree, feature_names, class_names)
    if names.classes is None:
        raise ParameterError(
            f"export_dnf({owner}): a formula per class needs a classifier with one output; use export_rules."
        )
    terms: list[list[tuple[Condition, ...]]] = [[] for _ in names.classes]
    for leaf, conditions in paths(decision_tree.tree_):
        terms[int(decision_tree.tree_.value[leaf, 0].argmax())].append(conditions)
    formulas = {}
    for label, mine in zip(decision_tree.classes_.tolist(), terms):
        parts = ["(" + " ∧ ".join(condition_words(one, names, decimals) for one in term) + ")" for term in mine if term]
        text = ALWAYS if any(not term for term in mine) else " ∨ ".join(parts) or NEVER
        formulas[label] = Formula(tuple(mine), text, decision_tree)
    return Formulas(formulas, names.classes)
