"""The server as others meet it: who gets in, what is refused, what becomes of runs that nobody reads any more."""

import json
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

KMEANS = {"v": 1, "scene": "kmeans", "state": {}}


class Lab:
    """A lab in a process of its own."""

    def __init__(self):
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "novum", "lab", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url, self.token = re.search(
            r"(http://127\.0\.0\.1:\d+)/#t=([0-9a-f]{32})$", self.process.stdout.readline()
        ).groups()
        self.seconds = time.perf_counter() - began
        self.client = httpx.Client(base_url=self.url, headers={"X-Novum-Token": self.token}, timeout=60)

    def post(self, path, content, **headers):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.client.post(path, content=body, headers={"content-type": "application/json", **headers})

    def events(self, **request):
        text = self.post("/api/run", {**KMEANS, **request}).text
        return [(kind, json.loads(data)) for kind, data in re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)]

    def workers(self):
        return [child for child in psutil.Process(self.process.pid).children() if child.is_running()]

    def has_two_workers(self):
        """Wait until both places are taken, as a process that ended takes its time to be replaced."""
        deadline = time.monotonic() + 30
        while len(self.workers()) != 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        return len(self.workers()) == 2

    def close(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture(scope="module")
def lab():
    made = Lab()
    made.events()  # its processes have imported what they need
    yield made
    made.close()


def test_it_is_ready_soon(lab):
    assert lab.seconds < 10  # two on a machine that does nothing else


def test_a_run_comes_as_a_stream(lab):
    events = lab.events(state={"seed": 7})
    assert [kind for kind, _ in events][:2] == ["head", "frame"] and events[-1][0] == "end"
    assert events[0][1]["state"]["seed"] == 7
    refused = lab.events(state={"k": 3, "points": {"rows": [[0, 0]]}})
    assert [kind for kind, _ in refused] in (["refused"], [])


def test_the_same_run_twice_is_the_same(lab):
    first, again = lab.events(state={"seed": 3}), lab.events(state={"seed": 3})
    assert [{**content, "ms": 0} for _, content in first] == [{**content, "ms": 0} for _, content in again]


@pytest.mark.parametrize("path", ["/api/scenes", "/api/find?q=em", "/api/run", "/api/export", "/api/nothing"])
@pytest.mark.parametrize("token", [None, "", "0" * 32])
def test_nothing_is_done_without_the_token(lab, path, token):
    headers = {} if token is None else {"x-novum-token": token}
    for method in ("GET", "POST"):
        answer = httpx.request(method, lab.url + path, headers=headers, content=b"{}" if method == "POST" else None)
        assert answer.status_code == 401 and set(answer.json()) == {"sentence", "control"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 400),
        ({"host": "127.0.0.1"}, 400),
        ({"host": "localhost:1"}, 400),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/scenes", "/words/en.json"])
def test_only_its_own_page_is_answered(lab, headers, status, path):
    answer = lab.client.get(path, headers=headers)
    assert answer.status_code == status and "sentence" in answer.json()


def test_pages_hold_no_secret_and_a_strict_policy(lab):
    for path in ("/", "/words/en.json", "/recorded/kmeans.json", "/api/scenes"):
        answer = lab.client.get(path)
        assert lab.token not in answer.text
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers and "server" not in answer.headers


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b'{"v":1,"scene":"kmeans","state":{"seed":NaN}}', 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b"[]", 422, "must have"),
        ({**KMEANS, "v": 2}, 422, "version 1"),
        ({**KMEANS, "v": True}, 422, "version 1"),
        ({**KMEANS, "scene": "nothing"}, 404, "no such scene"),
        ({**KMEANS, "scene": ["kmeans"]}, 404, "no such scene"),
        ({**KMEANS, "scene": "../kmeans"}, 404, "no such scene"),
        ({**KMEANS, "code": "import os"}, 422, "must have"),
        ({**KMEANS, "state": []}, 422, "must hold the values"),
        ({**KMEANS, "state": {"k": 10**9}}, 422, "from 1 to 12"),
        ({**KMEANS, "state": {"k": "5"}}, 422, "a whole number"),
        ({**KMEANS, "state": {"__class__": 1}}, 422, "no such control"),
        ({**KMEANS, "state": {"init": "os.system"}}, 422, "one of"),
        ({**KMEANS, "frame": -1}, 422, "frame"),
        ({**KMEANS, "frame": "1; import os"}, 422, "frame"),
        ({**KMEANS, "part": "X"}, 422, "part"),
        ({**KMEANS, "lang": "../../etc"}, 422, "lang"),
        (b" " * (2**20 + 1), 413, "larger than 1,048,576"),
    ],
)
@pytest.mark.parametrize("path", ["/api/run", "/api/code", "/api/export"])
def test_a_wrong_body_gets_a_sentence(lab, path, body, status, words):
    answer = lab.post(path, body)
    assert answer.status_code == status, answer.text
    assert words in answer.json()["sentence"] and "Traceback" not in answer.text


