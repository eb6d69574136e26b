"""The addresses of studies: pages of the one that is open, its script, a table to upload, and a study of it as a stream."""

import asyncio
from collections.abc import Sequence
from typing import Any

from novum.lab.server.access import Barred

__all__ = ["study_routes"]

TAKE_AWAY = "take-away"
FORMS = ("python", "notebook")


def study_routes(server: Any) -> list[Any]:
    """Return the routes of a server's studies; what changes something is a POST, which no other site's page can send."""
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    from novum.lab.server.app import answer, checked_body

    studies = server.studies

    async def upload(request: Any) -> Any:
        """Take a table: the body is the file as it is, its name stands in the address."""
        return answer(await studies.receive(request))

    async def new(request: Any) -> Any:
        await studies.read_given()
        body = checked_body(await server.body_of(request))
        return answer(await asyncio.to_thread(studies.page, body.get("state", {})))

    async def run(request: Any) -> Any:
        """Stream the events of a study; closing the answer ends it."""
        stream = await studies.begin(checked_body(await server.body_of(request)).get("state", {}))
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def stop(request: Any) -> Any:
        checked_body(await server.body_of(request))
        studies.stop()
        return answer({})

    async def script(request: Any) -> Any:
        """Return the program of the kept model, with what was set on the pages."""
        body = checked_body(await server.body_of(request), "form")
        if body.get("form", FORMS[0]) not in FORMS:
            raise Barred(422, f"form must be one of {', '.join(FORMS)}.", "form")
        opened(TAKE_AWAY, (TAKE_AWAY,))
        wanted = {"kind": "script", "state": body.get("state", {}), "form": body.get("form", FORMS[0])}
        found = await server.pool.answer({**wanted, **studies.place_of_study()})
        return answer(found if wanted["form"] == "python" else found["notebook"])

    async def page(request: Any) -> Any:
        """Return a page of the study that is open."""
        name = request.path_params["name"]
        opened(name, studies.info["pages"] if studies.info else ())
        body = checked_body(await server.body_of(request))
        wanted = {"kind": "study", "page": name, "state": body.get("state", {})}
        return answer(await server.pool.answer({**wanted, **studies.place_of_study()}))

    def opened(name: str, pages: Sequence[str]) -> None:
        """Raise unless the open study has something to show on a page, one of some."""
        if studies.info is None or name not in pages:
            raise Barred(404, "there is no such page of a study.")
        if name in studies.info["closed"]:
            raise Barred(422, f"the study has nothing to show on the page {name}.")

    named = {"upload": upload, "new": new, "run": run, "stop": stop, "script": script, "{name}": page}
    return [Route(f"/api/study/{name}", server.guarded(work), methods=["POST"]) for name, work in named.items()]
