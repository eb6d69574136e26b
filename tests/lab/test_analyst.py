"""A study's folder in the lab: what its pages say is what the study found, and a folder that is none gets a sentence."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from lab.answers import array
from lab.schema_check import problems
from sklearn.datasets import load_breast_cancer, load_diabetes

import novum
from novum.evaluation import corrected_test, wilson_interval
from novum.lab.analyst.folder import open_study
from novum.lab.analyst.pages import PAGES, answer_of, study_info
from novum.lab.analyst.what_if import studied_model
from novum.lab.controls import Refusal
from novum.lab.protocol.schema import ARRAYS, CONTROL
from novum.lab.server.assets import LANGUAGES, words_in
from novum.study import Study, predict_table
from novum.study.insight.contributions import explain_table

TOKEN = "0" * 32


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of a study of two classes and of one of numbers."""
    made = tmp_path_factory.mktemp("studies")
    cancer = load_breast_cancer(as_frame=True).frame.iloc[:300, [0, 1, 2, 30]]
    cancer["target"] = np.where(cancer["target"] == 0, "ill", "well")
    cancer["scanned"] = np.arange(300) % 5 < 2
    cancer["side"] = np.where(np.arange(300) % 3 == 0, "left", "right")
    patients = load_diabetes(as_frame=True).frame.iloc[:200, [0, 2, 3, 10]]
    for name, table, models in (
        ("cancer", cancer, ["GaussianNB", "LDA"]),
        ("patients", patients, ["Ridge", "KNeighbors"]),
    ):
        study = Study(table, "target", models=models, folds=3, repeats=1, tune=False, ensemble=False, time_limit=300)
        study.run().write_report(made / name)
    return made


@pytest.fixture(scope="module")
def client(folders):
    testing = pytest.importorskip("starlette.testclient")
    from novum.lab.server.app import LabServer

    server = LabServer(TOKEN, 8000, study=folders / "cancer")
    with testing.TestClient(server, base_url="http://127.0.0.1:8000", headers={"x-novum-token": TOKEN}) as made:
        yield made


def page(folders, name, study="cancer", **state):
    return answer_of(str(folders / study), name, state)


def held_rows(folder):
    """Return the truth and the probability of the positive class of the rows put away, from the file itself."""
    document = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    table = pq.read_table(folder / "unseen.parquet").to_pandas()
    held = table[table["part"] == "held"]
    place = [one["name"] for one in document["leaderboard"]].index(document["kept"]["name"])
    positive = document["task"]["labels"][document["task"]["positive"]]
    return (held["y"] == positive).to_numpy(), held[f"m{place}:{positive}"].to_numpy()


def test_the_leaderboard_is_that_of_the_study(folders):
    document = json.loads((folders / "cancer" / "study.json").read_text(encoding="utf-8"))
    second = document["leaderboard"][1]
    answer = page(folders, "leaderboard", model=second["name"])
    rows = array(answer, "rows")
    assert [row[0] for row in rows] == [one["name"] for one in document["leaderboard"]]
    assert rows[1][1:4] == [second["mean"], second["interval"]["lower"], second["interval"]["upper"]]
    assert array(answer, "scores").tolist() == second["scores"] and answer["values"]["mean"] == second["mean"]
    assert answer["values"]["held_out"] == document["held_out"]["score"]


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 1.0])
def test_thresholds_are_counted_on_rows_put_away(folders, threshold):
    truth, p = held_rows(folders / "cancer")
    costs = [[0.0, 2.0], [7.0, 0.5]]
    answer = page(folders, "thresholds", threshold=threshold, costs=costs)
    hits, calls, found = 0, 0, int(truth.sum())
    total = 0.0
    for y, q in zip(truth, p):
        calls += q >= threshold
        hits += bool(y and q >= threshold)
        total += costs[int(y)][int(q >= threshold)]
    assert answer["values"]["recall"] == hits / found
    assert answer["values"]["precision"] == (hits / calls if calls else None)
    assert answer["values"]["cost"] == pytest.approx(total / len(p), rel=1e-14)
    assert array(answer, "confusion").sum() == len(p) and array(answer, "confusion")[1, 1] == hits
    if 3 < hits < found - 3:
        assert array(answer, "low")[0] == wilson_interval(hits, found).lower
    at = array(answer, "at").tolist().index(threshold)
    assert array(answer, "along_cost")[at] == pytest.approx(answer["values"]["cost"], rel=1e-14)
    ends = [answer["say"][1]["low"], answer["say"][1]["high"]]
    assert [array(answer, "cost_low")[at], array(answer, "cost_high")[at]] == pytest.approx(ends, rel=1e-9)


