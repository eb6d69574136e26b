"""Two processes that run scenes, and who may have one.

A run whose reader has left is told to stop; one that does not stop in time is ended, and a new process takes its place. Pipes hold
little, so that a run waits for a reader who is slow, and nothing piles up.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from novum.lab.server.access import Barred
from novum.lab.server.limits import Limits
from novum.lab.server.messages import ANSWER, DONE, EVENT, HEADER, READY

__all__ = ["Pool"]

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
STARTING = 120.0  # seconds until a process must have imported what it needs


class Ended(Exception):
    """The process has gone."""


class Worker:
    """One process and the pipes to it."""

    process: asyncio.subprocess.Process

    def __init__(self, limits: Limits) -> None:
        self.limits, self.ready = limits, False
        self.begun: tuple[bytes, int] | None = None  # kind and length of a message whose content has not been read

    async def start(self) -> None:
        """Start the process; it imports for a while before it answers."""
        self.ready, self.begun = False, None
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "novum.lab.server.worker", str(self.limits.memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
        )

    async def message(self, seconds: float) -> tuple[bytes, bytes]:
        """Return the next message that the process sends within so many seconds; who is cancelled in the middle loses none."""
        assert self.process.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                if self.begun is None:
                    self.begun = HEADER.unpack(await self.process.stdout.readexactly(HEADER.size))
                content = await self.process.stdout.readexactly(self.begun[1])
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Ended from error
        kind, self.begun = self.begun[0], None
        return kind, content

    def tell(self, what: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what).encode() + b"\n")

    async def until_ready(self) -> None:
        while not self.ready:
            self.ready = (await self.message(STARTING))[0] == READY

    async def end(self) -> None:
        """End the process, whatever it does."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()

    async def restart(self) -> None:
        await self.end()
        await self.start()


class Pool:
    """The processes of a server."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.workers = [Worker(limits) for _ in range(limits.workers)]
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.waiting = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    async def start(self) -> None:
        for worker in self.workers:
            await worker.start()
            self.free.put_nowait(worker)

    async def close(self) -> None:
        """End all processes."""
        self.closed = True
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for worker in self.workers:
            await worker.end()

    async def taken(self) -> Worker:
        """Return a free process, or raise where too many wait for one."""
        if self.waiting >= self.limits.waiting and self.free.empty():
            raise Barred(503, "the lab is busy; try again in a moment.")
        self.waiting += 1
        try:
            worker = await self.free.get()
        finally:
            self.waiting -= 1
        if worker.process.returncode is not None:  # it died while nobody used it
            await worker.restart()
        return worker

    async def run(self, worker: Worker, request: dict[str, Any]) -> AsyncIterator[bytes]:
        """Yield the events of a run as bytes; whoever stops reading gives the process back."""
        done = False
        try:
            await worker.until_ready()
            worker.tell(request)
            while True:
                kind, content = await worker.message(self.limits.seconds + 2)
                if kind == DONE:
                    done = True
                    return
                assert kind == EVENT
                yield content
        except TimeoutError:
            yield refused_event(f"the run took longer than {self.limits.seconds:g} seconds; ask for less.")
        except Ended:
            yield refused_event("the run ended its process; ask for less.")
        finally:
            self.give_back(worker, done)

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request that is no run."""
        worker, done = await self.taken(), False
        try:
            await worker.until_ready()
            worker.tell(request)
            kind, content = await worker.message(self.limits.seconds + 2)
            assert kind == ANSWER
            done = (await worker.message(self.limits.seconds))[0] == DONE
        except TimeoutError as error:
            raise Barred(503, f"no answer within {self.limits.seconds:g} seconds; ask for less.") from error
        except Ended as error:
            raise Barred(503, "the request ended its process; ask for less.") from error
        finally:
            self.give_back(worker, done)
        found = json.loads(content)
        if "refused" in found:
            raise Barred(422, found["refused"]["sentence"], found["refused"]["control"])
        return found

    def give_back(self, worker: Worker, done: bool) -> None:
        """Let others have a process: at once where it has done its work, else when it has stopped or was ended."""
        if done:
            self.free.put_nowait(worker)
        elif not self.closed:
            task = asyncio.get_running_loop().create_task(self.stop(worker))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def stop(self, worker: Worker) -> None:
        """Stop the run of a process, by force where it does not listen."""
        try:
            if worker.ready and worker.process.returncode is None:
                worker.tell({"stop": True})
                async with asyncio.timeout(self.limits.grace):
                    while (await worker.message(self.limits.grace))[0] != DONE:
                        pass
            elif worker.process.returncode is not None:
                raise Ended
        except (TimeoutError, Ended, ConnectionError):
            await worker.restart()
        self.free.put_nowait(worker)


def refused_event(sentence: str) -> bytes:
    """Return the event that says why a run ends."""
    return f"event: refused\ndata: {json.dumps({'sentence': sentence, 'control': None})}\n\n".encode()
