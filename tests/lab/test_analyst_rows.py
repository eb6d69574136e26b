"""Pages that need the rows of the table, and curves on the rows put away: their numbers against the formula and scikit-learn."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from lab.answers import array
from sklearn.calibration import calibration_curve
from sklearn.compose import make_column_transformer
from sklearn.metrics import average_precision_score, brier_score_loss, precision_recall_curve, roc_auc_score, roc_curve
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import novum
from novum.evaluation import clopper_pearson_interval, delong_interval
from novum.lab.analyst.flip import Candidate, candidates, smallest_changes
from novum.lab.analyst.folder import study_in
from novum.lab.analyst.nearest import squared_distances
from novum.lab.analyst.pages import answer_of, study_info
from novum.lab.analyst.table_rows import data_rows, in_slice
from novum.lab.analyst.what_if import model_of
from novum.lab.controls import Refusal
from novum.study import Study, predict_table, read_table

CITIES = ["Forlì", "Zürich", "São Paulo"]


def patients(n=420):
    rng = np.random.default_rng(11)
    age, city = rng.normal(50, 12, n).round(1), rng.choice(CITIES, n)
    ill = age + 10 * (city == "Forlì") + rng.normal(0, 6, n) > 55
    ill = np.where((city == "Zürich") & (rng.random(n) < 0.45), ~ill, ill)  # a slice in which any model errs
    frame = pd.DataFrame({"età": age, "città": city, "esito": np.where(ill, "malato", "sano")})
    frame["since"] = [f"20{k % 20:02d}-03-0{1 + k % 9}" for k in range(n)]
    frame.loc[::25, "età"] = np.nan
    frame.loc[::40, "città"] = None
    return frame


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    patients().to_csv(folder / "pazienti.csv", index=False)
    options = {"folds": 3, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False, "positive": "malato"}
    table = read_table(folder / "pazienti.csv")
    Study(table, "esito", models=["LogisticRegression"], time_limit=600, **options).run().write_report(folder / "out")
    return folder


def page(folder, name, **state):
    return json.loads(json.dumps(answer_of(str(folder / "out"), name, state, str(folder / "pazienti.csv"))))


def held_rows(folder, rows=None):
    """Return truth and probability of the rows put away, from the files themselves."""
    document = json.loads((folder / "out" / "study.json").read_text(encoding="utf-8"))
    place = [one["name"] for one in document["leaderboard"]].index(document["kept"]["name"])
    unseen = pq.read_table(folder / "out" / "unseen.parquet").to_pandas()
    held = unseen[unseen["part"] == "held"]
    held = held if rows is None else held[held["row"].isin(rows)]
    return (held["y"] == "malato").to_numpy(), held[f"m{place}:malato"].to_numpy()


def opened(folder):
    return study_in(folder / "out", folder / "pazienti.csv")


def test_curves_are_those_of_scikit_learn(study):
    truth, p = held_rows(study)
    answer = page(study, "curves", threshold=0.4)
    values, said = answer["values"], p >= 0.4
    assert values["auc"] == pytest.approx(roc_auc_score(truth, p), rel=1e-12)
    assert [values["auc_low"], values["auc_high"]] == pytest.approx(list(delong_interval(truth, p)), rel=1e-12)
    assert values["average_precision"] == pytest.approx(average_precision_score(truth, p), rel=1e-12)
    assert values["average_precision_low"] < values["average_precision"] < values["average_precision_high"]
    assert values["brier"] == pytest.approx(brier_score_loss(truth, p), rel=1e-12)
    assert (values["recall"], values["precision"]) == (said[truth].mean(), truth[said].mean())
    assert values["fall_out"] == said[~truth].mean()
    roc, pr = array(answer, "roc"), array(answer, "pr")
    np.testing.assert_allclose(roc[0]["p"], np.column_stack(roc_curve(truth, p)[:2]), rtol=1e-12)
    precision, recall, _ = precision_recall_curve(truth, p)
    np.testing.assert_allclose(pr[0]["p"], np.column_stack([recall, precision]), rtol=1e-12)
    for curve in (roc, pr):
        low, high = (np.array(line["p"]) for line in curve[1:3])
        assert (low[:, 1] <= high[:, 1]).all() and curve[1]["role"] == "faint"
    bins = int(np.clip(len(p) // 15, 3, 10))
    observed, predicted = calibration_curve(truth, p, n_bins=bins, strategy="quantile")
    np.testing.assert_allclose(array(answer, "forecasts"), np.column_stack([predicted, observed]), rtol=1e-6)


@pytest.mark.parametrize(("share", "t"), [(0.02, 0.5), (0.4, 0.25), (0.9, 0.7)])
def test_another_population_reweights_the_classes(study, share, t):
    truth, p = held_rows(study)
    weight = np.where(truth, share / truth.mean(), (1 - share) / (1 - truth.mean()))
    said = p >= t
    answer = page(study, "population", prevalence=share, threshold=t)
    values = answer["values"]
    assert values["precision"] == pytest.approx(np.average(truth[said], weights=weight[said]), rel=1e-12)
    gain = np.mean(weight * said * np.where(truth, 1.0, -t / (1 - t)))
    assert values["benefit"] == pytest.approx(gain, rel=1e-10, abs=1e-14)
    assert values["precision_low"] < values["precision"] < values["precision_high"]
    assert values["benefit_low"] < values["benefit"] < values["benefit_high"]
    ends = [clopper_pearson_interval(int(said[one].sum()), int(one.sum()), level=0.95**0.5) for one in (truth, ~truth)]
    r, f = ends[0].upper, ends[1].lower
    assert values["precision_high"] == pytest.approx(share * r / (share * r + (1 - share) * f), rel=1e-12)
    at = array(answer, "at").tolist().index(t)
    for name, expected in (("model", values["benefit"]), ("always", share - (1 - share) * t / (1 - t))):
        drawn = expected if expected >= -share else np.nan
        assert array(answer, name)[at] == pytest.approx(drawn, rel=1e-12, abs=1e-14, nan_ok=True)


def test_the_rows_put_away_are_the_population_by_themselves(study):
    truth, p = held_rows(study)
    answer = page(study, "population", threshold=0.5)
    assert answer["values"]["precision"] == pytest.approx(truth[p >= 0.5].mean(), rel=1e-5)
    assert answer["say"][1]["here"] == truth.mean()


def test_rows_are_listed_by_their_loss(study):
    answer, frame = page(study, "rows"), patients()
    rows, names = array(answer, "rows"), array(answer, "columns")[4:]
    assert [row[3] for row in rows] == sorted((row[3] for row in rows), reverse=True)
    for number, truth, said, loss, *cells in rows[:20]:
        assert truth == frame["esito"][number] and (loss > 0.5) == (said != truth)
        for name, cell in zip(names, cells):
            assert cell == frame[name][number] or (cell is None and frame[name].isna()[number])
    assert array(answer, "numbers") == [row[0] for row in rows]
    chosen = page(study, "rows", row=rows[3][0])
    assert array(chosen, "chosen") == [3]


def test_a_slice_is_found_again_and_filters(study):
    found = json.loads((study / "out" / "study.json").read_text())["slices"]["found"]
    words = next(one["words"] for one in found if "Zürich" in one["words"])
    numbers = in_slice(opened(study), words)
    assert set(numbers) == set(np.flatnonzero(patients()["città"] == "Zürich"))
    assert page(study, "rows", slice=words)["values"]["rows"] == next(o["rows"] for o in found if o["words"] == words)
    truth, p = held_rows(study, numbers)
    assert page(study, "thresholds", slice=words, threshold=0.3)["values"]["recall"] == (p >= 0.3)[truth].mean()
    assert page(study, "curves", slice=words)["values"]["auc"] == pytest.approx(roc_auc_score(truth, p), rel=1e-12)
    for wrong in ("città is Roma", 3, ["x"]):
        with pytest.raises(Refusal):
            page(study, "rows", slice=wrong)
    assert "slice" in study_info(opened(study))["shared"]


def test_the_nearest_rows_are_those_of_standardised_columns(study):
    made = data_rows(opened(study))
    known = made.frame.dropna().reset_index(drop=True)
    days = next(name for name in known if name.endswith("(day)"))
    matrix = make_column_transformer((StandardScaler(), ["età", days]), (OneHotEncoder(sparse_output=False), ["città"]))
    X = matrix.fit_transform(known)
    distance, place = NearestNeighbors(n_neighbors=7).fit(X).kneighbors(X[[5]])
    found = squared_distances(known, known.iloc[[5]], made.schema)
    np.testing.assert_allclose(np.sort(found)[:7], distance[0] ** 2, rtol=1e-9, atol=1e-12)
    assert found[place[0]] == pytest.approx(distance[0] ** 2, rel=1e-9, abs=1e-12)
    gap = squared_distances(made.frame, made.frame.iloc[[0]], made.schema)  # the row's age and city are missing
    assert gap[0] == 0 and (gap[1:25] >= 2).all()


def test_a_row_of_the_table_can_be_asked_about(study):
    frame = patients()
    answer = page(study, "what-if", row=7)
    cells = {one["title"]: answer["state"][one["name"]] for one in answer["controls"] if "title" in one}
    assert cells == {"età": frame["età"][7], "città": frame["città"][7], "since": frame["since"][7]}
    near = array(answer, "near_rows")
    assert near[0][0] == 7 and near[0][1] == pytest.approx(0, abs=1e-12) and near[0][2] == frame["esito"][7]
    unseen = pq.read_table(study / "out" / "unseen.parquet").to_pandas().set_index("row")
    assert [row[3] for row in near] == [unseen["m0"][row[0]] for row in near]
    assert answer["notes"][0][0] == "row" and answer["notes"][0][1]["truth"] == frame["esito"][7]
    assert ["gap", {"column": "età"}] in page(study, "what-if", row=25)["notes"]
    for wrong in (-2, 10**6, 1.5, "7", True):
        with pytest.raises(Refusal):
            page(study, "what-if", row=wrong)


def test_the_smallest_change_is_the_smallest_of_all_values(study):
    answer = page(study, "what-if", row=7, turn=True)
    found, frame = model_of(opened(study)), patients()
    row = {name: frame[name][7] for name in found.schema.names}
    said = predict_table(novum.load(study / "out" / "model.novum"), pd.DataFrame([row])).values[0]
    best = {}
    for name, role in zip(found.schema.names, found.schema.roles):
        for one in candidates(name, role, row[name], found.memory, False):
            changed = predict_table(found.model, pd.DataFrame([{**row, name: one.cell}]), unseen=True).values[0]
            if changed != said and one.size < best.get(name, (9.0,))[0]:
                best[name] = (one.size, one.cell)
    listed = array(answer, "turn_rows")
    assert listed and [(one[0], one[2]) for one in listed] == [
        (name, size) for name, (size, _) in sorted(best.items(), key=lambda item: item[1][0])
    ]
    ages = frame["età"].dropna()
    for name, cell, _, decision in listed:
        assert decision != said and (name != "età" or (ages.min() <= float(cell) <= ages.max()))
        assert name != "città" or cell in CITIES
    share = (ages <= row["età"]).mean()
    for one in candidates("età", "number", row["età"], found.memory, False)[::20]:
        assert one.size == pytest.approx(abs((ages <= one.cell).mean() - share), abs=0.01)


def test_two_columns_are_tried_where_one_is_not_enough_and_none_is_said_to_be_none():
    row = {"a": 0, "b": 0, "c": 0}
    choices = {name: [Candidate(k, k / 10) for k in (1, 2, 3)] for name in row}
    both = smallest_changes(lambda rows: [str(r["a"] >= 2 and r["c"] >= 1) for r in rows], row, choices, "False")
    assert (
        both.columns == 2 and both.changes[0].cells == {"a": 2, "c": 1} and both.changes[0].size == pytest.approx(0.3)
    )
    assert both.tried == 9 + 27
    none = smallest_changes(lambda rows: ["x"] * len(rows), row, choices, "x")
    assert (none.columns, none.changes) == (0, []) and none.tried == 36
    assert smallest_changes(lambda rows: ["x"] * len(rows), row, {}, "x").tried == 0


def test_the_command_refuses_a_table_that_was_not_studied(study, tmp_path):
    from typer.testing import CliRunner

    from novum.cli import application

    other = tmp_path / "other.csv"
    patients().assign(età=1.0 + patients()["età"]).to_csv(other, index=False)
    command = ["lab", str(study / "out"), "--no-browser", "--data"]
    result = CliRunner().invoke(application("lab"), [*command, str(other)])
    assert result.exit_code == 2 and "cells of the column 'età' differ" in result.output
    result = CliRunner().invoke(application("lab"), [*command, str(tmp_path / "absent.csv")])
    assert result.exit_code == 2 and "no such file" in result.output
    result = CliRunner().invoke(application("lab"), ["lab", "--no-browser", "--data", str(other)])
    assert result.exit_code == 2 and "name the study's folder" in result.output
