r"""Boolean formulas and truth tables as disjunctive or conjunctive normal forms.

    DNF   or over terms   of and over literals:   a term per row of the truth table that is true                       (1)
    CNF   and over clauses of or over literals:   a clause per row that is false, with the literals negated             (2)

A formula is written with names, `and`, `or`, `not`, `xor` (or & | ~ ^), parentheses, 0 and 1. One that is a normal form already is
taken as it stands; of others the truth table is made.
"""

import ast
import re
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import ParameterError

__all__ = ["NormalForm", "normal_form", "truth_table_of"]

OWNER = "logic_to_network"
MOST_INPUTS = 20  # a truth table of a million rows
Literal = tuple[int, bool]  # input, and whether it is not negated


class NormalForm(NamedTuple):
    """Groups of literals: terms of a DNF, clauses of a CNF."""

    kind: str  # "dnf" or "cnf"
    names: list[str]
    groups: list[list[Literal]]


def parsed(formula: str) -> ast.expr:
    """Return the syntax tree of a formula of names and logical operators."""
    text = re.sub(r"(?<![\w])xor(?![\w])", "^", formula.replace("∧", " & ").replace("∨", " | ").replace("¬", " ~ "))
    text = text.replace("!", "~").replace("&&", "&").replace("||", "|")
    # `and`, `or`, `not` bind weaker than & | ~; one kind of operator makes "a & b or c" and "a and b | c" the same.
    text = re.sub(r"(?<!\w)and(?!\w)", "&", re.sub(r"(?<!\w)or(?!\w)", "|", re.sub(r"(?<!\w)not(?!\w)", "~", text)))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ParameterError(
            f"{OWNER}: {formula!r} is no formula ({error.msg}); write it like '(a or b) and not c'."
        ) from error
    allowed = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert, ast.Load)
    for node in ast.walk(tree):
        if not isinstance(node, allowed) or (isinstance(node, ast.Constant) and node.value not in (0, 1, True, False)):
            raise ParameterError(
                f"{OWNER}: {formula!r} holds {ast.unparse(node)!r}; use names, and, or, not, xor, 0 and 1."
            )
    return tree


def value(tree: ast.expr, inputs: dict[str, Any]) -> Any:
    """Return what a tree says of arrays of truth values."""
    if isinstance(tree, ast.Name):
        return inputs[tree.id]
    if isinstance(tree, ast.Constant):
        return np.full_like(next(iter(inputs.values())), bool(tree.value)) if inputs else np.array([bool(tree.value)])
    if isinstance(tree, ast.UnaryOp):
        return ~value(tree.operand, inputs)
    left, right = value(tree.left, inputs), value(tree.right, inputs)  # type: ignore[attr-defined]
    if isinstance(tree.op, ast.BitAnd):  # type: ignore[attr-defined]
        return left & right
    return left | right if isinstance(tree.op, ast.BitOr) else left ^ right  # type: ignore[attr-defined]


def literal(tree: ast.expr, names: list[str]) -> Literal | None:
    """Return a literal, or None for anything else."""
    if isinstance(tree, ast.Name):
        return names.index(tree.id), True
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Name):
        return names.index(tree.operand.id), False
    return None


def flat(tree: ast.expr, op: type) -> list[ast.expr]:
    """Return the operands of nested operations of one kind."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, op):
        return flat(tree.left, op) + flat(tree.right, op)
    return [tree]


def as_it_stands(tree: ast.expr, names: list[str], kind: str) -> list[list[Literal]] | None:
    """Return the groups of a tree that is of this normal form, or None."""
    outer, inner = (ast.BitOr, ast.BitAnd) if kind == "dnf" else (ast.BitAnd, ast.BitOr)
    groups = []
    for part in flat(tree, outer):
        literals = [literal(each, names) for each in flat(part, inner)]
        if any(each is None for each in literals):
            return None
        group = sorted({each for each in literals if each is not None})
        if len({place for place, _ in group}) == len(group):  # a term with x and not x is never true, a clause always
            groups.append(group)
    return groups


def truth_table_of(tree: ast.expr, names: list[str]) -> np.ndarray:
    """Return the value of a formula for all inputs, counted in binary with the first name as the highest bit."""
    rows = np.array(list(product([False, True], repeat=len(names))), bool).reshape(-1, len(names))
    return np.broadcast_to(value(tree, {name: rows[:, j] for j, name in enumerate(names)}), len(rows))


def normal_form(formula: Any, names: Any = None, kind: str = "auto") -> NormalForm:
    """Return (1) or (2) of a formula or of a truth table of 2^n values; "auto" takes the one with fewer groups."""
    tree = None
    if isinstance(formula, str):
        tree = parsed(formula)
        found = list(dict.fromkeys(re.findall(r"[^\W\d]\w*", formula)))
        found = [n for n in found if n not in ("and", "or", "not", "xor", "True", "False")]
        names = found if names is None else [str(n) for n in names]
        if missing := [n for n in found if n not in names]:
            raise ParameterError(f"{OWNER}(names={names}): the formula also holds {missing[0]!r}.")
        if not names:
            raise ParameterError(f"{OWNER}: {formula!r} has no inputs; a network needs one.")
    else:
        table = np.asarray(formula)
        n = int(table.size).bit_length() - 1
        if table.ndim != 1 or table.size != 1 << n or n < 1 or not np.isin(table, (0, 1)).all():
            raise ParameterError(f"{OWNER}: a truth table holds 2, 4, 8, ... zeros and ones, got shape {table.shape}.")
        names = [f"x{j + 1}" for j in range(n)] if names is None else [str(each) for each in names]
        if len(names) != n:
            raise ParameterError(f"{OWNER}(names={names}): a truth table of {table.size} values has {n} inputs.")
    kinds = ("dnf", "cnf") if kind == "auto" else (kind,)
    if tree is not None:
        standing = [(k, groups) for k in kinds if (groups := as_it_stands(tree, names, k)) is not None]
        if standing:
            chosen, groups = min(standing, key=lambda found: len(found[1]))
            return NormalForm(chosen, names, groups)
    if len(names) > MOST_INPUTS:
        raise ParameterError(
            f"{OWNER}: {len(names)} inputs have a truth table of 2^{len(names)} rows; write the formula as a DNF or CNF."
        )
    truth = truth_table_of(tree, names) if tree is not None else np.asarray(formula).astype(bool)
    rows = list(product([False, True], repeat=len(names)))
    forms = {
        "dnf": [[(j, bit) for j, bit in enumerate(row)] for row, true in zip(rows, truth) if true],
        "cnf": [[(j, not bit) for j, bit in enumerate(row)] for row, true in zip(rows, truth) if not true],
    }
    chosen = min(kinds, key=lambda k: len(forms[k]))
    return NormalForm(chosen, names, forms[chosen])
