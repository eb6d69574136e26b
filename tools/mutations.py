"""Small faults in a module, one at a time: what tools/mutate_rows.py plants to see whether a marked test notices.

A mutation changes one place of the syntax tree: an operator, a comparison, a constant, a condition, a term, a function for its
opposite. Words, annotations, messages, defaults of signatures and what only prints are left alone: no formula stands there.
"""

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

__all__ = ["Mutation", "faulty_tree", "known_equivalents", "module_name", "mutated", "mutations"]

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "tools" / "equivalent_mutations.tsv"

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
OPPOSITES = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "any": "all",
    "floor": "ceil",
    "sum": "mean",
    "var": "std",
    "cumsum": "cumprod",
    "log": "log1p",
    "exp": "expm1",
    "sin": "cos",
    "zeros": "ones",
    "lower": "upper",
}
OPPOSITES |= {b: a for a, b in OPPOSITES.items()}
SILENT = ("__repr__", "_repr_html_", "__str__", "__sklearn_tags__", "_result_caption", "_result_title", "__dir__")
WARNERS = ("warn", "warning", "annotate", "text", "set_title", "legend", "check_number", "check_count", "check_choice")
WARNERS += ("work_blocks", "map_ordered", "drawing_axes")  # how much work a block is, how many threads: not the answer


# of pictures, and of warnings: taste, not formulas
LOOKS = (
    "s",
    "lw",
    "ls",
    "ms",
    "alpha",
    "color",
    "c",
    "linewidth",
    "linewidths",
    "fontsize",
    "size",
    "zorder",
    "markersize",
    "figsize",
    "xlim",
    "ylim",
    "pad",
    "rotation",
    "stacklevel",
    "edgecolor",
    "edgecolors",
    "mfc",
    "cmap",
    "bbox",
    "rasterized",
    "bins",
)


class Mutation(NamedTuple):
    """Where a module is changed, and how: `number` is the place of the node in a walk of the tree."""

    number: int
    kind: str
    line: int
    before: str
    after: str


def silent_nodes(tree: ast.Module) -> set[int]:
    """Return the identities of nodes below which nothing is changed."""
    quiet: set[int] = set()

    def hush(node: ast.AST | None) -> None:
        if node is not None:
            quiet.update(id(part) for part in ast.walk(node))

    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
            hush(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in [*node.args.defaults, *node.args.kw_defaults, node.returns, *node.decorator_list]:
                hush(part)
            for argument in [*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs]:
                hush(argument.annotation)
            if node.name in SILENT:
                hush(node)
        elif isinstance(node, ast.AnnAssign):
            hush(node.annotation)
        elif (isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in WARNERS) or (
            isinstance(node, ast.keyword) and node.arg in LOOKS
        ):
            hush(node)
        elif isinstance(node, ast.If) and any(isinstance(step, ast.Raise) for step in node.body):
            hush(node.test)  # refusals are the business of other tests
    return quiet


def is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Decide whether a node is a number that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def next_number(value: float) -> float:
    """Return the next integer, or twice a number that is none."""
    return value + 1 if isinstance(value, int) else (2 * value or 1.0)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the kinds of change that a node allows, and the node changed so."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and len(new.ops) == 1 and type(new.ops[0]) in COMPARISONS:
        new.ops = [COMPARISONS[type(new.ops[0])]()]
        yield "comparison", new
    elif isinstance(new, ast.BinOp) and type(new.op) in ARITHMETIC:
        if isinstance(new.left, ast.Constant | ast.List | ast.Tuple) and isinstance(new.left, ast.List | ast.Tuple):
            return  # lists are joined, not added
        if isinstance(new.left, ast.Constant) and isinstance(new.left.value, str):
            return
        kept = new.left
        new.op = ARITHMETIC[type(new.op)]()
        yield "operator", new
        yield "dropped term", copy.deepcopy(kept)
        for side in ("left", "right"):
            if is_number(getattr(node, side)):
                other = copy.deepcopy(node)
                setattr(other, side, ast.Constant(next_number(getattr(node, side).value)))
                yield "number", other  # a factor, an exponent, an offset
    elif isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        yield "connective", new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.USub | ast.Not):
        yield "sign", new.operand
    elif isinstance(new, ast.AugAssign) and type(new.op) in ARITHMETIC:
        new.op = ARITHMETIC[type(new.op)]()
        yield "operator", new
    elif isinstance(new, ast.IfExp):
        new.body, new.orelse = new.orelse, new.body
        yield "condition", new
    elif isinstance(new, ast.If | ast.While) and not isinstance(new.test, ast.Compare | ast.BoolOp):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield "condition", new
    elif is_number(new):
        yield "constant", ast.copy_location(ast.Constant(next_number(new.value)), new)
    elif isinstance(new, ast.Attribute) and new.attr in OPPOSITES and isinstance(new.ctx, ast.Load):
        new.attr = OPPOSITES[new.attr]
        yield "opposite", new
    elif isinstance(new, ast.Name) and new.id in ("min", "max", "any", "all") and isinstance(new.ctx, ast.Load):
        new.id = OPPOSITES[new.id]
        yield "opposite", new


def shown(node: ast.AST) -> str:
    """Return a node as a line of code."""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[0]
    return text if len(text) <= 100 else text[:97] + "..."


def mutations(source: str) -> list[Mutation]:
    """Return every mutation of a module."""
    tree = ast.parse(source)
    quiet, found = silent_nodes(tree), []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in quiet and hasattr(node, "lineno"):
            found += [Mutation(number, kind, node.lineno, shown(node), shown(new)) for kind, new in changes(node)]
    return found


class Planter(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the new node for the old one, and the others as they are."""
        return self.new if node is self.old else self.generic_visit(node)


def faulty_tree(source: str, mutation: Mutation) -> ast.Module:
    """Return the syntax tree of a module with one mutation; all other nodes keep their lines."""
    tree = ast.parse(source)
    node = next(node for number, node in enumerate(ast.walk(tree)) if number == mutation.number)
    new = next(new for kind, new in changes(node) if (kind, shown(new)) == (mutation.kind, mutation.after))
    ast.copy_location(new, node)
    return ast.fix_missing_locations(Planter(node, new).visit(tree))


def mutated(source: str, mutation: Mutation) -> str:
    """Return the module with one mutation."""
    return ast.unparse(faulty_tree(source, mutation))


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def known_equivalents() -> set[tuple[str, str, str]]:
    """Return the faults that change nothing: module, before, after."""
    rows = [line.split("\t") for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()[1:]]
    return {(row[0], row[1], row[2]) for row in rows}
