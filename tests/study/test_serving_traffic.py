"""The server among other programs: CSV and lines of JSON, token, probes, metrics, requests answered together, the access log."""

import asyncio
import csv
import io
import itertools
import json
import re
import threading
import time

import numpy as np
import pandas as pd
import pytest
from studytables import mixed

import novum
from novum.study import predict_table
from novum.study.data.schema import check
from novum.study.data.table import table_of
from novum.study.memory.drift import drift_notes, reference_of
from novum.study.serving.access import AccessLog, token_in
from novum.study.serving.app import Limits, ModelServer
from novum.study.serving.formats import read_body
from novum.study.serving.gather import MOST_ROWS
from novum.study.serving.metrics import Meter, numbers_per_worker
from novum.study.serving.row_drift import RowDrift
from novum.study.serving.rows import Refusal

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
ROW = {"age": 30, "income": 3000.5, "city": "Rome", "since": "2020-05-01", "member": True}
TOKEN = "a-token-of-some-length"


def client_of(server):
    transport = httpx.ASGITransport(server, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://test")


def response_to(server, method, path, **options):
    async def ask():
        async with client_of(server) as client:
            return await client.request(method, path, **options)

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def model(saved):
    return novum.load(saved / "classes" / "model.novum")


@pytest.fixture(scope="module")
def server(model):
    return ModelServer(model, Limits(rows=600))


def table_of_rows(n=30, seed=5):
    frame = mixed(n, seed=seed).drop(columns=["bought", "spent"])
    return frame.assign(since=frame["since"].dt.strftime("%Y-%m-%d"))


def test_csv_in_and_out_is_what_json_says(server):
    frame = table_of_rows()
    text = frame.to_csv(index=False)
    rows = json.loads(frame[list(ROW)].to_json(orient="records", double_precision=15))
    by_json = response_to(server, "POST", "/predict", json={"rows": rows, "proba": True, "interval": True}).json()
    sent = {"content": text.encode(), "headers": {"content-type": "text/csv; charset=utf-8"}}
    answer = response_to(server, "POST", "/predict?proba=true&interval=1", **sent)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/csv")
    found = list(csv.DictReader(io.StringIO(answer.text)))
    assert list(found[0]) == ["predicted_bought", "p(no)", "p(yes)", "predicted_bought_set"]
    for one, other in zip(found, by_json["predictions"], strict=True):
        assert one["predicted_bought"] == other["predicted"]
        assert float(one["p(yes)"]) == pytest.approx(other["probabilities"]["yes"], abs=1e-12)
        assert one["predicted_bought_set"] == " | ".join(other["set"])
    assert "customer_id" in json.loads(answer.headers["novum-notes"])[0]
    answer = response_to(
        server, "POST", "/predict", **{**sent, "headers": {**sent["headers"], "accept": "application/json"}}
    )
    assert [one["predicted"] for one in answer.json()["predictions"]] == [one["predicted_bought"] for one in found]


def test_lines_of_json_in_and_out(server):
    rows = [ROW, {**ROW, "age": None, "city": None}, {**ROW, "income": 9000}]
    text = "\n".join(map(json.dumps, rows)) + "\n"
    for kind in ("application/x-ndjson", "application/jsonl"):
        answer = response_to(server, "POST", "/predict", content=text, headers={"content-type": kind})
        found = [json.loads(line) for line in answer.text.splitlines()]
        assert found == response_to(server, "POST", "/predict", json={"rows": rows}).json()["predictions"]
    answer = response_to(server, "POST", "/explain?class=yes", content=text, headers={"content-type": kind})
    first = json.loads(answer.text.splitlines()[0])
    assert sum(first["contributions"].values()) == pytest.approx(first["value"] - first["base"], abs=1e-10)


HEAD = "age,income,city,since,member\n"


@pytest.mark.parametrize(
    "kind, query, body, status, words",
    [
        (
            "text/csv",
            "",
            HEAD + "old,1,Rome,2020-05-01,true\n",
            422,
            "row 1: 'age' must be a number or null; it is \"old\"",
        ),
        ("text/csv", "", HEAD + "1,1,Rom,2020-05-01,true\n", 422, "did you mean 'Rome'?"),
        ("text/csv", "", HEAD + "1,1,Rome\n", 422, "row 1 has 3 cells; the header has 5."),
        ("text/csv", "", "age,income,city,since\n1,1,Rome,2020-05-01\n", 422, "row 1: lacks 'member'"),
        ("text/csv", "", "age,age\n1,2\n", 422, "'age' stands twice"),
        ("text/csv", "", HEAD, 422, "rows must be a list of at least one object"),
        ("text/csv", "", "", 422, "must be a header and rows"),
        ("text/csv", "", HEAD + '"1,1\n', 400, "is no CSV"),
        ("text/csv", "", HEAD + "1,1,Rome,2020-05-01,true\n" * 601, 413, "601 rows are too many"),
        ("text/csv", "?interval=perhaps", HEAD + "1,1,Rome,2020-05-01,true\n", 422, "interval must be true or false"),
        ("text/csv", "?level=2", HEAD + "1,1,Rome,2020-05-01,true\n", 422, "level must be from 0.5"),
        ("text/csv", "?path=x", HEAD + "1,1,Rome,2020-05-01,true\n", 422, "'path' is no option"),
        ("application/x-ndjson", "", "{", 400, "is no JSON"),
        ("application/x-ndjson", "", "[1]\n", 422, "row 1 must be an object"),
        ("text/plain", "", "x", 415, "send JSON"),
    ],
)
def test_texts_that_do_not_fit_are_refused(server, kind, query, body, status, words):
    answer = response_to(server, "POST", f"/predict{query}", content=body, headers={"content-type": kind})
    assert answer.status_code == status and words in answer.json()["error"]


def test_a_blank_line_of_one_column_is_a_missing_cell(server):
    schema = server.schema._replace(names=["age"], roles=["number"], levels=[[]], forms=[[]], truths=[])
    request = read_body(b"age\n1\n\n3\n", "text/csv", "", "predict", schema, 10)
    np.testing.assert_array_equal(request.table.columns["age"].values, [1, np.nan, 3])


def test_requests_that_wait_are_answered_together_with_the_answers_of_each_alone(model):
    server, batches, all_have_come = ModelServer(model), [], threading.Event()
    work, submit, submitted = server.gatherer.work, server.gatherer.submit, itertools.count(1)
    rows = json.loads(table_of_rows(60)[list(ROW)].to_json(orient="records", double_precision=15))
    options = [{}, {"proba": True}, {"interval": True, "level": 0.8}, {"proba": True, "interval": True}]
    bodies = [{"rows": rows[i : i + 1 + i % 3], **options[i % 4]} for i in range(57)]

    def counted(*args):
        future = submit(*args)
        if next(submitted) == len(bodies):
            all_have_come.set()
        return future

    def observed(key, items):
        assert all_have_come.wait(60)  # however slowly the machine reads them, the requests wait together
        batches.append(len(items))
        return work(key, items)

    server.gatherer.submit, server.gatherer.work = counted, observed

    async def together():
        async with client_of(server) as client:
            return await asyncio.gather(*(client.post("/predict", json=body) for body in bodies))

    found = asyncio.run(together())
    assert sum(batches) == len(bodies) and max(batches) > 3
    for body, answer in zip(bodies, found, strict=True):
        alone = response_to(ModelServer(model), "POST", "/predict", json=body).json()
        said = answer.json()
        assert said["notes"] == alone["notes"] and said["drift"] == alone["drift"]
        for one, other in zip(said["predictions"], alone["predictions"], strict=True):
            assert one["predicted"] == other["predicted"] and one.get("set") == other.get("set")
            assert one.get("probabilities", {}) == pytest.approx(other.get("probabilities", {}), abs=1e-12)


def test_one_that_spoils_the_batch_loses_only_itself(model):
    server = ModelServer(model)
    work = server.gatherer.work

    def breaks(key, items):
        if any(item[0].table.columns["income"].values[0] == 666 for item in items):
            raise RuntimeError("broken")
        return work(key, items)

    server.gatherer.work = breaks

    async def together():
        async with client_of(server) as client:
            bodies = [{"rows": [{**ROW, "income": 666 if i == 4 else 3000}]} for i in range(12)]
            return await asyncio.gather(*(client.post("/predict", json=body) for body in bodies))

    assert [one.status_code for one in asyncio.run(together())] == [200] * 4 + [500] + [200] * 7


def test_what_waits_is_bounded_and_comes_free_again(model):
    server = ModelServer(model, Limits(waiting=3, rows=400))
    body = {"rows": [ROW] * (MOST_ROWS + 1)}  # too many to be gathered: these go to the other threads
    work = server.predicted_together
    server.predicted_together = server.gatherer.work = lambda key, items: time.sleep(0.3) or work(key, items)

    async def many(body):
        async with client_of(server) as client:
            return await asyncio.gather(*(client.post("/predict", json=body) for _ in range(9)))

    for one in (body, {"rows": [ROW]}, body):
        status = [answer.status_code for answer in asyncio.run(many(one))]
        assert set(status) == {200, 503} and status.count(200) >= 3
    assert server.places.taken == server.places.rows_taken == 0


def test_drift_of_one_row_is_that_of_the_tests(server, model):
    rng, named = np.random.default_rng(0), 0
    studied, _ = check(table_of(mixed(3000, seed=9)), server.schema)
    reference = reference_of(studied, server.schema)
    quick = RowDrift(server.schema, reference)
    for i in range(150):
        row = {
            "age": [None, 40.0 + 10 * rng.normal(), 500.0][rng.integers(3)],
            "income": 3000 + 700 * rng.normal(),
            "city": [None, "Rome", "Oslo"][rng.integers(3)],
            "since": pd.Timestamp("2020-01-01") + pd.Timedelta(int(rng.integers(-4000, 4000)), "D"),
            "member": bool(i % 2),
        }
        frame = pd.DataFrame([row]).astype({"city": object, "age": float, "member": float})
        table, _ = check(table_of(frame), server.schema, unseen=True)
        expected = drift_notes(table, server.schema, reference)
        assert quick.notes(table) == expected
        named += bool(expected)
    assert 0 < named < 150
    many, _ = check(table_of(table_of_rows(40).assign(age=500.0)), server.schema)
    assert server.drift.notes(many) == predict_table(model, table_of_rows(40).assign(age=500.0)).drift != []


def test_the_token(model, tmp_path):
    log = tmp_path / "access.jsonl"
    server = ModelServer(model, token=TOKEN.encode(), log=AccessLog(str(log)))
    fine = {"authorization": f"Bearer {TOKEN}"}
    for given in ({}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": TOKEN}, {"authorization": "Bearer "}):
        answer = response_to(server, "POST", "/predict", json={"rows": [ROW]}, headers=given)
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text
        assert response_to(server, "GET", "/metrics", headers=given).status_code == 401
        assert response_to(server, "GET", "/nothing", headers=given).status_code == 401
        assert response_to(server, "GET", "/health", headers=given).json() == {"status": "ok"}
        assert response_to(server, "GET", "/ready", headers=given).status_code == 200
    assert response_to(server, "POST", "/predict", json={"rows": [ROW]}, headers=fine).status_code == 200
    assert response_to(server, "GET", "/docs", headers=fine).status_code == 200
    assert TOKEN not in log.read_text()


def test_where_the_token_comes_from():
    environment = {"NOVUM_SERVE_TOKEN": f" {TOKEN}\n"}
    assert token_in(environment) == TOKEN.encode() and environment == {}
    assert token_in({}) is None and token_in({"NOVUM_SERVE_TOKEN": ""}) is None
    for bad in ("short", "with a blank in it", "ü" * 20):
        with pytest.raises(ValueError, match="NOVUM_SERVE_TOKEN: must have 16") as error:
            token_in({"NOVUM_SERVE_TOKEN": bad})
        assert bad not in str(error.value)


def test_ready_says_when_there_is_no_room_or_the_model_is_broken(model, monkeypatch, caplog):
    server = ModelServer(model, Limits(waiting=1))
    assert response_to(server, "GET", "/ready").json() == {"status": "ready"}
    server.places.take(1)
    answer = response_to(server, "GET", "/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "the server is busy"})
    server = ModelServer(model)
    monkeypatch.setattr(server, "predicted_together", lambda key, items: 1 / 0)
    answer = response_to(server, "GET", "/ready")
    assert answer.status_code == 503 and "does not predict an ordinary row" in answer.json()["status"]
    assert response_to(server, "GET", "/health").status_code == 200


def values_in(text):
    """Return the samples of the text format, every line of which must be one or a comment."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r'([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})?) ([0-9.e+-]+)', line)
            assert match, line
            found[match[1]] = float(match[2])
    return found


def test_metrics(model):
    server = ModelServer(model, name='a "name"')
    for _ in range(3):
        response_to(server, "POST", "/predict", json={"rows": [ROW, {**ROW, "age": 1e6}]})
    response_to(server, "POST", "/predict", content=b"{", headers={"content-type": "application/json"})
    response_to(server, "GET", "/secret/place")
    answer = response_to(server, "GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = values_in(answer.text)
    assert found['novum_requests_total{path="/predict",status="200"}'] == 3
    assert found['novum_requests_total{path="/predict",status="400"}'] == 1
    assert found['novum_requests_total{path="other",status="404"}'] == 1 and "secret" not in answer.text
    assert found["novum_rows_predicted_total"] == 6 and found["novum_batches_total"] == 3
    assert found["novum_requests_in_flight"] == 1  # the one that asks
    assert found['novum_request_seconds_count{path="/predict"}'] == 4
    buckets = [value for key, value in found.items() if key.startswith('novum_request_seconds_bucket{path="/predict"')]
    assert buckets == sorted(buckets) and buckets[-1] == 4
    assert any('model="a \\"name\\""' in key for key in found)


def test_workers_count_into_one_memory():
    shared = bytearray(8 * 2 * numbers_per_worker())
    first, second = Meter(shared, 0), Meter(shared, 1)
    for meter, path, status in ((first, "/predict", 200), (second, "/predict", 200), (second, "/predict", 503)):
        meter.begin()
        meter.end(path, status, 0.004)
    second.begin()
    found = values_in(first.text({"model": "m"}))
    assert found['novum_requests_total{path="/predict",status="200"}'] == 2 == first.answered()
    assert found["novum_requests_in_flight"] == 1
    assert values_in(Meter(shared, 1).text({"model": "m"}))["novum_requests_in_flight"] == 0  # a worker started again


def test_the_access_log(model, tmp_path):
    log = tmp_path / "access.jsonl"
    server = ModelServer(model, log=AccessLog(str(log)))
    response_to(server, "POST", "/predict?proba=true", json={"rows": [ROW, ROW]})
    response_to(server, "GET", "/nothing/there?who=me", headers={"cookie": "secret=1"})
    first, second = map(json.loads, log.read_text().splitlines())
    assert (first["method"], first["path"], first["status"], first["rows"]) == ("POST", "/predict", 200, 2)
    assert 0 < first["seconds"] < 60 and first["bytes"] > 20 and first["time"].endswith("Z")
    assert (second["path"], second["status"]) == ("/nothing/there", 404)
    assert "secret" not in log.read_text() and "who" not in log.read_text()
    with pytest.raises(Refusal):
        read_body(b"", "text/csv", "", "predict", server.schema, 1)
