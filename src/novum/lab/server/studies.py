"""Studies on the server: the folder that is asked, the table that was uploaded, and the study of it that runs.

A page names no file: the folder and tables are those of the command line, or what the page uploaded, which lies in a folder of its
own until the server ends. There is one table and one running study; whoever closes the stream of a study ends it.
"""

import asyncio
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from novum.lab.analyst.new import Upload, controls, options_of
from novum.lab.analyst.page import checked_state, page_answer
from novum.lab.controls import Refusal, shown_value
from novum.lab.protocol.digest import VERSION
from novum.lab.server.access import Barred
from novum.lab.server.limits import Limits
from novum.lab.server.messages import EVENT
from novum.lab.server.study_run import StudyRun
from novum.study.folder_names import default_folder

__all__ = ["Studies"]

LONGEST_NAME = 100
MOST_FOLDERS = 1_000  # of one name
EMPTY: dict[str, Any] = {"controls": [], "state": {}, "values": {}, "arrays": {}, "views": [], "say": None, "notes": []}


class Studies:
    """What the server knows of studies.

    Parameters
    ----------
    limits : Limits
    folder : path or None
        Of a study, to be asked.
    data : path or None
        The table of that study.
    table : path or None
        A table to be studied.
    """

    def __init__(
        self, limits: Limits, folder: Path | None = None, data: Path | None = None, table: Path | None = None
    ) -> None:
        self.limits, self.folder, self.data = limits, folder, data
        self.info = None if folder is None else study_summary(folder, data)
        self.upload: Upload | None = None
        self.table, self.given = table, table  # given by the command line: not ours to remove
        self.temporary: Path | None = None
        self.run: StudyRun | None = None
        self.running = ""  # what the process does
        self.tasks: set[asyncio.Task[None]] = set()

    def place_of_study(self) -> dict[str, Any]:
        """Return where the open study and its table are, as a request to a worker has it."""
        return {"folder": str(self.folder), "data": None if self.data is None else str(self.data)}

    async def close(self) -> None:
        """End what runs and remove what was uploaded."""
        if self.run is not None:
            await self.run.end()
        await self.settled()
        if self.temporary is not None:
            await asyncio.to_thread(shutil.rmtree, self.temporary, True)

    def place(self) -> Path:
        """Return a new folder for a table."""
        if self.temporary is None:
            self.temporary = Path(tempfile.mkdtemp(prefix="novum-lab-"))
        return Path(tempfile.mkdtemp(dir=self.temporary))

    async def settled(self) -> None:
        """Wait until processes that are being ended have ended."""
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def taken(self, what: str) -> None:
        """Take the one place for a process, or raise."""
        if self.running:
            raise Barred(409, f"{self.running} already; wait for its end or stop it.")
        self.running = what

    def free(self) -> None:
        """End the process, if it has not ended, and give its place back."""
        run, self.run = self.run, None

        async def ended() -> None:
            if run is not None:
                await run.end()
            self.running = ""

        task = asyncio.get_running_loop().create_task(ended())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # ------------------------------------------------------------------------------------------------ the table

    async def receive(self, request: Any) -> dict[str, Any]:
        """Store the table that a request brings and return what it holds."""
        await self.settled()
        self.taken("a table is being read")
        folder = self.place()
        try:
            path = folder / plain_name(request.query_params.get("name", ""))
            await self.store(request, path)
            await self.read(path)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            self.free()
        return self.page({})

    async def store(self, request: Any, path: Path) -> None:
        """Write the body of a request to a file, within the limits."""
        from starlette.requests import ClientDisconnect

        most = self.limits.table_bytes
        too_large = Barred(413, f"the table is larger than {most // 2**20:,} MB; use `novum study`.")
        size = request.headers.get("content-length", "0")
        if not size.isdigit() or int(size) > most:
            raise too_large
        left = most
        stream = request.stream().__aiter__()
        try:
            with path.open("wb") as file:
                while True:
                    async with asyncio.timeout(self.limits.body_seconds):
                        part = await anext(stream, None)
                    if part is None:
                        return
                    left -= len(part)
                    if left < 0:
                        raise too_large
                    await asyncio.to_thread(file.write, part)
        except TimeoutError as error:
            seconds = self.limits.body_seconds
            raise Barred(408, f"nothing more of the table came for {seconds:g} seconds.") from error
        except ClientDisconnect as error:
            raise Barred(400, "the request ended before the table.") from error
        except OSError as error:
            raise Barred(507, f"the table cannot be stored: {error.strerror or error}.") from error

    async def read(self, path: Path) -> None:
        """Read the table in a file in a process of its own, and make it the one that can be studied."""
        self.run = StudyRun()
        wanted = {"kind": "describe", "table": path.name, "memory": self.limits.table_memory}
        await self.run.start(path.parent, wanted)
        found = Upload(await self.run.answer(self.limits.table_seconds))
        old, self.table, self.upload = self.table, path, found
        if old not in (None, self.given, self.data, path):
            shutil.rmtree(old.parent, ignore_errors=True)

    async def read_given(self) -> None:
        """Read the table that the command line named."""
        if self.given is not None and self.upload is None:
            self.taken("a table is being read")
            try:
                await self.read(self.given)
            finally:
                self.free()

    def page(self, state: Any) -> dict[str, Any]:
        """Return the page of a new study."""
        from novum.lab.analyst import new

        if self.upload is None:
            return {"v": VERSION, "page": "new", **EMPTY}
        return page_answer(new, "new", self.upload, state)

    # ------------------------------------------------------------------------------------------------ the study

    def stop(self) -> None:
        """Let the running study keep what is finished."""
        if self.run is None:
            raise Barred(409, "no study runs.")
        self.run.stop()

    async def begin(self, state: Any) -> AsyncIterator[bytes]:
        """Return the events of a study of the table, or raise where there can be none."""
        if self.upload is None or self.table is None:
            raise Barred(409, "there is no table yet: choose a file first.")
        await self.settled()
        options = options_of(
            self.upload, checked_state("new", controls(self.upload, state if isinstance(state, dict) else {}), state)
        )
        if self.running:
            raise Barred(409, f"{self.running} already; wait for its end or stop it.")
        return self.events(options, self.table)

    async def events(self, options: dict[str, Any], table: Path) -> AsyncIterator[bytes]:
        """Yield the events of a study; whoever stops reading ends it."""
        try:
            self.taken("a study runs")  # here: a stream that is never begun must not hold the place
        except Barred as error:
            yield event("refused", {"sentence": error.sentence, "control": None})
            return
        try:
            folder = free_folder(default_folder(table.name, options["target"]))
            wanted = {"table": table.name, "options": options, "folder": str(folder)}
            self.run = StudyRun()
            await self.run.start(table.parent, {"kind": "study", **wanted})
            async for kind, content in self.run.messages():
                if kind == EVENT:
                    for name, data in content.items():
                        yield event(name, data)
                elif content.get("folder"):
                    self.folder, self.data = folder, table
                    self.info = await asyncio.to_thread(study_summary, folder, table, False)
                    yield event("end", {"study": self.info, "folder": folder.name, "complete": content["complete"]})
                else:
                    why = content.get("refused") or f"{content['why']}; nothing is written."
                    yield event("refused", {"sentence": why, "control": None})
        except (Refusal, Barred) as error:
            yield event("refused", {"sentence": error.sentence, "control": None})
        finally:
            self.free()


