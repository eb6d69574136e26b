"""What two variables say about each other: entropies of a joint table, then of samples drawn from it."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import literal, python_script
from novum.lab.controls import Matrix, Refusal, Slider, Toggle
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, heat, number, plane, table, tree

SIDE = 3
DEFAULT = ((30.0, 8.0, 2.0), (6.0, 20.0, 6.0), (1.0, 7.0, 20.0))
GROWTH = 1.25  # from one size of a sample to the next
ROUND = 1e-9  # what rounding may add to a code length that is whole


class InformationSteps(Scene):
    name = "information"
    family = "judging"
    rows = ("002/P2.1/mutual-information", "002/P2.1/plot-entropy-venn", "000-a/5/kl", "000-a/5/code-length")
    weights = Matrix(SIDE, SIDE, 0.0, 100.0, default=DEFAULT)
    independent = Toggle(False)
    most = Slider(10, 5000, 1000, integer=True)
    views = (
        plane(points="none", boxes="boxes", box_classes="kinds", labels="captions", domain="domain"),
        number("shared", r"\sum_{x,y} p(x,y) \log_2 \frac{p(x,y)}{p(x) \, p(y)}"),
        number("joint", r"H(X,Y)"),
        number("divergence", r"\sum_{x,y} \hat{p}(x,y) \log_2 \frac{\hat{p}(x,y)}{p(x,y)}"),
        heat(values="table", rows="names", columns="names", text=True),
        curve(
            series=[{"value": "shared", "label": "value.shared"}, {"value": "true_shared", "label": "value.true", "role": "bound"}]
        ),
        table(id="lengths", columns="heads", rows="codes"),
        number("length"),
        tree(id="code", nodes="nodes", form="tidy"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if not np.sum(s.weights) > 0:
            raise Refusal("weights: some cell must be above zero.", "weights")

    def joint(self, s: State) -> NDArray:
        """Return the joint probabilities: the weights in shares, or the product of their margins."""
        p = np.array(s.weights) / np.sum(s.weights)
        return np.outer(p.sum(axis=1), p.sum(axis=0)) if s.independent else p

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.information import entropy, kl_divergence
        from novum.teaching import information_diagram

        p = self.joint(s)
        drawn_cells = np.random.default_rng(s.seed).choice(p.size, s.most, p=p.ravel() / p.sum())
        truth = information_diagram(p).shared
        names = [str(i + 1) for i in range(SIDE)]
        n, before = 0, truth
        while True:
            counts = np.bincount(drawn_cells[:n], minlength=p.size).reshape(p.shape)
            share = counts / n if n else p
            found = information_diagram(counts=counts) if n else information_diagram(p)
            mean, nodes, codes = code_of_cells(share)
            values = {
                "shared": found.shared,
                "true_shared": truth,
                "joint": float(entropy(share.ravel())),
                "divergence": float(kl_divergence(share.ravel(), p.ravel())) if n else 0.0,
                "length": mean,
            }
            drawn = {
                "none": np.zeros((0, 2)),
                **bars_of(found),
                "table": share,
                "names": names,
                "heads": ["x, y", "p", "−log₂ p", "0/1"],
                "codes": codes,
                "nodes": nodes,
            }
            said = {"n": n, "shared": found.shared, "truth": truth, "by": found.shared - before}
            said |= {"given": found.x_only, "entropy": found.x_only + found.shared}
            yield Frame(n, values, drawn, ("whole" if n == 0 else "sample", said))
            before = found.shared
            if n == s.most:
                return
            n = min(s.most, max(n + 1, int(n * GROWTH)))

    def script(self, s: State, n: int, part: str) -> str:
        lines = [
            f"p = np.array({literal(s.weights)}) / {float(np.sum(s.weights))!r}",
            "from novum.teaching import information_diagram",
        ]
        if s.independent:
            lines.append("p = np.outer(p.sum(axis=1), p.sum(axis=0))")
        if not n:
            return python_script([*lines, "print(information_diagram(p).shared)"])
        lines += [
            f"cells = np.random.default_rng({s.seed}).choice(p.size, {s.most}, p=p.ravel() / p.sum())[:{n}]",
            "counts = np.bincount(cells, minlength=p.size).reshape(p.shape)",
            "print(information_diagram(counts=counts).shared)",
        ]
        return python_script(lines)


def bars_of(found: Any) -> dict[str, Any]:
    """Return the parts of a diagram as bars one below the other, whose lengths are bits."""
    x, shared, y = found.x_only, found.shared, found.y_only
    total = x + shared + y
    spans = [(0.0, total, 4, 3, "H(X,Y)"), (0.0, x + shared, 3, 0, "H(X)"), (x, total, 2, 1, "H(Y)")]
    spans += [(0.0, x, 1, 0, "H(X|Y)"), (x, x + shared, 1, 2, "I(X;Y)"), (x + shared, total, 1, 1, "H(Y|X)")]
    wide = [span for span in spans if span[1] > span[0]]
    return {
        "boxes": np.array([[a, b, row - 0.4, row + 0.4] for a, b, row, _, _ in wide]),
        "kinds": np.array([kind for _, _, _, kind, _ in wide]),
        "captions": [[(a + b) / 2, row - 0.12, text] for a, b, row, _, text in wide if b - a > total / 12],
        "domain": [[0.0, 1.02 * (total or 1.0)], [0.4, 4.6]],
    }


def code_of_cells(p: NDArray) -> tuple[float, list[dict[str, Any]], list[list[Any]]]:
    """Return Shannon's code of the cells, words as long as -log2 p rounded up: its mean length, its tree, and its table."""
    from novum.information import code_length

    cells = [(float(p[cell]), cell) for cell in np.ndindex(p.shape) if p[cell] > 0]
    cells.sort(key=lambda one: -one[0])
    at, mean = Fraction(0), 0.0
    nodes: dict[str, dict[str, Any]] = {"": {"id": "·", "parent": None, "label": "·"}}
    rows: list[list[Any]] = []
    for share, (i, j) in cells:
        bits = float(code_length(share))
        size = max(0, ceil(bits - ROUND))
        word = f"{int(at * 2**size):0{size}b}" if size else ""
        at += Fraction(1, 2**size)
        mean += share * size
        rows.append([f"{i + 1}, {j + 1}", share, bits, word])
        for k in range(1, size + 1):
            nodes.setdefault(word[:k], {"id": word[:k], "parent": word[: k - 1] or "·", "label": word[k - 1]})
        nodes[word] = {**nodes[word], "label": f"{i + 1},{j + 1}", "role": f"class{i}"}
    return mean, list(nodes.values()), rows