def test_versus_is_the_corrected_test_and_names_the_rows(folders):
    document = json.loads((folders / "cancer" / "study.json").read_text(encoding="utf-8"))
    a, b = document["leaderboard"][:2]
    answer = page(folders, "versus", a=a["name"], b=b["name"])
    gaps = np.subtract(a["scores"], b["scores"])
    ratio = np.mean([fold["test"] / fold["train"] for fold in document["folds"]])
    statistic = gaps.mean() / np.sqrt((1 / len(gaps) + ratio) * gaps.var(ddof=1))
    test = corrected_test(a["scores"], b["scores"], test_over_train=ratio)
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    assert answer["values"] == {
        "difference": test.difference,
        "p": test.p_value,
        "low": test.interval.lower,
        "high": test.interval.upper,
    }
    table = pq.read_table(folders / "cancer" / "unseen.parquet").to_pandas()
    both = table[table["m0"].notna() & table["m1"].notna()]
    apart = both[both["m0"] != both["m1"]]
    assert array(answer, "rows") == apart[["row", "y", "m0", "m1"]].values.tolist()
    right = array(answer, "right")
    assert right.sum() == len(both) and right[0, 1] == ((apart["m0"] == apart["y"]) & (apart["m1"] != apart["y"])).sum()


def test_numbers_are_compared_row_by_row(folders):
    answer = page(folders, "versus", "patients")
    rows, cloud = array(answer, "rows"), array(answer, "cloud")
    gaps = [abs(row[2] - row[3]) for row in rows]
    assert gaps == sorted(gaps, reverse=True) and cloud.shape[1] == 2
    assert answer["say"][0] == "lower"
    assert study_info(open_study(folders / "patients"))["closed"]["thresholds"] == "analyst.closed.two_classes"


@pytest.mark.parametrize("study", ["cancer", "patients"])
def test_what_if_says_what_the_model_says(folders, study):
    model = novum.load(folders / study / "model.novum")
    first = page(folders, "what-if", study)
    moved = next(one for one in first["controls"] if one["name"] == "c1")
    assert moved["warn"][0] > moved["min"] and moved["warn"][1] < moved["max"]
    answer = page(folders, "what-if", study, c1=moved["warn"][1], column=moved["title"], level=0.8)
    titles = {one["name"]: one["title"] for one in answer["controls"] if "title" in one}
    row = pd.DataFrame({title: [answer["state"][name]] for name, title in titles.items()})
    classes = study == "cancer"
    said = predict_table(model, row, proba=classes, level=0.8)
    told = explain_table(model, row)
    assert answer["values"]["said"] == told.said[0] and answer["values"]["base"] == told.base[0]
    assert sorted(array(answer, "parts")) == sorted(told.values[0])
    assert sum(array(answer, "parts")) == pytest.approx(told.said[0] - told.base[0], rel=1e-9, abs=1e-12)
    if classes:
        assert array(answer, "p").tolist() == [p[0] for p in said.probabilities.values()]
        assert answer["say"][1]["set"] == ", ".join(said.reach.sets[0])
    else:
        assert answer["values"]["lower"] == said.reach.lower[0] and answer["values"]["upper"] == said.reach.upper[0]
    cells, line = array(answer, "cells"), array(answer, "line")
    other = predict_table(model, row.assign(**{moved["title"]: cells[7]}), proba=classes)
    assert line[7] == pytest.approx(other.probabilities[told.output[0]][0] if classes else other.values[0], rel=1e-12)
    certain = page(folders, "what-if", study, level=0.99)
    assert certain["values"]["said"] == first["values"]["said"]


