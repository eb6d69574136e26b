"""The gain table with the notes' numbers, at the root and below, for categories and for numbers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from novum.datasets import load_go_to_lesson, load_play_tennis
from novum.exceptions import DataError, ParameterError
from novum.information import mutual_information
from novum.tree import ID3, DecisionTreeRegressor, information_gain_table

tennis, played = load_play_tennis(return_X_y=True, as_frame=True)
lesson, goes = load_go_to_lesson(return_X_y=True, as_frame=True)


@pytest.mark.notes("001", "info-gain")
@pytest.mark.notes("001", "split-criteria-alternatives")
def test_play_tennis():
    table = information_gain_table(tennis, played)
    assert table.attributes == ["Outlook", "Temperature", "Humidity", "Wind"] and table.best == "Outlook"
    assert information_gain_table(tennis[tennis.columns[::-1]], played).best == "Outlook"  # wherever it stands
    assert_allclose(table.gain, [0.246750, 0.029223, 0.151836, 0.048127], atol=5e-7)
    assert_allclose(table.split_entropy, [1.577406, 1.556657, 1, 0.985228], atol=5e-7)
    assert_allclose(table.gain_ratio, [0.156428, 0.018773, 0.151836, 0.048849], atol=5e-7)
    assert_allclose(table.gini - table.gini_gain, [0.342857, 0.440476, 0.367347, 0.428571], atol=5e-7)
    assert_allclose([table.entropy, table.gini, table.weight], [0.940286, 0.459184, 14], atol=5e-7)


@pytest.mark.notes("001", "attribute-partition")
def test_subsets_by_wind():
    part = information_gain_table(tennis, played).partition("Wind")
    assert part.values == ["Weak", "Strong"] and part.classes == ["No", "Yes"]
    assert part.counts.tolist() == [[2, 6], [3, 3]]
    assert_allclose(part.entropy, [0.811278, 1], atol=5e-7)
    assert part.to_frame().loc["Weak", "Yes"] == 6 and "<td>Weak</td>" in part._repr_html_()
    weight = np.arange(1.0, 15)  # rows that count several times: subsets by every attribute, added up one by one
    table = information_gain_table(tennis, played, sample_weight=weight)
    for name in tennis.columns:
        part = table.partition(name)
        for i, value in enumerate(part.values):
            counts = [
                weight[((tennis[name] == value) & (np.asarray(played) == c)).to_numpy()].sum() for c in part.classes
            ]
            assert_allclose(part.counts[i], counts)
            share = np.array(counts)[np.array(counts) > 0] / sum(counts)
            assert_allclose(part.entropy[i], -(share * np.log2(share)).sum(), atol=1e-12)


@pytest.mark.notes("001", "info-gain")
def test_gain_of_weighted_rows_below_the_root():
    tree, weight = ID3().fit(tennis, played), np.arange(1.0, 15)
    sunny, labels = (tennis["Outlook"] == "Sunny").to_numpy(), np.asarray(played)

    def entropy(mask):
        share = np.array([weight[mask & (labels == c)].sum() for c in ("No", "Yes")]) / weight[mask].sum()
        return -sum(p * np.log2(p) for p in share if p > 0)

    node = tree.tree_.branches(0)[0]
    table = information_gain_table(tennis, played, tree=tree, node=node, sample_weight=weight)
    for name, gain in zip(tennis.columns, table.gain):
        parts = [sunny & (tennis[name] == value).to_numpy() for value in set(tennis[name][sunny])]
        left = sum(weight[part].sum() * entropy(part) for part in parts) / weight[sunny].sum()
        assert_allclose(gain, entropy(sunny) - left, atol=1e-12)
    assert information_gain_table(tennis.assign(Day="same"), played).gain[-1] == 0  # one value splits nothing
    rows, answer = pd.DataFrame({"A": ["a", "b", "b", None], "B": ["u", "u", "u", "v"]}), ["yes", "no", "no", "no"]
    parted = ID3(missing="fractional").fit(rows, answer)  # a third of the last row goes to "a", and is no branch
    table = information_gain_table(rows, answer, tree=parted, node=parted.tree_.branches(0)[0])
    assert table.weight == pytest.approx(4 / 3) and table.gain.tolist() == [0, 0]


@pytest.mark.notes("001", "id3")
def test_below_the_root():
    tree = ID3().fit(tennis, played)
    sunny, _, rain = tree.tree_.branches(0)
    gains = dict(zip(tennis.columns, information_gain_table(tennis, played, tree=tree, node=sunny).gain))
    assert_allclose(
        [gains[n] for n in ("Humidity", "Temperature", "Wind", "Outlook")], [0.971, 0.571, 0.020, 0], atol=5e-4
    )
    gains = dict(zip(tennis.columns, information_gain_table(tennis, played, tree=tree, node=rain).gain))
    assert_allclose([gains[n] for n in ("Wind", "Temperature", "Humidity")], [0.971, 0.020, 0.020], atol=5e-4)


@pytest.mark.notes("000-a", "information-gain")
@pytest.mark.notes("000-a", "split-entropy")
@pytest.mark.notes("000-a", "gain-ratio")
def test_going_to_the_lesson():
    table = information_gain_table(lesson.assign(Id=[f"r{i}" for i in range(12)]), goes)
    assert_allclose(table.gain, [0.251629, 0.093285, 0.093285, 0.918296], atol=5e-7)
    assert_allclose(table.split_entropy, [1.584963, 1, 1, 3.584963], atol=5e-7)
    assert_allclose(table.gain_ratio, [0.158760, 0.093285, 0.093285, 0.256152], atol=5e-7)
    assert_allclose(table.entropy, 0.918296, atol=5e-7)
    assert_allclose(table.gain[0], mutual_information(labels=(lesson["Outlook"].astype(str), goes)), rtol=1e-12)
    constant = information_gain_table(np.zeros((4, 1)), [0, 1, 0, 1], categorical_features=[0])
    assert constant.gain_ratio.tolist() == [0] and constant.partition("feature_0").counts.tolist() == [[2, 2]]


@pytest.mark.notes("000-a", "dt-threshold")
@pytest.mark.notes("001", "continuous-split")
def test_thresholds_of_a_number():
    degrees = pd.DataFrame({"Temperature": [72.0, 40, 48, 60, 80, 90]})
    table = information_gain_table(degrees, ["Y", "N", "N", "Y", "Y", "N"])
    assert table.threshold.tolist() == [54] and table.partition("Temperature").values == ["<= 54", "> 54"]
    every = table.thresholds("Temperature")
    assert every.threshold.tolist() == [44, 54, 66, 76, 85]
    assert_allclose(every.gain, [0.190875, 0.459148, 0.081704, 0, 0.190875], atol=5e-7)
    assert "threshold" in repr(table) and "<= 54" in repr(every) and every.to_frame().shape == (5, 2)


@pytest.mark.notes("001", "missing-values")
def test_missing_cells():
    cells = pd.DataFrame({"Outlook": ["Sunny", "Sunny", None, "Rain"]})
    label = ["Yes", "Yes", "No", "No"]
    gain = {m: information_gain_table(cells, label, missing=m).gain[0] for m in ("fill", "fill_by_class", "fractional")}
    assert_allclose(gain["fill"], 0.311278, atol=5e-7)
    assert_allclose([gain["fill_by_class"], gain["fractional"]], [1, 0.918296 * 3 / 4], atol=5e-7)


def test_tables_print_and_refuse():
    table = information_gain_table(tennis, played, sample_weight=np.full(14, 2.0))
    assert table.to_frame().loc["Outlook", "gain"] == table.gain[0] and table.weight == 28
    assert "<th>gain ratio</th>" in table._repr_html_() and "largest gain: Outlook" in repr(table)
    with pytest.raises(ParameterError, match="no attribute 'Sky'"):
        table.partition("Sky")
    with pytest.raises(ParameterError, match="need tree="):
        information_gain_table(tennis, played, node=3)
    with pytest.raises(ParameterError, match="the tree has nodes 0 to 7"):
        information_gain_table(tennis, played, tree=ID3().fit(tennis, played), node=8)
    with pytest.raises(ParameterError, match="give a fitted DecisionTreeClassifier"):
        information_gain_table([[0.0], [1]], [0, 1], tree=DecisionTreeRegressor().fit([[0.0], [1]], [0, 1]))
    with pytest.raises(DataError, match="one output at a time"):
        information_gain_table(tennis, np.column_stack([played, played]))
