"""The server as an ASGI application: seven fixed addresses, no files, every wrong request answered by a sentence.

A body is read up to a number of bytes and for so many seconds; models work in threads of their own, so that a long prediction
does not keep `/health` waiting, and beyond a number of requests at work the server says that it is busy. An answer that does
not come in time is given up. Addresses are compared as they stand: nothing of a request becomes a path, a name of a module or
an object.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from threading import Semaphore
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from novum import __version__
from novum.exceptions import DataError, ParameterError
from novum.study.data.schema import schema_of
from novum.study.insight.contributions import explain_table, plain
from novum.study.memory.kept import is_remembered, memory_of
from novum.study.predictions import predict_table
from novum.study.serving.description import openapi_document, schema_document
from novum.study.serving.page import docs_page
from novum.study.serving.rows import Refusal, Request, read_request

__all__ = ["Limits", "ModelServer"]

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
LOG = logging.getLogger("novum.serve")
SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
]


class Limits(NamedTuple):
    """What a request may ask for."""

    rows: int = 10_000
    explained: int = 20  # rows of one request
    bytes: int = 10 * 2**20
    seconds: float = 30.0  # for the body, and for the answer
    waiting: int = 16  # requests at work; more are refused as too many
    workers: int = 2


class ModelServer:
    """An ASGI application around a model that a study saved.

    Parameters
    ----------
    model : estimator
        As `novum.load` gives it.
    limits : Limits
    name : str
        Of the model, for messages.
    hosts : names or None
        Names that requests may be addressed to, besides numeric addresses; None: any, where another server checks them.
    """

    def __init__(
        self, model: Any, limits: Limits | None = None, name: str = "the model", hosts: Iterable[str] | None = None
    ) -> None:
        self.hosts = None if hosts is None else {host.lower().rstrip(".") for host in hosts}
        self.model, self.name, self.limits = model, name, limits or Limits()
        self.schema = schema_of(model, name)
        usual = memory_of(model, self.schema, name, "serving").usual if is_remembered(model) else {}
        self.began, self.served = monotonic(), 0
        self.places = Semaphore(self.limits.waiting)
        self.pool = ThreadPoolExecutor(self.limits.workers, thread_name_prefix="novum-serve")
        described = openapi_document(self.schema, usual, self.limits.rows, self.limits.explained)
        page, policy = docs_page(self.schema, usual, name)
        as_json, as_html = b"application/json", b"text/html; charset=utf-8"
        self.fixed = {
            "/openapi.json": (as_json, as_bytes(described), []),
            "/schema": (as_json, as_bytes(schema_document(self.schema, usual)), []),
            "/docs": (as_html, page.encode(), [(b"content-security-policy", policy.encode())]),
            "/": (as_html, page.encode(), [(b"content-security-policy", policy.encode())]),
        }

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
        elif scope["type"] == "http":
            await self.answer(scope, receive, send)
        else:  # a websocket, say
            await send({"type": "websocket.close", "code": 1003})

    async def live(self, receive: Receive, send: Send) -> None:
        """Follow the start and the end of the server."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                self.pool.shutdown(wait=False, cancel_futures=True)
                await send({"type": "lifespan.shutdown.complete"})
                return
            await send({"type": "lifespan.startup.complete"})

    async def answer(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        head = scope["method"] == "HEAD"
        more: list[tuple[bytes, bytes]] = []
        try:
            status, kind, body, more = await self.routed(scope, receive)
        except Refusal as refusal:
            status, kind, body = refusal.status, b"application/json", as_bytes({"error": str(refusal)})
            if status == 405:
                more = [(b"allow", b"POST" if scope["path"] in ("/predict", "/explain") else b"GET, HEAD")]
        except Exception:  # ours: the details go to the log, not to the client
            LOG.exception("novum serve: %s %s failed", scope["method"], scope["path"][:200])
            status, kind, body = 500, b"application/json", as_bytes({"error": "the server failed; its log says why."})
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *SAFE, *more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if head else body})

    async def routed(
        self, scope: dict[str, Any], receive: Receive
    ) -> tuple[int, bytes, bytes, list[tuple[bytes, bytes]]]:
        """Return status, type, body and further headers of the answer, or refuse."""
        path, method = scope["path"], scope["method"]
        self.check_host(scope)
        if path in ("/predict", "/explain"):
            if method != "POST":
                raise Refusal(405, f"{path} takes POST, not {method[:20]}.")
            kind = path[1:]
            request = await self.read(scope, receive, kind)
            found = await self.in_pool(self.predicted if kind == "predict" else self.explained, request)
            self.served += 1
            return 200, b"application/json", as_bytes(found), []
        if path == "/health" or path in self.fixed:
            if method not in ("GET", "HEAD"):
                raise Refusal(405, f"{path} takes GET, not {method[:20]}.")
            if path == "/health":
                return 200, b"application/json", as_bytes(self.health()), []
            kind_of, body, more = self.fixed[path]
            return 200, kind_of, body, more
        raise Refusal(404, "there is nothing here; see /docs.")

    def check_host(self, scope: dict[str, Any]) -> None:
        """Refuse a request for a name that is not ours: a page elsewhere may have its own name lead here and then read the answers.

        An address of numbers cannot be made to lead elsewhere, and is always fine.
        """
        if self.hosts is None:
            return
        said = [value for name, value in scope["headers"] if name.lower() == b"host"]
        host = name_in(said[0].decode("latin-1")) if len(said) == 1 else ""
        if not (is_address(host) or host in self.hosts):
            raise Refusal(421, f"this server does not answer for the host {host[:80]!r}; start it with --allow-host.")

    def health(self) -> dict[str, Any]:
        """Return that the server runs, and for how long."""
        return {
            "status": "ok",
            "model": self.name,
            "target": self.schema.target,
            "version": __version__,
            "seconds": round(monotonic() - self.began, 1),
            "requests": self.served,
        }

    async def read(self, scope: dict[str, Any], receive: Receive, kind: str) -> Request:
        """Return the rows and options in the body of a request."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"", b"identity"):
            raise Refusal(415, "send the body as it is, without Content-Encoding.")
        given = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if given != b"application/json":
            raise Refusal(415, "send JSON, with the header Content-Type: application/json.")
        size = headers.get(b"content-length", b"0")
        if size.isdigit() and int(size) > self.limits.bytes:
            raise self.too_large()
        try:
            async with asyncio.timeout(self.limits.seconds):
                body = await self.body(receive)
        except TimeoutError as error:
            raise Refusal(408, f"the body did not come within {self.limits.seconds:g} seconds.") from error
        most = self.limits.rows if kind == "predict" else self.limits.explained
        return read_request(body, kind, self.schema, most)

    async def body(self, receive: Receive) -> bytes:
        """Return the body, up to the limit."""
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, "the request ended before its body.")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.bytes:
                raise self.too_large()
            if not message.get("more_body"):
                return b"".join(parts)

    def too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self.limits.bytes:,} bytes; send fewer rows at a time.")

    async def in_pool(self, work: Callable[[Request], Any], request: Request) -> Any:
        """Return what a thread makes of a request, if it is done in time."""
        if not self.places.acquire(blocking=False):
            raise Refusal(503, "the server is busy; try again later.")
        future = self.pool.submit(work, request)
        future.add_done_callback(lambda _: self.places.release())  # when it is done, whether or not anybody still waits
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)
        except TimeoutError as error:
            raise Refusal(503, f"no answer within {self.limits.seconds:g} seconds; send fewer rows.") from error
        except (DataError, ParameterError) as error:
            raise Refusal(422, str(error)) from error

    def predicted(self, request: Request) -> dict[str, Any]:
        """Return the answer to a request for predictions."""
        options = request.options
        level = options.get("level", 0.9) if options.get("interval") else None
        proba = bool(options.get("proba"))
        if proba and not hasattr(self.model, "predict_proba"):
            raise Refusal(422, "proba: the model predicts numbers, which have no probabilities.")
        found = predict_table(
            self.model, request.table, proba=proba, unseen=bool(options.get("unseen")), level=level, name=self.name
        )
        answers: list[dict[str, Any]] = [{"predicted": plain(value)} for value in found.values]
        for i, answer in enumerate(answers):
            if proba:
                answer["probabilities"] = {label: float(p[i]) for label, p in found.probabilities.items()}
            if found.reach is not None and found.reach.lower is not None and found.reach.upper is not None:
                answer.update(lower=float(found.reach.lower[i]), upper=float(found.reach.upper[i]))
            elif found.reach is not None:
                answer["set"] = found.reach.sets[i]
        return {"target": self.schema.target, "predictions": answers, "notes": found.notes, "drift": found.drift}

    def explained(self, request: Request) -> dict[str, Any]:
        """Return the answer to a request for explanations."""
        options = request.options
        about = options.get("class")
        if about is not None and about not in self.schema.labels:
            known = f"it knows {', '.join(self.schema.labels[:8])}" if self.schema.labels else "it predicts numbers"
            raise Refusal(422, f"class {about[:80]!r}: the model does not know it; {known}.")
        found = explain_table(
            self.model,
            request.table,
            about=about,
            level=options.get("level"),
            unseen=bool(options.get("unseen")),
            name=self.name,
        )
        return {"target": self.schema.target, "explanations": found.records(), "notes": found.notes}


def name_in(host: str) -> str:
    """Return the name or address in a Host header, without its port."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].rstrip(".") if host.count(":") == 1 else host.rstrip(".")


def is_address(host: str) -> bool:
    """Return whether a host is an address of numbers."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def as_bytes(value: Any) -> bytes:
    """Return JSON; a number that JSON does not have is null."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False).encode()


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
