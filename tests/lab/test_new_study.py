"""A table that a page uploads: read, described and studied in a process of its own, which leaves nothing when it is ended."""

import gzip
import json
import re
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from novum.lab.analyst import new
from novum.lab.analyst.new import Upload, controls, options_of
from novum.lab.analyst.page import checked_state, page_answer
from novum.lab.analyst.table import described_table
from novum.lab.controls import Refusal
from novum.lab.server.access import Barred
from novum.lab.server.assets import LANGUAGES, words_in
from novum.lab.server.studies import free_folder, plain_name
from novum.study import read_table

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")


def patients(n=240):
    rng = np.random.default_rng(3)
    age = rng.normal(50, 12, n).round()
    frame = pd.DataFrame(
        {
            "età": age,
            "città": rng.choice(["Forlì", "Zürich"], n),
            "seen": [f"20{k % 20:02d}-01-02" for k in range(n)],
            "ok": np.arange(n) % 2 == 0,
            "esito": np.where(age + rng.normal(0, 8, n) > 52, "malato", "sano"),
        }
    )
    frame.loc[:9, "età"] = np.nan
    return frame


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "pazienti è.csv"
    patients().to_csv(path, index=False)
    return path


class Lab:
    """A lab in a process of its own, started in a folder."""

    def __init__(self, folder, *arguments):
        command = [sys.executable, "-m", "novum", "lab", "--no-browser", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        line = self.process.stdout.readline()
        url, token = re.search(r"(http://127\.0\.0\.1:\d+)/#.*t=([0-9a-f]{32})", line).groups()
        self.client = httpx.Client(base_url=url, headers={"X-Novum-Token": token}, timeout=120)

    def page(self, name="new", **state):
        return self.client.post(f"/api/study/{name}", json={"v": 1, "state": state})

    def upload(self, content, name="t.csv", **more):
        return self.client.post("/api/study/upload", params={"name": name}, content=content, **more)

    def events(self, **state):
        """Yield the events of a study as they come."""
        with self.client.stream("POST", "/api/study/run", json={"v": 1, "state": state}) as answer:
            kind = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    kind = line[7:]
                elif line.startswith("data: "):
                    yield kind, json.loads(line[6:])

    def studying(self):
        """Return the processes that read or study, and what they have started."""
        found = []
        for one in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if "study_process" in " ".join(one.cmdline()) or "loky" in " ".join(one.cmdline()):
                    found.append(one)
            except psutil.Error:
                continue
        return found

    def nothing_runs(self):
        end = time.monotonic() + 15
        while self.studying() and time.monotonic() < end:
            time.sleep(0.1)
        return not self.studying()

    def close(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    made = Lab(tmp_path_factory.mktemp("work"))
    yield made
    made.close()


def test_a_table_is_described_as_it_is_read(table):
    frame, found = patients(), described_table(read_table(table))
    assert found["rows"] == len(frame) and [one["name"] for one in found["columns"]] == list(frame.columns)
    columns = {one["name"]: one for one in found["columns"]}
    assert [one["kind"] for one in found["columns"]] == ["number", "category", "date", "yes/no", "category"]
    for name, one in columns.items():
        assert one["missing"] == frame[name].isna().sum() and one["different"] == frame[name].nunique()
    assert columns["esito"]["task"] == "classification" and columns["età"]["task"] == "regression"
    assert columns["seen"]["task"] == "" and "date" in columns["seen"]["reason"]


def test_the_page_becomes_options_of_a_study(table):
    upload = Upload(described_table(read_table(table)))
    state = checked_state("new", controls(upload, {}), {"use1": False, "use4": False, "apart": "time", "by": "seen"})
    assert options_of(upload, state) == {
        "target": "esito",
        "task": "auto",
        "scoring": None,
        "positive": None,
        "prefer": "accuracy",
        "drop": ["città"],  # the target is never left out
        "time_limit": 60,
        "time": "seen",
    }
    other = {"target": "età", "scoring": "mae"}
    assert options_of(upload, checked_state("new", controls(upload, other), other))["scoring"] == "mae"
    about = {"positive": "malato"}
    assert options_of(upload, checked_state("new", controls(upload, about), about))["positive"] == "malato"
    for wrong in (
        {"positive": "well"},
        {"positive": "malato", "target": "età"},
        {"scoring": "mae"},
        {"target": "nobody"},
        {"seconds": 1e9},
        {"use9": True},
        {"drop": ["età"]},
    ):
        with pytest.raises(Refusal):
            checked_state("new", controls(upload, wrong), wrong)


def test_the_page_has_its_words_in_every_language(table):
    answer = page_answer(new, "new", Upload(described_table(read_table(table))), {})
    steps = "read formalise candidates model train leaderboard keep hold-out limits fair explain look write"
    keys = {f"step.{name}" for name in steps.split()} | {f"view.{view['id']}" for view in answer["views"]}
    keys |= {f"control.{one['name']}" for one in answer["controls"] if "title" not in one}
    keys |= set(re.findall(r'"(label\.[\w./]+)"', json.dumps(answer["arrays"]))) | {f"say.{answer['say'][0]}"}
    for control in answer["controls"]:
        if control["name"] in ("task", "prefer", "apart"):
            keys |= {f"choice.{control['name']}.{choice}" for choice in control["choices"]}
    assert len(keys) > 40
    for language in LANGUAGES:
        assert {f"analyst.new.{key}" for key in keys} - set(words_in(language)) == set()


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("a.csv", "a.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\café.xlsx", "café.xlsx"),
        ("..", "table"),
        ("-", "table"),
        ("", "table"),
        ("a\0b\n<i>.csv", "a_b__i_.csv"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_a_table_is_stored_under_a_plain_name(given, made):
    assert plain_name(given) == made


def test_no_folder_is_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert free_folder("a-b-study").name == "a-b-study"
    (tmp_path / "a-b-study").mkdir()
    assert free_folder("a-b-study").name == "a-b-study-2"
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda path, mode: False)
        with pytest.raises(Barred, match="cannot be written"):
            free_folder("a-b-study")
    monkeypatch.setattr("novum.lab.server.studies.MOST_FOLDERS", 2)
    with pytest.raises(Barred, match="remove some"):
        free_folder("a-b-study")


def test_a_study_runs_from_the_page_and_is_opened(lab, table):
    assert lab.page().json()["controls"] == []
    read = lab.upload(table.read_bytes(), table.name)
    assert read.status_code == 200
    answer = read.json()
    assert answer["page"] == "new" and answer["state"]["target"] == "esito" and answer["values"]["rows"] == 240
    assert lab.page(target="età").json()["say"][1]["target"] == "età"
    events = list(lab.events(seconds=10, use3=False))
    kinds = [kind for kind, _ in events]
    assert kinds[-1] == "end" and {"progress", "lines"} <= set(kinds)
    places = [data for kind, data in events if kind == "progress"]
    assert all(0 <= one["done"] <= max(one["of"], one["done"]) and one["limit"] == 10 for one in places)
    assert [one["elapsed"] for one in places] == sorted(one["elapsed"] for one in places)
    assert lab.nothing_runs()
    info = lab.client.get("/api/scenes").json()["study"]
    assert info == events[-1][1]["study"] and info["target"] == "esito"
    document = json.loads((folder_of(lab) / "pazienti è-esito-study" / "study.json").read_text(encoding="utf-8"))
    assert document["source"]["file"] == "pazienti è.csv" and document["options"]["drop"] == ["ok"]
    assert document["source"]["bytes"] == table.stat().st_size
    rows = lab.page("rows").json()  # the table is still there, so its rows can be shown
    assert rows["values"]["rows"] > 0
    assert lab.page("leaderboard").status_code == 200


def folder_of(lab):
    return Path(psutil.Process(lab.process.pid).cwd())


def test_a_study_that_is_left_or_cancelled_leaves_no_process(lab, table):
    assert lab.upload(table.read_bytes()).status_code == 200
    before = set(folder_of(lab).iterdir())
    for kind, _ in lab.events(seconds=60):
        if kind == "progress":
            assert (
                lab.studying()[0].environ()["PYTHONSAFEPATH"] == "1"
            )  # nor of those that it starts: a table is no module
            busy = lab.upload(table.read_bytes())
            assert busy.status_code == 409 and "stop it" in busy.json()["sentence"]
            assert lab.client.post("/api/study/run", json={"v": 1}).status_code == 409
            break  # closes the stream
    assert lab.nothing_runs() and set(folder_of(lab).iterdir()) == before
    assert lab.page().status_code == 200


def test_a_study_that_is_stopped_keeps_what_is_finished(lab, table):
    assert lab.client.post("/api/study/stop", json={"v": 1}).status_code == 409
    assert lab.upload(table.read_bytes(), "stopped.csv").status_code == 200
    stopped, events = False, []
    for kind, data in lab.events(seconds=120):
        events.append((kind, data))
        if kind == "lines" and data["step"] == "model" and not stopped:
            stopped = lab.client.post("/api/study/stop", json={"v": 1}).status_code == 200
    assert stopped and events[-1][0] == "end", events[-3:]
    assert lab.nothing_runs()
    written = {path.name for path in (folder_of(lab) / "stopped-esito-study").iterdir()}
    assert {"study.json", "report.html"} <= written
    assert lab.page("leaderboard").status_code == 200


def announced(lab, size):
    """Return the answer to an upload of so many bytes, none of which comes."""
    url = lab.client.base_url
    made = HTTPConnection(url.host, url.port, timeout=20)
    made.putrequest("POST", "/api/study/upload?name=t.csv")
    made.putheader("x-novum-token", lab.client.headers["x-novum-token"])
    made.putheader("content-length", str(size))
    made.endheaders()
    return made.getresponse()


def test_hostile_tables_get_a_sentence(lab):
    endless = gzip.compress(b"0" * 2**23)  # one cell of 8 MB out of 8 kB
    for content, name in (
        (b"", "empty.csv"),
        (b"PAR1" + b"\0" * 100 + b"PAR1", "broken.parquet"),
        (b"PK\x03\x04" + b"\xff" * 200, "book.xlsx"),
        (b"a,b\n1\n1,2,3\n", "ragged.csv"),
        (endless, "endless.csv.gz"),
        (b"\xff\xfe\x00" * 1000, "noise"),
    ):
        answer = lab.upload(content, name)
        assert answer.status_code == 422, name
        sentence = answer.json()["sentence"]
        assert sentence.endswith(".") and "/" not in sentence.replace("n/d", "") and "Traceback" not in sentence, name
        assert lab.nothing_runs()
    large = announced(lab, 10**12)
    assert large.status == 413 and "200 MB" in json.loads(large.read())["sentence"]
    bare = lab.upload(b"a,b\n1,2\n", headers={"x-novum-token": "0" * 32})
    assert bare.status_code == 401
    assert lab.upload(b"a\n1\n", headers={"origin": "http://evil.example"}).status_code == 403
    for path, body in (("run", {"v": 2}), ("run", {"v": 1, "path": "/etc"}), ("new", []), ("stop", {"v": 1, "pid": 1})):
        assert lab.client.post(f"/api/study/{path}", json=body).status_code == 422
    for state in ({"target": "/etc/passwd"}, {"seconds": "60"}, {"target": ["a"]}, []):
        assert lab.client.post("/api/study/run", json={"v": 1, "state": state}).status_code == 422


def test_a_table_of_the_command_line_is_read_when_the_page_asks(tmp_path, table):
    made = Lab(tmp_path, table)
    try:
        assert made.page().json()["say"][1]["name"] == "pazienti è.csv"
    finally:
        made.close()
    assert table.exists() and not list(tmp_path.iterdir())
