"""Information gain by counting, one round of boosting, impurities and a regression tree."""

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from novum.datasets import load_go_to_lesson, load_play_tennis
from novum.ensemble import AdaBoostClassifier, RandomForestClassifier
from novum.information import entropy, mutual_information
from novum.notes.stops.registry import stop
from novum.tree import ID3, DecisionTreeRegressor, export_dnf, impurity, information_gain_table


def gain(table: Any, name: str) -> float:
    """Return the information gain of a column of a Bunch: what it and the target share."""
    return mutual_information(labels=(table.data[:, table.feature_names.index(name)], table.target))


@stop(
    "000", "2.1", "go to the lesson: gain of Outlook", reference=0.251629, remark="greedy root, gives the formula back"
)
def lesson() -> Any:
    return gain(load_go_to_lesson(), "Outlook")


@stop(
    "000",
    "17.4",
    "AdaBoost, 20 of 100 wrong: weight of round one",
    reference=np.log(4) / 2,
    remark="the formula (log 4) / 2 of the page",
)
def boosting() -> Any:
    X, y = np.zeros((100, 1)), np.repeat([1, -1], [80, 20])
    return float(
        AdaBoostClassifier(DummyClassifier(strategy="prior"), n_estimators=2).fit(X, y).estimator_weights_[0] / 2
    )


@stop("002", "P1.7", "AdaBoost, stumps on six points: votes", reference=np.log(30), remark="log 2 + log 3 + log 5")
def six_points() -> Any:
    X, y = np.arange(6.0)[:, None], [1, 1, -1, -1, 1, 1]
    return float(AdaBoostClassifier(n_estimators=3).fit(X, y).estimator_weights_.sum())


@stop("001", "2.1", "PlayTennis: entropy", printed=".94")
def tennis_entropy() -> Any:
    return entropy(labels=load_play_tennis().target)


@stop("001", "2.1", "... gain of Wind", printed=".048")
def tennis_wind() -> Any:
    return gain(load_play_tennis(), "Wind")


@stop("001", "2.1", "... gain of Temperature", printed=".029")
def tennis_temperature() -> Any:
    return gain(load_play_tennis(), "Temperature")


@stop("001", "2.1", "... gain of Outlook", printed=".245", reference=0.246750, erratum="001-2.1")
def tennis_outlook() -> Any:
    return gain(load_play_tennis(), "Outlook")


@stop("001", "2.1", "... gain ratio of Outlook", reference=0.156428, remark="split entropy 1.577406")
def tennis_ratio() -> Any:
    table = information_gain_table(*load_play_tennis(return_X_y=True, as_frame=True))
    return float(table.gain_ratio[table.attributes.index("Outlook")])


@stop(
    "001",
    "2.1",
    "... the tree of ID3 says Yes if",
    reference="(Outlook = Sunny ∧ Humidity = Normal) ∨ (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak)",
    remark="a formula per class",
)
def tennis_formula() -> Any:
    return repr(export_dnf(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True)))["Yes"])


@stop("000", "2.2.4", "go to the lesson, Outlook missing: P(go)", reference=2 / 3, remark="thirds down three branches")
def lesson_missing() -> Any:
    table = load_go_to_lesson()
    code = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.data.T]).astype(float)
    model = ID3(missing="fractional", categorical_features=[0, 1, 2]).fit(code, table.target)
    return float(model.predict_proba([[np.nan, 0.0, 0.0]])[0, 1])  # covered, practical


@stop("004", "I.9", "Gini impurity of 9 and 5", reference=0.459184)
def gini() -> Any:
    return impurity([9, 5])


@stop(
    "004",
    "I.9",
    "regression tree: weighted variance after the best split",
    reference=0.066667,
    remark="six points, at 6.5",
)
def regression_tree() -> Any:
    x, y = np.array([1.0, 2, 3, 10, 11, 12]), np.array([1, 1.2, 0.8, 5, 5.4, 4.6])
    tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y).tree_
    return float(tree.n_node_samples[1:] @ tree.impurity[1:] / 6)


@stop("004", "I.10", "random forest: columns tried at a node, d = 16", reference=4, remark="sqrt(d)")
def forest_columns() -> Any:
    X, y = np.eye(16), np.arange(16) % 2
    return float(RandomForestClassifier(2, random_state=0).fit(X, y).max_features_)