@pytest.mark.parametrize("study", ["cancer", "patients"])
def test_every_page_is_as_the_protocol_says_and_has_its_words(folders, study):
    info = study_info(open_study(folders / study))
    assert set(info["pages"]) == set(PAGES)
    keys = {f"analyst.page.{name}" for name in PAGES} | set(info["closed"].values())
    for name in PAGES:
        if name in info["closed"]:
            continue
        answer = json.loads(json.dumps(page(folders, name, study), allow_nan=False))
        assert problems(answer["arrays"], ARRAYS) == []
        own = f"analyst.{name}"
        keys |= {f"{own}.question", f"{own}.say.{answer['say'][0]}"}
        for control in answer["controls"]:
            assert problems(control, CONTROL) == []
            keys |= set() if "title" in control else {f"{own}.control.{control['name']}"}
        assert len({view["id"] for view in answer["views"]}) == len(answer["views"])
        for view in answer["views"]:
            keys.add(f"{own}.view.{view['id']}")
            bound = {
                view[key]
                for key in ("points", "lines", "values", "rows", "columns", "middle", "low", "high", "x")
                if key in view
            }
            bound |= {one[key] for one in view.get("series", []) for key in ("array", "low", "high") if key in one}
            assert bound <= set(answer["arrays"]) and view.get("value", "") in {"", *answer["values"]}
            keys |= {f"{own}.{one['label']}" for one in view.get("series", [])}
        keys |= {f"{own}.{text}" for text in re.findall(r'"(label\.\w+)"', json.dumps(answer["arrays"]))}
        placeholders = set(re.findall(r"\{(\w+)[},]", words_in("en")[f"{own}.say.{answer['say'][0]}"]))
        assert placeholders <= set(answer["say"][1])
    for language in LANGUAGES:
        assert keys - set(words_in(language)) == set()


def test_languages_say_the_same_of_a_study():
    first, second = ({k: v for k, v in words_in(one).items() if k.startswith("analyst.")} for one in LANGUAGES)
    assert set(first) == set(second)
    for key, text in first.items():
        assert set(re.findall(r"\{(\w+)[},]", text)) == set(re.findall(r"\{(\w+)[},]", second[key])), key


@pytest.mark.parametrize(
    ("name", "state", "control"),
    [
        ("leaderboard", {"model": "nobody"}, "model"),
        ("leaderboard", {"model": ["LDA"]}, "model"),
        ("leaderboard", {"path": "/etc/passwd"}, None),
        ("leaderboard", [], None),
        ("thresholds", {"threshold": 2}, "threshold"),
        ("thresholds", {"costs": [[0, 1]]}, "costs"),
        ("thresholds", {"costs": [[0, 1], [float("inf"), 0]]}, "costs"),
        ("dependence", {"column": "target"}, "column"),
        ("what-if", {"c0": "1; import os"}, "c0"),
        ("what-if", {"c99": 1}, None),
        ("what-if", {"column": "target"}, "column"),
    ],
)
def test_a_value_outside_its_domain_is_refused(folders, name, state, control):
    with pytest.raises(Refusal) as caught:
        answer_of(str(folders / "cancer"), name, state)
    assert caught.value.control == control


