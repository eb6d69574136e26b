"""Information gain by counting, and one round of boosting."""

import numpy as np

from novum.datasets import load_go_to_lesson, load_play_tennis
from novum.information import entropy, mutual_information
from novum.notes.stops.registry import stop


def gain(table, name: str) -> float:
    """Return the information gain of a column of a Bunch: what it and the target share."""
    return mutual_information(labels=(table.data[:, table.feature_names.index(name)], table.target))


@stop(
    "000", "2.1", "go to the lesson: gain of Outlook", reference=0.251629, remark="greedy root, gives the formula back"
)
def lesson():
    return gain(load_go_to_lesson(), "Outlook")


@stop(
    "000",
    "17.4",
    "AdaBoost, 20 of 100 wrong: weight of round one",
    reference=np.log(4) / 2,
    remark="notes: (log 4)/2",
)
def boosting():
    wrong = np.repeat([True, False], [20, 80])
    share = wrong.mean()
    return float(np.log((1 - share) / share) / 2)


@stop("001", "2.1", "PlayTennis: entropy", printed=".94")
def tennis_entropy():
    return entropy(labels=load_play_tennis().target)


@stop("001", "2.1", "... gain of Wind", printed=".048")
def tennis_wind():
    return gain(load_play_tennis(), "Wind")


@stop("001", "2.1", "... gain of Temperature", printed=".029")
def tennis_temperature():
    return gain(load_play_tennis(), "Temperature")


@stop("001", "2.1", "... gain of Outlook", printed=".245", reference=0.246750, erratum="001-2.1")
def tennis_outlook():
    return gain(load_play_tennis(), "Outlook")
