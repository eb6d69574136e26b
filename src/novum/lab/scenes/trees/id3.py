"""ID3, node by node: the column that gains most divides the rows of a node, until the answers of a node agree."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider, Toggle
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.tennis import COLUMNS, DAYS, days_code, days_frame, of_two_answers
from novum.lab.views import bars, number, table, tree

MEASURES = {"entropy": "gain", "gain_ratio": "gain_ratio", "gini": "gini_gain"}


class NodeSteps(Scene):
    name = "id3"
    family = "trees"
    rows = (
        *("001/2/id3", "000-a/2/dt-learn", "001/2/reduced-error-pruning", "000-a/2/fig-tree", "001/2/tree-drawing"),
    )  # fmt: skip
    days = DAYS
    criterion = Choice(tuple(MEASURES), "entropy")
    prune = Toggle(False)
    held_out = Slider(0.1, 0.5, 0.3, hidden_when={"prune": False})
    parts = ("grown", "pruned")
    views = (
        tree(nodes="nodes", form="tidy"),
        number("gain", r"H(S) - \sum_v \frac{|S_v|}{|S|} H(S_v)"),
        number("leaves"),
        number("right"),
        bars(values="gains", labels="names", marked="chosen"),
        table(id="rules", columns="rule_columns", rows="rules", marked="made"),
        table(columns="columns", rows="days", edit="days", marked="inside", span=2),
    )

    def check(self, s: State) -> None:
        of_two_answers(s.days)

    def options(self, s: State, part: str) -> dict[str, Any]:
        pruned = {"pruning": "reduced_error", "validation_fraction": s.held_out, "random_state": s.seed}
        return {"criterion": s.criterion, **(pruned if part == "pruned" else {})}

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.tree import ID3, export_rules, information_gain_table

        X, y = days_frame(s.days)
        model = ID3(**self.options(s, "grown")).fit(X, y)
        inside = model.decision_path(X).toarray().astype(bool)
        rules = export_rules(model)
        listed = [[rule.text.partition(" (")[0], rule.weight, rule.purity] for rule in rules]
        fixed = {
            "rule_columns": ["", "n", "p"],
            "columns": list(COLUMNS),
            "days": s.days,
        }
        order = [node for node in range(model.tree_.node_count) if len(model.tree_.children(node))] or [0]
        for n, node in enumerate(order, start=1):
            found = information_gain_table(X, y, tree=model, node=node, missing="fill")
            gains = getattr(found, MEASURES[s.criterion])
            column = max(int(model.tree_.feature[node]), 0)
            nodes = drawn_nodes(model, set(order[:n]), node)
            made = {one["id"] for one in nodes}
            right, rows = says(model, nodes, inside, y), int(inside[:, node].sum())
            drawn = {
                **fixed,
                "nodes": nodes,
                "gains": gains,
                "names": found.attributes,
                "chosen": [column],
                "rules": listed,
                "made": [i for i, rule in enumerate(rules) if rule.leaf in made],
                "inside": np.flatnonzero(inside[:, node]).tolist(),
            }
            leaves = len(made) - len({one["parent"] for one in nodes} - {None})
            values = {"gain": float(gains[column]), "leaves": leaves, "right": right}
            said = {
                "column": found.attributes[column],
                "gain": values["gain"],
                "rows": rows,
                "entropy": found.entropy,
                "branches": len(model.tree_.children(node)),
                "right": right,
            }
            last = n == len(order)
            yield Frame(n, values, drawn, ("last" if last else "root" if n == 1 else "node", said), "grown")
        if s.prune:
            yield self.pruned(s, X, y, fixed, len(order) + 1)

    def pruned(self, s: State, X: Any, y: list[str], fixed: dict[str, Any], n: int) -> Frame:
        """Return the tree of a part of the rows, cut back by the others."""
        from novum.tree import ID3, export_rules

        model = ID3(**self.options(s, "pruned")).fit(X, y)
        log, rules = model.pruning_log_, export_rules(model)
        kept = {node for node in range(model.tree_.node_count) if len(model.tree_.children(node))}
        nodes = drawn_nodes(model, kept, None)
        grown_from = int(model.tree_.n_node_samples[0])
        drawn = {
            **fixed,
            "nodes": nodes,
            "gains": np.zeros(0),
            "names": [],
            "chosen": [],
            "rules": [[rule.text.partition(" (")[0], rule.weight, rule.purity] for rule in rules],
            "made": list(range(len(rules))),
            "inside": [],
        }
        cut = len(log["node"])
        right = int((model.predict(X) == np.array(y)).sum())
        values = {"gain": None, "leaves": len(rules), "right": right}
        said = {
            "cut": cut,
            "from": grown_from,
            "others": len(y) - grown_from,
            "after": float(log["after"][-1]) if cut else 0.0,
            "leaves": len(rules),
        }
        return Frame(n, values, drawn, ("pruned" if cut else "uncut", said), "pruned")

    def script(self, s: State, n: int, part: str) -> str:
        from novum.tree import ID3

        X, y = days_frame(s.days)
        nodes = ID3(**self.options(s, "grown")).fit(X, y).tree_
        order = [node for node in range(nodes.node_count) if len(nodes.children(node))] or [0]
        if part == "pruned":
            return python_script(['print("a tree that is cut back makes no split")'])
        node = order[n - 1]
        return python_script(
            [
                days_code(s.days),
                "from novum.tree import ID3, information_gain_table",
                f"model = ID3(criterion={s.criterion!r}).fit(X, y)",
                f"table = information_gain_table(X, y, tree=model, node={node}, missing='fill')",
                f"print(float(table.{MEASURES[s.criterion]}[{max(int(nodes.feature[node]), 0)}]))",
            ]
        )


def drawn_nodes(model: Any, split: set[int], now: int | None) -> list[dict[str, Any]]:
    """Return the tree as far as these nodes are split; the label of a branch stands above that of its node."""
    nodes, levels = model.tree_, model.levels_
    names = list(COLUMNS[:-1])
    out: list[dict[str, Any]] = []
    waiting: list[tuple[int, int | None, str]] = [(0, None, "")]
    while waiting:
        node, above, branch = waiting.pop(0)
        counts = np.rint(nodes.value[node, 0] * nodes.n_node_samples[node]).astype(int)
        if node in split:
            column = names[int(nodes.feature[node])]
            label, role = column, "active" if node == now else "plain"
            waiting += [(int(k), node, str(v)) for k, v in zip(nodes.children(node), levels[column])]
        else:
            answer = int(nodes.value[node, 0].argmax())
            label, role = f"{model.classes_[answer]} {' | '.join(map(str, counts))}", f"class{answer}"
        text = f"{branch}:\n{label}" if branch else label
        out.append({"id": node, "parent": above, "label": text, "role": role})
    return out


def says(model: Any, nodes: list[dict[str, Any]], inside: Any, y: list[str]) -> int:
    """Return how many rows the tree as far as drawn answers right."""
    above = {one["parent"] for one in nodes}
    answers = {one["id"]: model.classes_[model.tree_.value[one["id"], 0].argmax()] for one in nodes}
    return sum(
        int(inside[i, node] and answers[node] == y[i]) for node in answers if node not in above for i in range(len(y))
    )