def test_a_body_of_another_kind_is_not_read(lab):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert lab.post("/api/run", KMEANS, **{"content-type": kind}).status_code == 415


def test_a_body_that_hides_its_length_is_cut_off(lab):
    def pieces():
        for _ in range(40):
            yield b" " * 2**16

    answer = lab.client.post("/api/run", content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/assets/../__init__.py",
            "/assets/%2e%2e/__init__.py",
            "/assets/..%2f..%2fpyproject.toml",
            "/assets//etc/passwd",
        ),
        *(
            "/words/xx.json",
            "/words/..%2f..%2fscene.py",
            "/words/en.txt",
            "/recorded/em.json",
            "/recorded/%00",
            "/nothing",
        ),
        *("/.env", "/favicon.ico/x"),
    ],
)
def test_no_address_leads_to_a_file(lab, path):
    answer = lab.client.get(path)
    assert answer.status_code in (404, 405) and set(answer.json()) == {"sentence", "control"}


def test_methods_that_are_not_there_are_refused(lab):
    for method, path in (("PUT", "/api/run"), ("GET", "/api/run"), ("DELETE", "/"), ("POST", "/api/scenes")):
        answer = lab.client.request(method, path)
        assert answer.status_code == 405 and "sentence" in answer.json()


def test_scripts_notebooks_and_searches(lab):
    request = {**KMEANS, "frame": 2, "part": "E", "lang": "it"}
    python = lab.post("/api/code", request).json()["python"]
    notebook = lab.post("/api/notebook", request).json()
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert cells[-1] == python.strip() and "mezzo passo" in cells[0] and notebook["nbformat"] == 4
    assert next(hit["scene"] for hit in lab.client.get("/api/find", params={"q": "clustering"}).json()) == "kmeans"
    assert lab.client.get("/api/find", params={"q": ""}).json() == []
    assert lab.client.get("/api/find", params={"q": "x" * 201}).status_code == 422


def test_runs_that_nobody_reads_leave_no_process(lab):
    before = {child.pid for child in lab.workers()}
    assert len(before) == 2
    state = {"points": {"preset": "blobs", "n": 2000, "noise": 1.5}, "k": 12}
    for seed in range(200):
        with lab.client.stream("POST", "/api/run", json={**KMEANS, "state": {**state, "seed": seed}}) as stream:
            next(stream.iter_raw())
    assert lab.events()[-1][0] == "end"
    assert lab.has_two_workers()
    threads = sum(child.num_threads() for child in lab.workers())
    assert threads < 24, "runs that were left have left threads"


def test_an_export_opens_at_the_half_step_on_show_with_its_script(lab):
    wanted = {**KMEANS, "frame": 1, "part": "E"}
    meta = json.loads(re.search(r'id="meta">(.*?)</script>', lab.post("/api/export", wanted).text)[1])
    frame = [content for kind, content in lab.events() if kind == "frame"][meta["frame"]]
    assert (frame["n"], frame["part"], meta["part"]) == (1, "E", "E") and meta["frame"] == 2
    assert meta["python"] == lab.post("/api/code", wanted).json()["python"]


