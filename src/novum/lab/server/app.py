"""The server as an ASGI application: fixed addresses, a sentence for every wrong request, runs as streams."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from novum import __version__
from novum.lab.controls import Refusal, shown_value
from novum.lab.protocol.digest import VERSION
from novum.lab.registry import catalogue, chapter_titles, scene_named
from novum.lab.scene import FAMILIES
from novum.lab.server.access import HEADERS, Access, Barred
from novum.lab.server.assets import LANGUAGES, File, built_files, recorded_runs, words_in
from novum.lab.server.export import offline_page
from novum.lab.server.limits import Limits
from novum.lab.server.studies import Studies
from novum.lab.server.study_routes import study_routes
from novum.lab.server.workers import Pool

__all__ = ["LabServer"]

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
T = TypeVar("T")
LOG = logging.getLogger("novum.lab")
JSON = "application/json; charset=utf-8"
DEEPEST = 40  # brackets of a body within each other
LONGEST_QUESTION = 200


class LabServer:
    """The page, the scenes and what runs them.

    Parameters
    ----------
    token : str
        What every request to /api must bring.
    port : int
        Where the server listens, at 127.0.0.1.
    limits : Limits or None
    study : path or None
        The folder of a study, to be asked; no request names another.
    data : path or None
        The table of that study.
    table : path or None
        A table to be studied.
    """

    def __init__(
        self,
        token: str,
        port: int,
        limits: Limits | None = None,
        study: Path | None = None,
        *,
        data: Path | None = None,
        table: Path | None = None,
    ) -> None:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route

        self.access, self.limits = Access(token, port), limits or Limits()
        self.files, self.recorded = built_files(), recorded_runs()
        self.pool = Pool(self.limits)
        self.studies = Studies(self.limits, study, data, table)
        routes = [
            Route("/", self.guarded(self.page)),
            Route("/assets/{name}", self.guarded(self.asset)),
            Route("/recorded/{name}", self.guarded(self.recording)),
            Route("/words/{name}", self.guarded(self.words)),
            Route("/api/scenes", self.guarded(self.scenes)),
            Route("/api/find", self.guarded(self.find)),
            *study_routes(self),
            Route("/api/run", self.guarded(self.run), methods=["POST"]),
            Route("/api/code", self.guarded(self.code), methods=["POST"]),
            Route("/api/notebook", self.guarded(self.notebook), methods=["POST"]),
            Route("/api/export", self.guarded(self.export), methods=["POST"]),
        ]
        self.application = Starlette(
            routes=routes, lifespan=self.life, exception_handlers={HTTPException: wrong_address}
        )
        self.application.router.redirect_slashes = False

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return

        async def with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        try:
            self.access.check(scope)
        except Barred as barred:
            await sentence(barred)(scope, receive, with_headers)
        else:
            await self.application(scope, receive, with_headers)

    @asynccontextmanager
    async def life(self, application: Any) -> AsyncIterator[None]:
        """Start the processes with the server, and end them with it."""
        await self.pool.start()
        try:
            yield
        finally:
            await self.studies.close()
            await self.pool.close()

    def guarded(self, work: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        """Return work on a request that answers whatever goes wrong; details of what is ours go to the log alone."""

        async def endpoint(request: Any) -> Any:
            try:
                return await work(request)
            except Barred as barred:
                return sentence(barred)
            except Refusal as refusal:
                return sentence(Barred(422, refusal.sentence, refusal.control))
            except Exception:
                LOG.exception("novum lab: %s %s failed", request.method, request.url.path[:200])
                return sentence(Barred(500, "the lab failed; the terminal says why."))

        return endpoint

    async def page(self, request: Any) -> Any:
        if "index.html" not in self.files:
            raise Barred(503, "the page is not built: run `make web`.")
        return sent(request, self.files["index.html"])

    async def asset(self, request: Any) -> Any:
        return sent(request, known(self.files, request.path_params["name"]))

    async def recording(self, request: Any) -> Any:
        return sent(request, known(self.recorded, request.path_params["name"]))

    async def words(self, request: Any) -> Any:
        language, _, ending = request.path_params["name"].rpartition(".")
        if language not in LANGUAGES or ending != "json":
            raise Barred(404, f"the lab speaks {', '.join(LANGUAGES)}.")
        return answer(words_in(language), {"cache-control": "no-cache"})

    async def scenes(self, request: Any) -> Any:
        """Return the catalogue."""
        return answer(
            {
                "v": VERSION,
                "novum": __version__,
                "scenes": catalogue(),
                "families": list(FAMILIES),
                "chapters": chapter_titles(),
                "study": self.studies.info,
            }
        )

    async def find(self, request: Any) -> Any:
        question = request.query_params.get("q", "")
        if len(question) > LONGEST_QUESTION:
            raise Barred(422, f"a question has at most {LONGEST_QUESTION} characters.")
        return answer((await self.pool.answer({"kind": "find", "q": question}))["found"])

    async def run(self, request: Any) -> Any:
        """Stream the events of a run; closing the answer ends it."""
        from starlette.responses import StreamingResponse

        wanted = await self.scene_request(request, "run")
        worker = await unless_gone(request, self.pool.taken())
        stream = self.pool.run(worker, wanted)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def code(self, request: Any) -> Any:
        return answer(await self.pool.answer(await self.scene_request(request, "code")))

    async def notebook(self, request: Any) -> Any:
        """Return the script of a frame as a notebook."""
        return answer((await self.pool.answer(await self.scene_request(request, "notebook")))["notebook"])

    async def export(self, request: Any) -> Any:
        """Return a run as one HTML file."""
        from starlette.responses import HTMLResponse

        wanted = await self.scene_request(request, "events")
        found = await self.pool.answer(wanted)
        meta = {
            "frame": found["place"],
            "part": found["part"],
            "lang": wanted["lang"],
            "python": found["python"],
            "command": f"novum lab --scene {wanted['scene']} --state state.json",
        }
        disposition = f'attachment; filename="{wanted["scene"]}.html"'
        page = await asyncio.to_thread(offline_page, found["events"], meta)
        return HTMLResponse(page, headers={"content-disposition": disposition, "cache-control": "no-store"})

    async def scene_request(self, request: Any, kind: str) -> dict[str, Any]:
        """Return a request about a scene whose form is right; its values are for the scene to check."""
        body = await self.body_of(request)
        if not isinstance(body, dict) or set(body) - {"v", "scene", "state", "frame", "part", "lang"}:
            raise Barred(422, "the body must have v, scene, state, and frame, part and lang where they matter.")
        checked_version(body)
        scene = scene_named(body.get("scene"))
        if scene is None:
            raise Barred(404, f"scene={shown_value(body.get('scene'))}: there is no such scene.", "scene")
        frame, part, language = body.get("frame", 0), body.get("part", ""), body.get("lang", "en")
        if not isinstance(frame, int) or isinstance(frame, bool) or not 0 <= frame < 10**6:
            raise Barred(422, f"frame={shown_value(frame)}: must be the number of a frame.", "frame")
        if part not in ("", *scene.parts):
            raise Barred(422, f"part={shown_value(part)}: must be a part of this scene.", "part")
        if language not in LANGUAGES:
            raise Barred(422, f"lang={shown_value(language)}: must be one of {', '.join(LANGUAGES)}.", "lang")
        state = body.get("state", {})
        scene.read(state)  # what is wrong is said before a process is taken
        return {"kind": kind, "scene": scene.name, "state": state, "frame": frame, "part": part, "lang": language}

    async def body_of(self, request: Any) -> Any:
        """Return the JSON of a body, within the limits."""
        from starlette.requests import ClientDisconnect

        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Barred(415, "send JSON, as application/json.")
        size = request.headers.get("content-length", "0")
        too_large = Barred(413, f"the body is larger than {self.limits.bytes:,} bytes.")
        if not size.isdigit() or int(size) > self.limits.bytes:
            raise too_large
        parts, length = [], 0
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for part in request.stream():
                    length += len(part)
                    if length > self.limits.bytes:
                        raise too_large
                    parts.append(part)
        except TimeoutError as error:
            raise Barred(408, f"the body did not come within {self.limits.body_seconds:g} seconds.") from error
        except ClientDisconnect as error:
            raise Barred(400, "the request ended before its body.") from error
        return read_json(b"".join(parts))


async def unless_gone(request: Any, work: Coroutine[Any, Any, T]) -> T:
    """Return what work returns, or end it when whoever asked has left: those who stay do not wait behind them."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(left())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Barred(400, "the request ended before its answer.")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


