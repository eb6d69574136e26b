"""Naive Bayes on text, word by word: every word adds its log-odds, and their sum decides the topic."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import code_of, literal, python_script
from novum.lab.controls import Refusal, Slider, Table, Text, Toggle
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, number, table

DOCUMENTS = (
    ("sport", "the team won the match"),
    ("sport", "a fast player scored two goals"),
    ("sport", "the match was a final"),
    ("sport", "the final goals of the season"),
    ("market", "the market fell two points"),
    ("market", "a fast market and a falling price"),
    ("market", "the price of the shares fell"),
)
DRAWN = 6  # words of the graph


class WordSteps(Scene):
    name = "naive-bayes-text"
    family = "classifiers"
    rows = ("000-b/11/multinomial-nb", "000-b/11/ex-topic-word-table", "000-b/11/plot-nb")
    documents = Table(("topic", "text"), DOCUMENTS, most=40, max_length=80)
    sentence = Text(120, "the price of the final match fell")
    alpha = Slider(0.01, 10.0, 1.0, log=True)
    equal = Toggle(False)
    views = (
        bars(values="terms", labels="words", horizontal=True, marked="now"),
        number("odds", r"\ln \frac{P(c_1)}{P(c_2)} + \sum_w n_w \ln \frac{P(w \mid c_1)}{P(w \mid c_2)}"),
        number("first"),
        number("second"),
        number("posterior"),
        curve(series=[{"value": "posterior", "label": "value.posterior"}]),
        table(id="chances", columns="columns", rows="chances", marked="row", span=2),
        graph(nodes="nodes", edges="edges", span=2),
        table(id="training", columns="document_columns", rows="documents", edit="documents", span=2),
    )

    def check(self, s: State) -> None:
        topics = {row[0] for row in s.documents}
        if len(topics) != 2:
            raise Refusal(f"documents: there must be two topics, not {len(topics)}.", "documents")
        if not any(len(word) > 1 for row in s.documents for word in row[1].split()):
            raise Refusal("documents: no text has a word of two letters or more.", "documents")

    def model(self, s: State) -> Any:
        from novum.naive_bayes import MultinomialNB

        return MultinomialNB(alpha=s.alpha, fit_prior=not s.equal)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.feature_extraction.text import CountVectorizer

        topics, texts = zip(*s.documents)
        counter = CountVectorizer()
        try:
            X = counter.fit_transform(texts)
        except ValueError as error:
            raise Refusal(f"documents: {error}.", "documents") from error
        model = self.model(s).fit(X, topics)
        vocabulary = counter.get_feature_names_out().tolist()
        said_words = counter.build_analyzer()(s.sentence)
        first, second = model.classes_.tolist()
        log_theta, prior = model.feature_log_prob_, model.class_log_prior_
        each = [float(log_theta[0, place] - log_theta[1, place]) for place in range(len(vocabulary))]
        listed = [
            [word, *map(int, model.feature_count_[:, j]), *map(float, np.exp(log_theta[:, j])), each[j]]
            for word in dict.fromkeys(said_words)
            if word in vocabulary
            for j in [vocabulary.index(word)]
        ]
        terms, words = [float(prior[0] - prior[1])], [f"P({first}) : P({second})"]
        before = 0.0
        for n in range(len(said_words) + 1):
            word = said_words[n - 1] if n else ""
            known = word in vocabulary
            if n:
                terms.append(each[vocabulary.index(word)] if known else 0.0)
                words.append(word)
            counts = counter.transform([" ".join(said_words[:n])])
            joint = model.predict_joint_log_proba(counts)[0]
            odds = float(joint[0] - joint[1])
            winner = first if odds >= 0 else second
            drawn = {
                "terms": np.array(terms),
                "words": list(words),
                "now": [n],
                "columns": ["", "n₁", "n₂", "P₁", "P₂", "ln P₁/P₂"],
                "chances": listed,
                "row": [i for i, row in enumerate(listed) if row[0] == word],
                "document_columns": list(self.controls["documents"].columns),  # type: ignore[attr-defined]
                "documents": s.documents,
                **network(said_words, n),
            }
            values = {
                "odds": odds,
                "first": float(joint[0]),
                "second": float(joint[1]),
                "posterior": float(model.predict_proba(counts)[0, 0]),
            }
            key = "prior" if n == 0 else "unknown" if not known else "turned" if odds * before < 0 else "word"
            said = {"word": word, "by": terms[-1], "odds": odds, "topic": winner, "first": first, "second": second}
            yield Frame(n, values, drawn, (key, {**said, "toward": first if terms[-1] >= 0 else second}))
            before = odds

    def script(self, s: State, n: int, part: str) -> str:
        topics, texts = (list(column) for column in zip(*s.documents))
        return python_script(
            [
                "from novum.feature_extraction.text import CountVectorizer\nfrom novum.naive_bayes import MultinomialNB",
                f"texts = {literal(texts)}\ntopics = {literal(topics)}",
                "counter = CountVectorizer()",
                f"model = {code_of(self.model(s))}.fit(counter.fit_transform(texts), topics)",
                f"words = counter.build_analyzer()({s.sentence!r})[:{n}]",
                'joint = model.predict_joint_log_proba(counter.transform([" ".join(words)]))[0]',
                "print(float(joint[0] - joint[1]))",
            ]
        )


def network(words: list[str], n: int) -> dict[str, Any]:
    """Return the model as a graph: the topic, and an arc to every word of the sentence, each word drawn once."""
    shown = list(dict.fromkeys(words))[:DRAWN]
    seen = set(words[:n])
    nodes = [{"id": "\u2009C", "label": "C", "x": 0.5, "y": 0.1, "role": "query"}]
    for j, word in enumerate(shown):
        role = "active" if n and words[n - 1] == word else "observed" if word in seen else "plain"
        nodes.append({"id": word, "x": (j + 0.5) / len(shown), "y": 0.85, "role": role})
    return {"nodes": nodes, "edges": [{"from": "\u2009C", "to": word} for word in shown]}