def event(name: str, data: Any) -> bytes:
    """Return an event as a stream has it."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, allow_nan=False)}\n\n".encode()


def plain_name(given: str) -> str:
    """Return the name under which a table is stored: one of a file in this folder, whatever was given."""
    name = re.split(r"[/\\]", given)[-1]
    name = "".join(c if c.isalnum() or c in " ._-()" else "_" for c in name).strip(" .-")
    while len(name.encode()) > LONGEST_NAME:
        name = name[1:]
    return name or "table"


def free_folder(name: str) -> Path:
    """Return a folder where the lab was started that is not there yet."""
    if not os.access(Path.cwd(), os.W_OK):
        raise Barred(507, "the folder where `novum lab` was started cannot be written; start it in another.")
    for number in range(1, MOST_FOLDERS):
        made = Path.cwd() / (name if number == 1 else f"{name}-{number}")
        if not made.exists():
            return made
    raise Barred(507, f"there are {MOST_FOLDERS - 1} folders {shown_value(name)} here already; remove some.")


def study_summary(folder: Path, data: Path | None, checked: bool = True) -> dict[str, Any]:
    """Return what the page is told of a study, or raise a Refusal: the folder has none, or the table is another."""
    from novum.lab.analyst.folder import study_in
    from novum.lab.analyst.pages import study_info
    from novum.lab.analyst.table_rows import data_rows

    study = study_in(folder, data)
    if checked:
        data_rows(study)
    return study_info(study)
