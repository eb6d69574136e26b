"""Generative classifiers and Bayes-optimal decisions on the small data of the notes."""

from typing import Any

import numpy as np

from novum.notes.stops.registry import stop

TWO_CLASSES = np.array([[1.0, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7], [7, 6]])
LABELS = [1, 1, 1, 2, 2, 2, 2]


def tennis_no(smoothing: dict) -> float:
    """Return P(No) of a sunny, cool, humid and windy day."""
    from sklearn.preprocessing import OrdinalEncoder

    from novum.datasets import load_play_tennis
    from novum.naive_bayes import CategoricalNB

    data = load_play_tennis()
    coder = OrdinalEncoder().fit(np.asarray(data.data))
    model = CategoricalNB(**smoothing).fit(coder.transform(np.asarray(data.data)), data.target)
    day = coder.transform(np.array([["Sunny", "Cool", "High", "Strong"]], dtype=object))
    return float(model.predict_proba(day)[0, model.classes_.tolist().index("No")])


@stop("001", "3.2", "PlayTennis, sunny cool humid windy: P(No)", reference=0.795417, remark="naive Bayes")
def tennis_day() -> Any:
    return tennis_no({"alpha": 0})


@stop("001", "3.2", "... with the m-estimate, m = 3", reference=0.696203, remark="naive Bayes")
def tennis_smoothed() -> Any:
    return tennis_no({"prior_strength": 3})


@stop("001", "3.2", "Bayes optimal: P(-), while the MAP says +", reference=0.6, remark="posterior .4 .3 .3")
def bayes_optimal() -> Any:
    from novum.decision_theory import HypothesisPosterior

    says = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    return float(HypothesisPosterior([0.4, 0.3, 0.3], says, outcomes=["+", "-"]).predictive("-"))


@stop("001", "3.2", "a document on China: P(China)", reference=0.689758, remark="3.0121e-4 against 1.3548e-4")
def chinese_document() -> Any:
    from novum.feature_extraction.text import CountVectorizer
    from novum.naive_bayes import MultinomialNB

    words = CountVectorizer()
    texts = ["chinese beijing chinese", "chinese chinese shanghai", "chinese macao", "tokyo japan chinese"]
    model = MultinomialNB().fit(words.fit_transform(texts), ["china", "china", "china", "japan"])
    return float(model.predict_proba(words.transform(["chinese chinese chinese tokyo japan"]))[0, 0])


@stop("001", "3.3", "LDA: log-odds of class 1 at (4, 5)", reference=3.952155, remark="the proof's sign gives 4.527519")
def linear_log_odds() -> Any:
    from novum.discriminant_analysis import LinearDiscriminantAnalysis

    model = LinearDiscriminantAnalysis().fit(TWO_CLASSES, LABELS)
    return float(model.log_odds([[4.0, 5.0]], positive=1, negative=2)[0])


@stop("001", "3.3", "LDA: first weight of class 1 against 2", reference=-8.621951, remark="computed apart")
def linear_weight() -> Any:
    from novum.discriminant_analysis import LinearDiscriminantAnalysis

    return float(LinearDiscriminantAnalysis().fit(TWO_CLASSES, LABELS).linear_form(1, 2).weights[0])


@stop("002", "P1.3", "loss matrix: P(cancer) from which to treat", reference=1 / 1001, remark="a miss costs 1000")
def treatment_threshold() -> Any:
    from novum.decision_theory import expected_losses

    shares = np.array([[0.0, 1.0], [1.0, 0.0]])  # losses are linear in P(cancer): two points give the crossing
    healthy, cancer = expected_losses(shares, np.array([[0.0, 1000.0], [1.0, 0.0]])) @ [1.0, -1.0]
    return float(healthy / (healthy - cancer))