def read_json(body: bytes) -> Any:
    """Return a body as JSON has it, without NaN and deep nests."""

    def no_constant(name: str) -> Any:
        raise ValueError(name)

    try:
        return json.loads(body.decode("utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise Barred(400, "the body is not JSON.") from error


def checked_body(body: Any, *more: str) -> dict[str, Any]:
    """Return a body with v, state and perhaps more, or raise."""
    if not isinstance(body, dict) or set(body) - {"v", "state", *more}:
        raise Barred(422, f"the body must have {', '.join(['v', 'state', *more])} and nothing else.")
    checked_version(body)
    return body


def checked_version(body: dict[str, Any]) -> None:
    """Raise unless a body is of this version of the protocol."""
    if body.get("v") != VERSION or isinstance(body.get("v"), bool):
        raise Barred(422, f"v={shown_value(body.get('v'))}: this server speaks version {VERSION}.", "v")


def known(files: dict[str, File], name: str) -> File:
    """Return a file by its name, or raise."""
    if name not in files:
        raise Barred(404, "there is no such address.")
    return files[name]


def sent(request: Any, file: File) -> Any:
    """Return a file, or that the one the browser has is the same."""
    from starlette.responses import Response

    content, tag = file.read()
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=file.kind, headers=headers)


def answer(value: Any, headers: dict[str, str] | None = None, status: int = 200) -> Any:
    """Return a value as JSON."""
    from starlette.responses import Response

    content = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return Response(content, status, media_type=JSON, headers={"cache-control": "no-store", **(headers or {})})


def sentence(barred: Barred) -> Any:
    """Return the answer to a request that is barred."""
    return answer({"sentence": barred.sentence, "control": barred.control}, status=barred.status)


async def wrong_address(request: Any, error: Any) -> Any:
    """Return the answer to an address or a method that is not there."""
    said = "there is no such address." if error.status_code == 404 else "this address does not take that method."
    return sentence(Barred(error.status_code, said))
