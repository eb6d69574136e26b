"""A decision tree, one split at a time, best first: every split takes the cut that lowers the impurity most."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points, Preset
from novum.lab.presets import CIRCLES, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.unseen import unseen_rows
from novum.lab.views import curve, number, plane, tree

AXES = "xy"
NO_SPLIT = 2.0  # a fall of impurity that none reaches


def slanted(n: int, noise: float, seed: int) -> Call:
    """Return two classes on either side of a slanted line, which no cut along an axis follows."""
    wide, narrow = (1 + noise**2) / 2, (1 - noise**2) / 2
    matrices = [[[wide, narrow], [narrow, wide]]] * 2
    means = [[-0.7, 0.7], [0.7, -0.7]]
    path = "novum.datasets.make_gaussian_classes"
    return Call(path, n, means=means, covariances=matrices, random_state=seed, return_X_y=True)


class Box:
    """A node of a tree: the part of the plane it is for."""

    def __init__(self, sides: list[list[float]], path: tuple[Any, ...]) -> None:
        self.sides, self.path = sides, path

    def cut(self, axis: int, at: float) -> tuple["Box", "Box"]:
        """Return the parts below and above a threshold."""
        halves = []
        for side in range(2):
            sides = [list(pair) for pair in self.sides]
            sides[axis][1 - side] = at
            halves.append(Box(sides, (*self.path, (axis, at, side))))
        return halves[0], halves[1]


class TreeSteps(Scene):
    name = "cart"
    family = "trees"
    rows = (
        "004/9/greedy-tree",
        "004/9/gini",
        "002/P1.7/tree-pruning",
        "000-a/2/fig-tree",
        "001/2/tree-drawing",
        "001/2/tree-size-curve",
    )
    points = Points(
        "classes",
        presets={**MOONS, **XOR, **TOUCHING, **CIRCLES, "slanted": Preset(slanted)},
        n=Slider(4, 2000, 150, integer=True),
        noise=Slider(0.05, 1.5, 0.8),
        classes=2,
    )
    criterion = Choice(("gini", "entropy"), "gini")
    leaves = Slider(2, 30, 12, integer=True)
    alpha = Slider(0.0, 0.1, 0.0)
    parts = ("grown", "pruned")
    views = (
        plane(points="X", target="y", boxes="boxes", box_classes="box_classes", editable=True, linked="points"),
        number("cost", r"\sum_{\text{leaves } \ell} \frac{n_\ell}{n} I_\ell + \alpha \cdot \text{leaves}"),
        number("leaves"),
        tree(nodes="nodes", form="tidy", span=2),
        curve(series=[{"value": "train", "label": "value.train"}, {"value": "test", "label": "value.test"}]),
    )

    def check(self, s: State) -> None:
        if len(set(s.points.y.tolist())) < 2:
            raise Refusal("points: both classes must have a point.", "points")

    def model(self, s: State, n: int, part: str) -> Any:
        from novum.tree import DecisionTreeClassifier

        if n == 1 and part == "grown":
            return DecisionTreeClassifier(criterion=s.criterion, min_impurity_decrease=NO_SPLIT)
        alpha = s.alpha if part == "pruned" else 0.0
        return DecisionTreeClassifier(criterion=s.criterion, max_leaf_nodes=max(n, 2), ccp_alpha=alpha)

    def frames(self, s: State) -> Iterator[Frame]:
        X, y = s.points.X, s.points.y
        unseen = unseen_rows(self, s)
        before: set[Any] = set()
        cost = 0.0
        for n, part in [*((leaves, "grown") for leaves in range(1, s.leaves + 1)), (s.leaves + 1, "pruned")]:
            if part == "pruned" and s.alpha == 0:
                return
            fitted = self.model(s, min(n, s.leaves), part).fit(X, y)
            nodes = fitted.tree_
            inner, leaves, drawn = parts_of(nodes, s.points.domain, before if n > 1 else set())
            if part == "grown" and len(leaves) < n:
                continue  # the leaves are pure, or cannot be split
            last, cost = cost, cost_of(nodes, s.alpha)
            classes = nodes.value[[node for node, _ in leaves], 0].argmax(axis=1)
            values = {
                "cost": cost,
                "leaves": len(leaves),
                "train": float(fitted.score(X, y)),
                "test": None if unseen is None else float(fitted.score(*unseen)),
            }
            arrays = {
                "X": X,
                "y": y,
                "boxes": np.array([[*box.sides[0], *box.sides[1]] for _, box in leaves]),
                "box_classes": classes,
                "nodes": drawn,
            }
            yield Frame(n, values, arrays, sentence(nodes, inner, before, last - cost, part), part)
            before = {box.path for _, box in inner}

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s, min(n, s.leaves), part or "grown")
        return python_script(
            [
                s.points.code,
                "from novum.tree import DecisionTreeClassifier",
                f"tree = {code_of(model)}.fit(X, y).tree_",
                "leaf = tree.children_left < 0",
                "share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]",
                f"print(float((share[leaf] * tree.impurity[leaf]).sum() + {s.alpha!r} * leaf.sum()))",
            ]
        )


def cost_of(nodes: Any, alpha: float) -> float:
    """Return the impurity of the leaves by their shares of the rows, and the price of each."""
    leaf = nodes.children_left < 0
    share = nodes.weighted_n_node_samples / nodes.weighted_n_node_samples[0]
    return float((share[leaf] * nodes.impurity[leaf]).sum() + alpha * leaf.sum())


def parts_of(
    nodes: Any, domain: Any, before: set[Any]
) -> tuple[list[tuple[int, Box]], list[tuple[int, Box]], list[dict[str, Any]]]:
    """Return the inner nodes and the leaves with their boxes, and all of them as a view draws them."""
    inner: list[tuple[int, Box]] = []
    leaves: list[tuple[int, Box]] = []
    drawn = []
    waiting: list[tuple[int, Box, int | None]] = [(0, Box([list(side) for side in domain], ()), None)]
    while waiting:
        node, box, above = waiting.pop()
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        shares = nodes.value[node, 0]
        counts = np.rint(shares * nodes.n_node_samples[node]).astype(int)
        role = f"class{int(shares.argmax())}"
        label = " | ".join(map(str, counts))
        if left >= 0:
            axis, at = int(nodes.feature[node]), float(nodes.threshold[node])
            inner.append((node, box))
            label = f"{AXES[axis]} ≤ {at:.2f}"
            role = "plain" if box.path in before else "active"
            low, high = box.cut(axis, at)
            waiting += [(right, high, node), (left, low, node)]
        else:
            leaves.append((node, box))
        drawn.append({"id": node, "parent": above, "label": label, "role": role, "value": float(nodes.impurity[node])})
    return inner, leaves, drawn


def sentence(
    nodes: Any, inner: list[tuple[int, Box]], before: set[Any], by: float, part: str
) -> tuple[str, dict[str, Any]]:
    """Return what is said of a tree, compared with the one before."""
    if part == "pruned":
        return "pruned", {"leaves": len(inner) + 1, "cut": len(before) - len(inner), "by": by}
    new = [node for node, box in inner if box.path not in before]
    if not new:
        return "root", {"impurity": float(nodes.impurity[0]), "n": int(nodes.n_node_samples[0])}
    node = new[0]
    said = {"axis": AXES[nodes.feature[node]], "at": float(nodes.threshold[node]), "n": int(nodes.n_node_samples[node])}
    return "split", {**said, "by": by}
