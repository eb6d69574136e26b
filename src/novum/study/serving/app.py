"""The server as an ASGI application: ten fixed addresses, no files, every wrong request answered by a sentence.

A body is read up to a number of bytes and for so many seconds; models work in threads of their own, so that a long prediction
does not keep `/health` waiting, and beyond a number of requests at work the server says that it is busy. An answer that does
not come in time is given up. Addresses are compared as they stand: nothing of a request becomes a path, a name of a module or
an object.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from novum import __version__
from novum.exceptions import DataError, ParameterError
from novum.study.data.schema import check, schema_of
from novum.study.insight.contributions import explain_table
from novum.study.memory.kept import is_remembered, memory_of
from novum.study.predictions import predict_checked
from novum.study.serving.access import AccessLog, check_host, check_token, host_names
from novum.study.serving.description import openapi_document, schema_document
from novum.study.serving.formats import JSON, answer_bytes, as_bytes, read_body, type_of_answer, type_of_body
from novum.study.serving.gather import MOST_ROWS, Gatherer, Places
from novum.study.serving.json_responses import answer, answers_of, no_such_address, refused
from novum.study.serving.metrics import Meter
from novum.study.serving.page import docs_page
from novum.study.serving.row_drift import RowDrift
from novum.study.serving.rows import Refusal, Request, table_from
from novum.study.serving.stacked import parts_of_predictions, stacked_tables

__all__ = ["Limits", "ModelServer"]

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
LOG = logging.getLogger("novum.serve")
EXPLAINING = 500  # rows that an explanation counts as, since it asks the model about so many
LARGE = 2**16  # bytes of a body that is read in a thread


class Limits(NamedTuple):
    """What a request may ask for."""

    rows: int = 10_000
    explained: int = 20  # rows of one request
    bytes: int = 10 * 2**20
    seconds: float = 30.0  # for the body, and for the answer
    waiting: int = 256  # requests at work; more are refused as too many
    workers: int = 2  # threads for large requests and explanations, beside the one for small requests


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
    token : bytes or None
        What every request but those of probes must bring.
    log : AccessLog or None
    meter : Meter or None
        Counts, where several workers count together.
    """

    def __init__(
        self,
        model: Any,
        limits: Limits | None = None,
        name: str = "the model",
        hosts: Iterable[str] | None = None,
        *,
        token: bytes | None = None,
        log: AccessLog | None = None,
        meter: Meter | None = None,
    ) -> None:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route

        self.hosts, self.token, self.log, self.meter = host_names(hosts), token, log, meter or Meter()
        self.model, self.name, self.limits = model, name, limits or Limits()
        self.schema = schema_of(model, name)
        self.memory = memory_of(model, self.schema, name, "serving") if is_remembered(model) else None
        self.drift = RowDrift(self.schema, self.memory.reference if self.memory else {})
        usual = self.memory.usual if self.memory else {}
        self.began, self.served, self.warmed = monotonic(), 0, ""
        self.places = Places(self.limits.waiting, 5 * self.limits.rows)
        self.gatherer = Gatherer(self.predicted_together)
        self.pool = ThreadPoolExecutor(self.limits.workers, thread_name_prefix="novum-serve")
        page, policy = docs_page(self.schema, usual, name)
        described = openapi_document(self.schema, usual, self.limits.rows, self.limits.explained)
        html = partial(self.fixed, page.encode(), "text/html; charset=utf-8", {"content-security-policy": policy})
        routes = [
            Route("/predict", self.guarded(partial(self.rows_answered, "predict")), methods=["POST"]),
            Route("/explain", self.guarded(partial(self.rows_answered, "explain")), methods=["POST"]),
            Route("/health", self.guarded(self.health)),
            Route("/ready", self.guarded(self.ready)),
            Route("/metrics", self.guarded(self.metrics)),
            Route("/openapi.json", self.guarded(partial(self.fixed, as_bytes(described), JSON, {}))),
            Route(
                "/schema",
                self.guarded(partial(self.fixed, as_bytes(schema_document(self.schema, usual)), JSON, {})),
            ),
            Route("/docs", self.guarded(html)),
            Route("/", self.guarded(html)),
        ]
        self.application = Starlette(
            routes=routes, lifespan=self.life, exception_handlers={HTTPException: no_such_address}
        )
        self.application.router.redirect_slashes = False

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the start and end of the server, or a websocket, which has no address here
            await self.application(scope, receive, send)
            return
        start, said, bare = perf_counter(), [500, 0], scope["method"] == "HEAD"

        async def noted(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                said[0] = message["status"]
            else:
                said[1] += len(message.get("body", b""))
                message = {**message, "body": b""} if bare else message
            await send(message)

        self.meter.begin()
        try:
            try:
                check_host(scope, self.hosts)
                check_token(scope, self.token)
            except Refusal as refusal:
                await refused(refusal)(scope, receive, noted)
            else:
                await self.application(scope, receive, noted)
        finally:
            seconds = perf_counter() - start
            self.meter.end(scope["path"] if scope["path"] != "/" else "/docs", said[0], seconds)
            if self.log is not None:
                self.log.write(scope, said[0], seconds, said[1])

    @asynccontextmanager
    async def life(self, application: Any) -> AsyncIterator[None]:
        """Warm the model before the first request; at the end, finish what waits."""
        await asyncio.get_running_loop().run_in_executor(self.pool, self.warm)
        yield
        self.gatherer.end()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def warm(self) -> None:
        """Predict an ordinary row, so that the first request finds everything imported; note what is wrong otherwise."""
        try:
            if self.memory is not None:
                row = table_from([self.memory.usual], self.schema, unseen=True)
                self.predicted_together((False, None), [(Request(row, {}), *check(row, self.schema, unseen=True))])
            self.warmed = "ready"
        except Exception:
            LOG.exception("novum serve: the model does not predict an ordinary row")
            self.warmed = "the model does not predict an ordinary row; the log of the server says why"

    def guarded(self, work: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        """Return work on a request that answers whatever goes wrong; details of what is ours go to the log alone."""

        async def endpoint(request: Any) -> Any:
            try:
                return await work(request)
            except Refusal as refusal:
                return refused(refusal)
            except Exception:
                LOG.exception("novum serve: %s %s failed", request.method, request.url.path[:200])
                return refused(Refusal(500, "the server failed; its log says why."))

        return endpoint

    async def fixed(self, body: bytes, kind: str, more: dict[str, str], request: Any) -> Any:
        """Return an answer that never changes."""
        return answer(body, kind, headers=more)

    async def health(self, request: Any) -> Any:
        """Return that the server runs, and for how long."""
        found = {
            "status": "ok",
            "model": self.name,
            "target": self.schema.target,
            "version": __version__,
            "seconds": round(monotonic() - self.began, 1),
            "requests": self.served,
        }
        if self.token is not None:  # whoever has no token hears that it runs, and nothing else
            found = {"status": "ok"}
        return answer(as_bytes(found), JSON)

    async def ready(self, request: Any) -> Any:
        """Return whether requests should be sent here: the model predicts, and there is room."""
        if not self.warmed:
            await asyncio.get_running_loop().run_in_executor(self.pool, self.warm)
        why = "the server is busy" if self.places.full else self.warmed
        return answer(as_bytes({"status": why}), JSON, 200 if why == "ready" else 503)

    async def metrics(self, request: Any) -> Any:
        """Return the counts."""
        about = {
            "model": self.name,
            "target": self.schema.target,
            "task": self.schema.task,
            "version": __version__,
        }
        return answer(self.meter.text(about).encode(), "text/plain; version=0.0.4; charset=utf-8")

    async def rows_answered(self, kind: str, request: Any) -> Any:
        """Return the answer to a request for predictions or explanations."""
        headers = request.headers
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise Refusal(415, "send the body as it is, without Content-Encoding.")
        given = type_of_body(headers.get("content-type", ""))
        size = headers.get("content-length", "0")
        if size.isdigit() and int(size) > self.limits.bytes:
            raise self.too_large()
        body = await self.body_of(request)
        most = self.limits.rows if kind == "predict" else self.limits.explained
        read = partial(read_body, body, given, request.url.query, kind, self.schema, most)
        rows = read() if len(body) <= LARGE else await asyncio.get_running_loop().run_in_executor(self.pool, read)
        request.scope["novum.rows"] = rows.table.n_rows
        found = await self.worked(kind, rows)
        self.served += 1
        self.meter.add("rows_predicted", rows.table.n_rows)
        self.meter.add("drift_warnings", len(found.get("drift", ())))
        wanted = type_of_answer(headers.get("accept", ""), given)
        content, more = answer_bytes(found, wanted)
        return answer(content, wanted, headers=more)

    async def body_of(self, request: Any) -> bytes:
        """Return the body, up to the limits."""
        from starlette.requests import ClientDisconnect

        parts, size = [], 0
        try:
            async with asyncio.timeout(self.limits.seconds):
                async for part in request.stream():
                    size += len(part)
                    if size > self.limits.bytes:
                        raise self.too_large()
                    parts.append(part)
        except TimeoutError as error:
            raise Refusal(408, f"the body did not come within {self.limits.seconds:g} seconds.") from error
        except ClientDisconnect as error:
            raise Refusal(400, "the request ended before its body.") from error
        return b"".join(parts)

    def too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self.limits.bytes:,} bytes; send fewer rows at a time.")

    async def worked(self, kind: str, request: Request) -> dict[str, Any]:
        """Return what the threads make of a request, if it is done in time."""
        rows = request.table.n_rows
        cost = rows if kind == "predict" else EXPLAINING * rows
        small = kind == "predict" and rows <= MOST_ROWS
        item = self.checked(request) if small else None  # cheap, and nobody else's fault
        self.places.take(cost)
        future: Future[dict[str, Any]]
        if item is not None:
            future = self.gatherer.submit(self.key_of(request), rows, item)
        else:
            future = self.pool.submit(self.predicted if kind == "predict" else self.explained, request)
        future.add_done_callback(lambda _: self.places.leave(cost))  # whether or not anybody still waits
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)
        except TimeoutError as error:
            raise Refusal(503, f"no answer within {self.limits.seconds:g} seconds; send fewer rows.") from error
        except (DataError, ParameterError) as error:
            raise Refusal(422, str(error)) from error

    def key_of(self, request: Request) -> tuple[bool, float | None]:
        """Return what requests that are answered together have in common."""
        proba, options = bool(request.options.get("proba")), request.options
        if proba and not hasattr(self.model, "predict_proba"):
            raise Refusal(422, "proba: the model predicts numbers, which have no probabilities.")
        return proba, float(options.get("level", 0.9)) if options.get("interval") else None

    def checked(self, request: Request) -> tuple[Request, Any, list[str]]:
        """Return a request with its rows as the model takes them, and notes on them."""
        self.key_of(request)
        try:
            return (request, *check(request.table, self.schema, unseen=bool(request.options.get("unseen"))))
        except (DataError, ParameterError) as error:
            raise Refusal(422, str(error)) from error

    def predicted(self, request: Request) -> dict[str, Any]:
        """Return the answer to one request for predictions."""
        return self.predicted_together(self.key_of(request), [self.checked(request)])[0]

    def predicted_together(
        self, key: tuple[bool, float | None], items: Sequence[tuple[Request, Any, list[str]]]
    ) -> list[dict[str, Any]]:
        """Return the answers to requests for predictions, by one call of the model."""
        proba, level = key
        tables = [fitted for _, fitted, _ in items]
        found = predict_checked(
            self.model,
            self.schema,
            stacked_tables(tables),
            proba=proba,
            level=level,
            name=self.name,
            memory=self.memory,
        )
        self.meter.add("batches", 1)
        parts = parts_of_predictions(found, [table.n_rows for table in tables])
        return [
            {
                "target": self.schema.target,
                "predictions": answers_of(part),
                "notes": [*request.notes, *notes],
                "drift": self.drift.notes(fitted) if self.memory else [],
            }
            for part, (request, fitted, notes) in zip(parts, items)
        ]

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
        notes = [*request.notes, *found.notes]
        return {"target": self.schema.target, "explanations": found.records(), "notes": notes}
