"""The server: called in this process by an ASGI client, and over a real socket as `novum serve` starts it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import novum
from novum.study import predict_table
from novum.study.serving.app import Limits, ModelServer

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
ROW = {"age": 30, "income": 3000.5, "city": "Rome", "since": "2020-05-01", "member": True}


def response_to(server, method, path, **options):
    async def ask():
        transport = httpx.ASGITransport(server, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, **options)

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def server(saved):
    return ModelServer(
        novum.load(saved / "classes" / "model.novum"), Limits(rows=5, explained=2, bytes=4000, seconds=20)
    )


@pytest.fixture(scope="module")
def numbers(saved):
    return ModelServer(novum.load(saved / "numbers" / "model.novum"))


def test_it_predicts_what_the_model_predicts(server, numbers):
    import pandas as pd

    rows = [ROW, {**ROW, "age": None, "city": None, "since": None, "income": 9000}]
    frame = pd.DataFrame(rows).assign(since=lambda f: pd.to_datetime(f["since"]), member=[1.0, 1.0])
    answer = response_to(server, "POST", "/predict", json={"rows": rows, "proba": True, "interval": True, "level": 0.8})
    expected = predict_table(server.model, frame, proba=True, level=0.8)
    found = answer.json()
    assert answer.status_code == 200 and found["target"] == "bought"
    assert [one["predicted"] for one in found["predictions"]] == list(expected.values)
    assert [one["probabilities"]["yes"] for one in found["predictions"]] == pytest.approx(expected.probabilities["yes"])
    assert [one["set"] for one in found["predictions"]] == expected.reach.sets
    answer = response_to(numbers, "POST", "/predict", json={"rows": rows, "interval": True}).json()["predictions"]
    expected = predict_table(numbers.model, frame, level=0.9)
    assert [(one["predicted"], one["lower"], one["upper"]) for one in answer] == [
        pytest.approx(row) for row in zip(expected.values, expected.reach.lower, expected.reach.upper)
    ]
    assert response_to(numbers, "POST", "/predict", json=rows).json()["predictions"][0] == {
        "predicted": expected.values[0]
    }


def test_it_explains(server):
    found = response_to(server, "POST", "/explain", json={"rows": [ROW], "class": "yes"}).json()["explanations"][0]
    assert sum(found["contributions"].values()) == pytest.approx(found["value"] - found["base"], abs=1e-10)
    assert found["explains"] == "yes" and set(found["contributions"]) == set(ROW)


@pytest.mark.parametrize(
    "body, status, words",
    [
        ({"rows": [{}]}, 422, "row 1: lacks 'age'; write null"),
        ({"rows": [ROW, {**ROW, "age": "old"}]}, 422, "row 2: 'age' must be a number or null; it is \"old\""),
        ({"rows": [{**ROW, "agee": 1}]}, 422, "has no column 'agee'; did you mean 'age'?"),
        ({"rows": [{**ROW, "bought": "yes"}]}, 422, "it is what the model predicts"),
        ({"rows": [{**ROW, "city": "Rom"}]}, 422, "never saw \"Rom\" in 'city'; did you mean 'Rome'?"),
        ({"rows": [{**ROW, "since": "yesterday"}]}, 422, "'since' must be a date as 2021-12-31"),
        ({"rows": [{**ROW, "age": [1]}]}, 422, "'age' must be a number or null; it is [1]"),
        ({"rows": [{**ROW, "city": {"$ne": 1}}]}, 422, "'city' must be a text or null"),
        ({"rows": [1]}, 422, "row 1 must be an object"),
        ({"rows": []}, 422, "rows must be a list of at least one object"),
        ({"rows": [ROW] * 6}, 413, "6 rows are too many; send at most 5"),
        ({"rows": [ROW], "level": 1}, 422, "level must be from 0.5 to below 1; it is 1"),
        ({"rows": [ROW], "interval": "yes"}, 422, "interval must be true or false"),
        ({"rows": [ROW], "path": "/etc/passwd"}, 422, "'path' is no option of /predict"),
        ({"table": []}, 422, 'must be an object with "rows"'),
        ({"rows": [ROW], "interval": True, "level": 0.99999}, 422, "allow a level of at most"),
        (b"{", 400, "is no JSON (line 1, column 2)"),
        (b"\xff", 400, "is not UTF-8"),
        (b'{"rows": [{"age": NaN}]}', 422, "NaN is no number of JSON"),
        (b'{"rows": [{"age": 1, "age": 2}]}', 422, "the name 'age' stands twice"),
        (b'{"rows": [{"age": 1e999}]}', 422, "lacks"),
        (b"[" * 3000, 400, "nested too deeply"),
        (b" " * 5000, 413, "larger than 4,000 bytes"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(server, body, status, words):
    given = (
        {"content": body, "headers": {"content-type": "application/json"}}
        if isinstance(body, bytes)
        else {"json": body}
    )
    answer = response_to(server, "POST", "/predict", **given)
    assert answer.status_code == status and words in answer.json()["error"]
    assert response_to(server, "GET", "/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/predict", 405),
        ("POST", "/health", 405),
        ("DELETE", "/docs", 405),
        ("GET", "/../model.novum", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/docs/../../etc/passwd", 404),
        ("GET", "/model.novum", 404),
        ("HEAD", "/docs", 200),
        ("GET", "/", 200),
        ("GET", "/openapi.json", 200),
    ],
)
def test_addresses(server, method, path, status):
    answer = response_to(server, method, path)
    assert answer.status_code == status and answer.headers["x-content-type-options"] == "nosniff"
    assert (status == 405) == ("allow" in answer.headers)
    assert method != "HEAD" or answer.content == b""


def test_other_types_of_bodies_are_refused(server):
    assert response_to(server, "POST", "/predict", data={"a": "1"}).status_code == 415
    assert response_to(server, "POST", "/explain", json={"rows": [ROW], "class": "perhaps"}).status_code == 422
    assert (
        "it predicts numbers"
        not in response_to(server, "POST", "/explain", json={"rows": [ROW], "class": "x"}).json()["error"]
    )
    assert (
        response_to(server, "POST", "/predict", json={"rows": [{**ROW, "city": "Oslo"}], "unseen": True}).status_code
        == 200
    )


def test_a_truth_value_is_no_number(server):
    assert response_to(server, "POST", "/predict", json={"rows": [ROW]}).status_code == 200  # member holds truth values
    answer = response_to(server, "POST", "/predict", json={"rows": [{**ROW, "age": True}]})
    assert answer.status_code == 422 and "age" in answer.text


def test_a_compressed_body_is_refused(server):
    body = json.dumps({"rows": [ROW]}).encode()
    kind = {"content-type": "application/json"}
    for coding, status in (("gzip", 415), ("br", 415), ("identity", 200)):
        answer = response_to(server, "POST", "/predict", content=body, headers={**kind, "content-encoding": coding})
        assert answer.status_code == status


def test_other_hosts_are_refused(saved):
    server = ModelServer(novum.load(saved / "classes" / "model.novum"), hosts=["localhost", "model.example"])
    for host, status in (
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("MODEL.example", 200),
        ("evil.example", 421),
        ("", 421),
    ):
        assert response_to(server, "GET", "/health", headers={"host": host}).status_code == status, host


def test_the_description_is_of_this_model(server):
    found = response_to(server, "GET", "/openapi.json").json()
    row = found["components"]["schemas"]["Row"]
    assert found["openapi"] == "3.1.0" and row["required"] == list(ROW) and not row["additionalProperties"]
    assert row["properties"]["city"] == {"enum": ["Bari", "Rome", "Turin", None]}
    references = [part for part in json.dumps(found).split('"') if part.startswith("#/components/schemas/")]
    assert {part.rsplit("/", 1)[1] for part in references} <= set(found["components"]["schemas"])
    example = found["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert response_to(server, "POST", "/predict", json=example).status_code == 200
    page = response_to(server, "GET", "/docs")
    assert "http://" not in page.text and "https://" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert response_to(server, "GET", "/schema").json()["example"] == example["rows"][0]


def test_a_slow_model_and_a_slow_client_are_given_up(saved):
    server = ModelServer(novum.load(saved / "classes" / "model.novum"), Limits(seconds=0.2, waiting=1, workers=1))
    quick = server.gatherer.work
    server.gatherer.work = lambda key, items: time.sleep(0.8) or quick(key, items)

    async def many():
        transport = httpx.ASGITransport(server)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            first = asyncio.create_task(client.post("/predict", json={"rows": [ROW]}))
            await asyncio.sleep(0.05)
            return await client.post("/predict", json={"rows": [ROW]}), await client.get("/health"), await first

    busy, health, slow = asyncio.run(many())
    assert (busy.status_code, health.status_code, slow.status_code) == (503, 200, 503)
    assert "busy" in busy.json()["error"] and "no answer within 0.2 seconds" in slow.json()["error"]

    server = ModelServer(server.model, Limits(seconds=0.2))

    async def drip():
        sent = []

        async def receive():
            await asyncio.sleep(0.05)
            return {"type": "http.request", "body": b" ", "more_body": True}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/predict",
            "headers": [(b"content-type", b"application/json")],
        }
        await server(scope, receive, send)
        return sent[0]["status"]

    assert asyncio.run(drip()) == 408


def test_a_failure_of_ours_is_no_sentence_of_pythons(server, monkeypatch, caplog):
    monkeypatch.setattr(server.gatherer, "work", lambda key, items: 1 / 0)
    answer = response_to(server, "POST", "/predict", json={"rows": [ROW]})
    assert answer.status_code == 500 and "ZeroDivision" not in answer.text and "ZeroDivisionError" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_novum_serve_over_a_socket(saved):
    pytest.importorskip("uvicorn")
    run = subprocess.Popen(
        [sys.executable, "-c", "from novum.cli import main; main()", "serve", "model.novum", "--port", "0"],
        cwd=saved / "numbers",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = run.stdout.readline()
        where = line.split(" at ")[1].split("/predict")[0]
        with httpx.Client(base_url=where, timeout=30) as client:
            assert client.get("/health").json()["target"] == "spent"
            answers = [client.post("/predict", json={"rows": [ROW], "interval": True}) for _ in range(3)]
            assert all(one.json() == answers[0].json() for one in answers)
            assert np.isfinite(answers[0].json()["predictions"][0]["predicted"])
            assert client.get("/../../etc/passwd").status_code == 404
            assert (
                client.post(
                    "/predict", content=b"x" * 11 * 2**20, headers={"content-type": "application/json"}
                ).status_code
                == 413
            )
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=20)
    finally:
        run.kill()
    assert run.returncode == 0 and "ended after 3 requests" in output and errors == ""


@pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="needs SO_REUSEPORT")
def test_several_workers_answer_and_finish_what_they_have(saved):
    pytest.importorskip("uvicorn")
    token = "0123456789abcdef"
    run = subprocess.Popen(
        [sys.executable, "-c", "from novum.cli import main; main()", "serve", "model.novum", "--port", "0"]
        + ["--workers", "2", "--access-log", "access.jsonl"],
        cwd=saved / "numbers",
        env={**os.environ, "NOVUM_SERVE_TOKEN": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        where = run.stdout.readline().split(" at ")[1].split("/predict")[0]
        port = int(where.rsplit(":", 1)[1])
        headers = {"Authorization": f"Bearer {token}"}
        for _ in range(24):  # a connection each, so that both workers have some
            with httpx.Client(base_url=where, timeout=60, headers=headers) as client:
                assert client.post("/predict", json={"rows": [ROW]}).status_code == 200
        with httpx.Client(base_url=where, timeout=60) as client:
            assert client.post("/predict", json={"rows": [ROW]}).status_code == 401
            counted = client.get("/metrics", headers=headers).text
        assert 'novum_requests_total{path="/predict",status="200"} 24' in counted
        body = json.dumps({"rows": [ROW]}).encode()
        with socket.create_connection(("127.0.0.1", port), timeout=30) as half:
            head = f"POST /predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            half.sendall(
                f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:10]
            )
            time.sleep(0.5)
            run.send_signal(signal.SIGTERM)
            time.sleep(1.0)
            half.sendall(body[10:])  # the request was at work when the signal came
            assert half.recv(4096).startswith(b"HTTP/1.1 200")
        output, errors = run.communicate(timeout=30)
    finally:
        run.kill()
    assert run.returncode == 0 and "ended after 25 requests" in output and errors == ""
    lines = [json.loads(line) for line in (saved / "numbers" / "access.jsonl").read_text().splitlines()]
    assert len(lines) == 27 and len({line["worker"] for line in lines}) == 2
    assert token not in (saved / "numbers" / "access.jsonl").read_text() + output
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2)