def damaged(folders, tmp_path, change):
    """Return a copy of a study's folder whose study.json was changed."""
    copy = shutil.copytree(folders / "cancer", tmp_path / "copy")
    document = json.loads((copy / "study.json").read_text(encoding="utf-8"))
    changed = change(document)
    text = changed if isinstance(changed, str) else json.dumps(document)
    (copy / "study.json").write_text(text, encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: "{", "not JSON"),
        (lambda d: "[" * 100_000, "not JSON"),
        (lambda d: '{"format": NaN}', "not JSON"),
        (lambda d: d.update(format=99), "format 1"),
        (lambda d: d.update(name=3), ".name"),
        (lambda d: d.update(leaderboard=[]), ".leaderboard"),
        (lambda d: d["leaderboard"].append(d["leaderboard"][0]), ".leaderboard"),
        (lambda d: d["leaderboard"][0].update(scores=[1.0]), ".scores"),
        (lambda d: d["leaderboard"][0].update(mean="1"), ".mean"),
        (lambda d: d["kept"].update(name="another"), ".kept.name"),
        (lambda d: d["task"].update(positive=7), ".positive"),
        (lambda d: d["curve"].update(sizes=[1, 2, 3, 4, 5, 6, 7, 8, 9]), ".curve"),
        (lambda d: d["dependences"][0].update(mean=[0.0]), ".dependences"),
        (lambda d: d["leaderboard"].reverse(), "does not belong"),
        (lambda d: d["task"].update(labels=["a", "b"]), "does not belong"),
    ],
)
def test_a_folder_that_is_no_study_gets_a_sentence(folders, tmp_path, change, words):
    with pytest.raises(Refusal, match=re.escape(words)):
        open_study(damaged(folders, tmp_path, change))


def test_a_broken_table_of_predictions_gets_a_sentence(folders, tmp_path):
    copy = damaged(folders, tmp_path, lambda d: None)
    (copy / "unseen.parquet").write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    with pytest.raises(Refusal, match="cannot be read as Parquet"):
        open_study(copy)
    (copy / "unseen.parquet").unlink()
    (copy / "model.novum").write_bytes(b"no model")
    with pytest.raises(Refusal, match=r"model\.novum"):
        answer_of(str(copy), "what-if", {})
    shutil.copy(folders / "patients" / "model.novum", copy / "model.novum")
    studied_model.cache_clear()
    with pytest.raises(Refusal, match="does not belong"):
        answer_of(str(copy), "what-if", {})
    assert study_info(open_study(copy))["closed"]["thresholds"] == "analyst.closed.no_unseen"
    with pytest.raises(Refusal, match=r"no study\.json"):
        open_study(tmp_path)


def test_the_server_answers_for_the_study_it_was_given(client, folders):
    assert client.get("/api/scenes").json()["study"]["pages"] == list(PAGES)
    answer = client.post("/api/study/thresholds", json={"v": 1, "state": {"threshold": 0.3}})
    assert answer.status_code == 200 and answer.json() == json.loads(
        json.dumps(page(folders, "thresholds", threshold=0.3))
    )
    for path, body, status in (
        ("/api/study/nothing", {"v": 1}, 404),
        ("/api/study/take-away", {"v": 1}, 404),
        ("/api/study/rows", {"v": 1}, 422),
        ("/api/study/script", {"v": 1, "form": "shell"}, 422),
        ("/api/study/script", {"v": 1, "state": [1]}, 422),
        ("/api/study/script", {"v": 1, "state": {"what-if": {"c0": "1; import os"}}}, 422),
        ("/api/study/versus", {"v": 2}, 422),
        ("/api/study/versus", {"v": 1, "folder": "/etc"}, 422),
        ("/api/study/versus", {"v": 1, "state": {"a": "../x"}}, 422),
    ):
        refused = client.post(path, json=body)
        assert refused.status_code == status and set(refused.json()) == {"sentence", "control"}
    bare = client.post("/api/study/versus", json={"v": 1}, headers={"x-novum-token": "1" * 32})
    assert bare.status_code == 401
    assert client.post("/api/study/versus", json={"v": 1}, headers={"host": "evil.example"}).status_code == 400
    assert client.post("/api/study/versus", json={"v": 1}, headers={"origin": "http://evil.example"}).status_code == 403


def test_the_command_says_why_a_folder_cannot_be_opened(tmp_path):
    from typer.testing import CliRunner

    from novum.cli import application

    result = CliRunner().invoke(application("lab"), ["lab", str(tmp_path), "--no-browser"])
    assert result.exit_code == 2 and "there is no study.json" in result.output
