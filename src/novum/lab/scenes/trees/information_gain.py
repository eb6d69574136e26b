"""Information gain, column by column: how much the entropy of the answers falls when a column is known."""

from collections.abc import Iterator

import numpy as np

from novum.lab.calls import python_script
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.tennis import COLUMNS, DAYS, days_code, days_frame, of_two_answers
from novum.lab.views import bars, curve, number, table

PLACES = np.linspace(0, 1, 101)  # of p, for the curve of the entropy


class GainSteps(Scene):
    name = "information-gain"
    family = "trees"
    rows = ("000-a/2/information-gain", "001/2/info-gain", "001/2/entropy-curve")
    days = DAYS
    views = (
        bars(values="entropies", labels="parts", marked="whole"),
        number("gain", r"H(Y) - \sum_v P(v) H(Y \mid v)"),
        number("after"),
        number("ratio"),
        bars(id="gains", values="gains", labels="names", marked="now"),
        curve(
            x="p", x_label="value.p", marker="share", series=[{"array": "entropy", "label": "value.entropy"}],
        ),
        table(id="parts", columns="part_columns", rows="part_rows"),
        table(id="table", columns="columns", rows="days", edit="days", span=2),
    )  # fmt: skip

    def check(self, s: State) -> None:
        of_two_answers(s.days)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.information import entropy
        from novum.tree import information_gain_table

        X, y = days_frame(s.days)
        found = information_gain_table(X, y)
        names = found.attributes
        best = found.attributes.index(found.best)
        answers = sorted(set(y))
        curve_of = np.array([entropy([p, 1 - p]) for p in PLACES])
        for n, j in enumerate([*range(len(names)), best]):
            part = found.partition(names[j])
            sizes = part.counts.sum(axis=1)
            gain, weights = float(found.gain[j]), sizes / sizes.sum()
            drawn = {
                "entropies": np.array([found.entropy, *part.entropy]),
                "parts": [f"{COLUMNS[-1]} ({len(y)})", *(f"{v} ({int(k)})" for v, k in zip(part.values, sizes))],
                "whole": [0],
                "gains": found.gain,
                "names": names,
                "now": [j],
                "p": PLACES,
                "entropy": curve_of,
                "part_columns": [names[j], *answers, "P(v)", "H(Y | v)"],
                "part_rows": [
                    [value, *map(int, counts), float(weight), float(h)]
                    for value, counts, weight, h in zip(part.values, part.counts, weights, part.entropy)
                ],
                "columns": list(COLUMNS),
                "days": s.days,
            }
            values = {
                "gain": gain,
                "after": float(weights @ part.entropy),
                "ratio": float(found.gain_ratio[j]),
                "share": y.count(answers[-1]) / len(y) if len(answers) == 2 else None,
            }
            said = {"column": names[j], "gain": gain, "before": found.entropy, "after": values["after"]}
            purest = int(part.entropy.argmin())
            said |= {"value": part.values[purest], "least": float(part.entropy[purest])}
            yield Frame(n, values, drawn, ("chosen" if n == len(names) else "column", said))

    def script(self, s: State, n: int, part: str) -> str:
        which = (
            f"table.attributes.index({COLUMNS[n]!r})" if n < len(COLUMNS) - 1 else "table.attributes.index(table.best)"
        )
        return python_script(
            [
                days_code(s.days),
                "from novum.tree import information_gain_table",
                "table = information_gain_table(X, y)",
                f"print(float(table.gain[{which}]))",
            ]
        )
