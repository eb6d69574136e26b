"""A network that writes one word for another: where every symbol looks, epoch by epoch, then the answer symbol by symbol."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider, Text, Toggle
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import curve, heat, number, table

LETTERS = "abcde"
LONGEST = 6  # letters of a word
LONGEST_ANSWER = 10
WIDTH = 8  # of the vectors of the formula's own view
BEAM = 4  # answers that are compared


class Attention(Scene):
    name = "attention"
    family = "networks"
    rows = (
        "000-c/16/scaled-dot-attention",
        "000-c/16/causal-mask",
        "000-c/16/seq2seq-attention",
        "000-c/16/plot-architectures",
    )
    deep = True
    word = Text(LONGEST, "abced")
    task = Choice(("reverse", "copy"), "reverse")
    network = Choice(("recurrent", "transformer"), "recurrent")
    heads = Choice(("1", "2", "4"), "1", hidden_when={"network": "recurrent"})
    mask = Toggle(True)
    rate = Slider(1e-4, 0.05, 0.008, log=True)
    n = Slider(50, 400, 200, integer=True)
    epochs = Slider(1, 30, 14, integer=True)
    parts = ("train", "decode")
    views = (
        heat(values="looks", rows="answer", columns="source", domain="unit", marked="looking"),
        number("log_p", r"\ln p(y \mid x) = \sum_t \ln p(y_t \mid y_1, \ldots, y_{t-1}, x)"),
        number("weight", r"\mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right)"),
        number("leak"),
        table(columns="columns", rows="rows", marked="best"),
        heat(id="formula", values="self_looks", rows="source", columns="source", domain="unit"),
        curve(series=[{"value": "log_p", "label": "value.log_p"}]),
    )

    def check(self, s: State) -> None:
        odd = sorted(set(s.word) - set(LETTERS))
        if odd or len(s.word) < 2:
            raise Refusal(
                f"word={s.word!r}: must be 2 to {LONGEST} letters from {LETTERS[0]} to {LETTERS[-1]}.", "word"
            )

    def words(self, s: State) -> list[str]:
        """Return the words to learn from."""
        rng = np.random.default_rng(s.seed)
        return ["".join(rng.choice(list(LETTERS), rng.integers(2, LONGEST + 1))) for _ in range(s.n)]

    def model(self, s: State, epochs: int) -> Any:
        from novum.neural_network import Seq2Seq, TransformerSeq2Seq

        common: dict[str, Any] = {
            "dropout": 0.0,
            "max_length": LONGEST_ANSWER,
            "max_epochs": epochs,
            "batch_size": 32,
            "learning_rate": s.rate,
            "schedule": "constant",
            "patience": None,
            "device": "cpu",
            "random_state": s.seed,
        }
        if s.network == "recurrent":
            return Seq2Seq(attention="dot", **common)
        return TransformerSeq2Seq(width=32, n_heads=int(s.heads), n_layers=1, **common)

    def frames(self, s: State) -> Iterator[Frame]:
        words = self.words(s)
        targets = [word[::-1] for word in words] if s.task == "reverse" else words
        wanted = s.word[::-1] if s.task == "reverse" else s.word
        self_looks, leak = formula(s)
        fixed = {
            "source": list(s.word),
            "unit": [0, 1],
            "self_looks": self_looks,
            "columns": ["label.answer", "label.log_p"],
        }
        for step in passes(self.model(s, s.epochs), words, targets):
            n, model = step.n, step.fitted
            if n == 0:
                continue
            answers = model.candidates([s.word], BEAM)[0]
            answer, log_p = model.candidates([s.word], 1)[0]
            answer, log_p = answer[0], float(log_p[0])
            looks = model.attention_maps([s.word], [answer])[0]
            weights = looks.mean()
            drawn = {
                "looks": weights,
                "answer": ["■" if one == looks.target[-1] else one for one in looks.target],
                "rows": [[one or "∅", float(p)] for one, p in zip(answers.sequence, answers.log_prob)],
                "best": [0],
                "looking": [],
            }
            values = {"log_p": log_p, "weight": float(weights.max(axis=1).mean()), "leak": leak}
            said = {"n": n, "answer": answer or "∅", "log_p": log_p, "wanted": wanted}
            yield Frame(n, values, {**fixed, **drawn}, ("right" if answer == wanted else "wrong", said), "train")
        for t, row in enumerate(weights):
            at = int(row.argmax())
            looked = {"looking": [[t, at]]}
            said = {
                "t": t + 1,
                "symbol": drawn["answer"][t],
                "at": at + 1,
                "letter": s.word[at],
                "weight": float(row[at]),
            }
            values = {"log_p": log_p, "weight": float(row[at]), "leak": leak}
            ends = t == len(weights) - 1
            yield Frame(n + 1 + t, values, {**fixed, **drawn, **looked}, ("ends" if ends else "writes", said), "decode")

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s, min(n, s.epochs))
        return python_script(
            [
                f"rng = np.random.default_rng({s.seed})",
                "words = [",
                f'    "".join(rng.choice(list({LETTERS!r}), rng.integers(2, {LONGEST + 1}))) for _ in range({s.n})',
                "]",
                "targets = [word[::-1] for word in words]" if s.task == "reverse" else "targets = words",
                f"from novum.neural_network import {type(model).__name__}",
                f"model = {code_of(model)}.fit(words, targets)",
                f"print(float(model.candidates([{s.word!r}], 1)[0].log_prob[0]))",
            ]
        )


def formula(s: State) -> tuple[Any, float]:
    """Return where the letters look by the formula alone, their places as vectors, and how much of it is ahead of them."""
    from novum.neural_network import positional_encoding
    from novum.teaching import causal_mask, scaled_dot_attention

    places = positional_encoding(len(s.word), WIDTH)
    _, weights = scaled_dot_attention(places, places, places, causal_mask(len(places)) if s.mask else None)
    return weights, float(np.triu(weights, 1).sum(axis=1).mean())