def hurried(lab, content):
    """Send a run and close the connection before anything of it was read."""
    body = json.dumps({**KMEANS, **content}).encode()
    head = f"POST /api/run HTTP/1.1\r\nhost: {lab.url[7:]}\r\nx-novum-token: {lab.token}\r\ncontent-type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", int(lab.url.rpartition(":")[2]))) as connection:
        connection.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


def test_runs_that_nobody_waits_for_keep_no_process_from_others(lab):
    server = psutil.Process(lab.process.pid)
    before, began = (server.num_threads(), server.num_fds()), time.perf_counter()
    state = {"points": {"preset": "blobs", "n": 2000, "noise": 1.5}, "k": 12}
    for seed in range(200):
        hurried(lab, {"state": {**state, "seed": seed}})
    while not (events := lab.events()):  # told to wait
        time.sleep(0.05)
    assert events[-1][0] == "end"
    assert lab.has_two_workers()
    assert time.perf_counter() - began < 30, "others wait for runs that nobody wants"
    assert server.num_threads() <= before[0] + 4 and server.num_fds() <= before[1] + 8


HOSTILE = [
    ("GET", "/api/scenes", {"host": "evil.example"}, b"", 400),
    ("GET", "/api/scenes", {"origin": "http://evil.example"}, b"", 403),
    ("POST", "/api/run", {"x-novum-token": "0" * 32}, b"{}", 401),
    ("POST", "/api/run", {}, b" " * (2**20 + 1), 413),
    ("POST", "/api/run", {"content-type": "text/plain"}, b"{}", 415),
    ("POST", "/api/run", {}, b'{"v":1,"scene":"nothing"}', 404),
    ("POST", "/api/code", {}, b'{"v":1,"scene":"kmeans","state":{"k":"5"}}', 422),
    ("POST", "/api/export", {}, b'{"v":1,"scene":"kmeans","lang":[]}', 422),
    ("POST", "/api/run", {}, b'{"v":1,"scene":"kmeans","part":{}}', 422),
    ("POST", "/api/run", {}, b'{"v":[],"scene":"kmeans"}', 422),
    ("POST", "/api/notebook", {}, b'{"v":1,"scene":null}', 404),
]


def test_hostile_requests_at_once_get_a_sentence_and_nothing_else(lab):
    def sent(i):
        method, path, headers, body, status = HOSTILE[i % len(HOSTILE)]
        answer = lab.client.request(method, path, headers={"content-type": "application/json", **headers}, content=body)
        return answer, status

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(sent, range(32 * 4)))
    for answer, status in answers:
        assert answer.status_code == status, answer.text
        assert set(answer.json()) == {"sentence", "control"} and len(answer.text) < 300
        assert lab.token not in answer.text and "Traceback" not in answer.text
    assert lab.has_two_workers()
    assert lab.events()[-1][0] == "end"


def test_many_at_once_are_answered_or_told_to_wait(lab):
    def status(seed):
        return lab.post("/api/run", {**KMEANS, "state": {"seed": seed}})

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(status, range(32)))
    codes = [answer.status_code for answer in answers]
    assert set(codes) <= {200, 503} and codes.count(200) >= 2
    for answer in answers:
        if answer.status_code == 503:
            assert "busy" in answer.json()["sentence"]
        else:
            assert "event: end" in answer.text
    assert lab.events()[-1][0] == "end"


def test_a_process_that_dies_is_replaced(lab):
    victim = lab.workers()[0]
    victim.kill()
    psutil.wait_procs([victim], timeout=5)
    ends = [lab.events()[-1][0] for _ in range(3)]
    assert ends == ["end"] * 3
    assert lab.has_two_workers()


def test_its_processes_end_with_it():
    lab = Lab()
    lab.events()
    workers = lab.workers()
    lab.process.kill()
    lab.process.wait()
    gone, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == [] and len(gone) == 2
    lab.close()
