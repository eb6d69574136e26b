"""A process that reads a table or studies it, as the server sees it: listened to, stopped, and ended with all its children."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from novum.lab.controls import Refusal
from novum.lab.server.messages import EVENT, HEADER

__all__ = ["StudyRun"]

LONGEST = 64 * 2**20  # bytes of a message
GONE = "the process ended before its answer: there may be too little memory for this table; study a sample of its rows."


class StudyRun:
    """A process of novum.lab.server.study_process."""

    process: asyncio.subprocess.Process

    async def start(self, folder: Path, request: dict[str, Any]) -> None:
        """Start the process in a folder and say what it is to do."""
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "novum.lab.server.study_process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONSAFEPATH": "1"},  # a table that is called numpy.py is no module of anyone's
            start_new_session=True,  # Ctrl-C is for the server; and all that it starts can be ended together
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")

    async def messages(self) -> AsyncIterator[tuple[bytes, dict[str, Any]]]:
        """Yield the events and, last, the answer; a Refusal where it has none."""
        assert self.process.stdout is not None
        kind = EVENT
        try:
            while kind == EVENT:
                kind, length = HEADER.unpack(await self.process.stdout.readexactly(HEADER.size))
                if length > LONGEST:
                    raise Refusal("the table has too many columns for the lab; use `novum study`.")
                yield kind, json.loads(await self.process.stdout.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Refusal(GONE) from error

    async def answer(self, seconds: float) -> dict[str, Any]:
        """Return the answer of a process that sends no events."""
        try:
            async with asyncio.timeout(seconds):
                async for _, content in self.messages():
                    found = content
        except TimeoutError as error:
            raise Refusal(f"the table could not be read within {seconds:g} seconds; use `novum study`.") from error
        if "refused" in found:
            raise Refusal(found["refused"])
        return found

    def stop(self) -> None:
        """Let a study keep what is finished and end."""
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(b'{"stop": true}\n')

    async def end(self) -> None:
        """End the process and whatever it has started."""
        with suppress(ProcessLookupError, PermissionError):
            if self.process.returncode is not None:  # it has ended all of them itself
                pass
            elif hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        await self.process.wait()
