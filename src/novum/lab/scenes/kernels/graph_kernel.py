"""Graphs and strings compared by counting: labels that look around, round by round, and words of so many letters."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Graph, Refusal, Slider, Text
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, number, table

RING = [[0.5, 0.05], [0.9, 0.28], [0.9, 0.72], [0.5, 0.95], [0.1, 0.72], [0.1, 0.28]]
NODES = ["a", "b", "c", "d", "e", "f"]
FIRST = {"nodes": NODES, "at": RING, "arcs": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"], ["b", "e"]]}
SECOND = {"nodes": NODES, "at": RING, "arcs": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["d", "f"], ["b", "e"]]}
MOST = 20  # nodes of a graph
LISTED = 12  # labels and words that are drawn


class LabelSteps(Scene):
    name = "graph-kernel"
    family = "kernels"
    rows = (
        *("000-c/15/wl-test", "000-c/15/wl-kernel", "000-c/15/spectrum-kernel", "000-c/15/plot-wl"),
        "000-c/15/plot-spectrum",
    )
    left = Graph(FIRST, most=MOST, acyclic=False)
    right = Graph(SECOND, most=MOST, acyclic=False)
    rounds = Slider(1, 10, 4, integer=True)
    one = Text(40, "banana")
    other = Text(40, "ananas")
    k = Slider(1, 5, 3, integer=True)
    views = (
        graph(id="first", nodes="first_nodes", edges="first_edges", edit="left", undirected=True),
        number("kernel", r"k(G, H) = \sum_{i=0}^{h} \sum_\ell n_\ell(G_i) \, n_\ell(H_i)"),
        number("labels"),
        number("spectrum"),
        graph(id="second", nodes="second_nodes", edges="second_edges", edit="right", undirected=True),
        bars(groups="counts", values="counts", labels="names", group_labels="sides"),
        curve(series=[{"value": "cosine", "label": "value.cosine"}]),
        table(id="meaning", columns="meaning_columns", rows="meaning"),
        bars(id="words", groups="word_counts", values="word_counts", labels="words", group_labels="strings", span=2),
    )

    def check(self, s: State) -> None:
        for name in ("one", "other"):
            if len(getattr(s, name)) < s.k:
                raise Refusal(
                    f"{name}={getattr(s, name)!r}: must have {s.k} letters at least, as the words have.", name
                )

    def frames(self, s: State) -> Iterator[Frame]:
        import networkx as nx

        from novum.kernels import Spectrum, WeisfeilerLehman, wl_isomorphism_test

        first, second = network_of(s.left), network_of(s.right)
        side_by_side = nx.disjoint_union(first, second)
        relabeled = wl_isomorphism_test(side_by_side, side_by_side, max_iter=s.rounds)
        verdict = wl_isomorphism_test(first, second, max_iter=s.rounds)
        shared = Spectrum(s.k).compare(s.one, s.other)
        words = sorted({*pieces(s.one, s.k), *pieces(s.other, s.k)}, key=lambda word: (word not in shared.words, word))
        fixed = {
            "sides": ["G", "H"],
            "strings": [s.one, s.other],
            "words": words[:LISTED],
            "word_counts": np.array(
                [[pieces(text, s.k)[word] for word in words[:LISTED]] for text in (s.one, s.other)]
            ),
            "first_edges": edges_of(s.left),
            "second_edges": edges_of(s.right),
            "meaning_columns": ["ℓ′", "ℓ", "M"],
        }
        for n in range(s.rounds + 1):
            gram = WeisfeilerLehman(n)([first, second])
            labels = labels_of(relabeled, n, len(first))
            counts = [Counter(one) for one in labels]
            names = sorted({*counts[0], *counts[1]})
            compressed = relabeled.compression(n) if 0 < n < len(relabeled.labels) else {}
            drawn = {
                **fixed,
                "first_nodes": nodes_of(s.left, labels[0]),
                "second_nodes": nodes_of(s.right, labels[1]),
                "counts": np.array([[count[name] for name in names[:LISTED]] for count in counts]),
                "names": [str(name) for name in names[:LISTED]],
                "meaning": [
                    [str(new), str(old), " ".join(map(str, around))] for new, (old, around) in compressed.items()
                ],
            }
            value = float(gram[0, 1])
            values = {
                "kernel": value,
                "labels": len(names),
                "spectrum": float(shared.value),
                "cosine": value / float(np.sqrt(gram[0, 0] * gram[1, 1])),
            }
            distinguished = verdict.distinguished and n >= (verdict.round or 0)
            said = {"n": n, "kernel": value, "labels": len(names), "cosine": values["cosine"]}
            key = "apart" if distinguished else "start" if n == 0 else "same"
            yield Frame(n, values, drawn, (key, {**said, "round": verdict.round or 0}))

    def script(self, s: State, n: int, part: str) -> str:
        lines = ["import networkx as nx", "from novum.kernels import WeisfeilerLehman"]
        for name, drawn in (("G", s.left), ("H", s.right)):
            lines += [f"{name} = nx.Graph({literal(drawn['arcs'])})", f"{name}.add_nodes_from({drawn['nodes']!r})"]
        return python_script([*lines, f"print(float(WeisfeilerLehman({n})([G], [H])[0, 0]))"])


def network_of(drawn: dict[str, Any]) -> Any:
    """Return a drawn graph for networkx."""
    import networkx as nx

    made = nx.Graph()
    made.add_nodes_from(drawn["nodes"])
    made.add_edges_from(drawn["arcs"])
    return made


def labels_of(test: Any, n: int, size: int) -> tuple[list[int], list[int]]:
    """Return the labels after n rounds of graphs that lie side by side, the first of them with `size` nodes."""
    both = test.labels[min(n, len(test.labels) - 1)][0].tolist()
    return both[:size], both[size:]


def nodes_of(drawn: dict[str, Any], labels: list[int]) -> list[dict[str, Any]]:
    """Return nodes with their labels, a color each."""
    return [
        {"id": name, "label": str(label), "x": x, "y": y, "k": label}
        for name, (x, y), label in zip(drawn["nodes"], drawn["at"], labels)
    ]


def edges_of(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"from": a, "to": b, "directed": False} for a, b in drawn["arcs"]]


def pieces(text: str, k: int) -> Counter[str]:
    """Return the words of k letters that stand in a text, with how often each does."""
    return Counter(text[i : i + k] for i in range(len(text) - k + 1))
