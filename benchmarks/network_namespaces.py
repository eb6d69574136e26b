"""Machines of a small cluster on one: network namespaces behind a bridge, each on a link of its own rate.

    namespace of a machine -- veth, tbf both ways -- bridge in a namespace of its own

Needs Linux, root, `ip` and `tc` (iproute2). What a machine sends and receives is read from the counters of its link.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["Counted", "Machines", "machines"]

SUBNET = "10.213.7"
BURST, QUEUE = "32kb", "400ms"  # of the token bucket: little more than a packet at once, and no loss before TCP notices


class Counted(NamedTuple):
    """Bytes that passed a link since it was made."""

    sent: int
    received: int


class Machines:
    """Namespaces by number; number 0 is that of the scheduler and the client."""

    def __init__(self, count: int, megabits: float) -> None:
        self.count, self.megabits = count, megabits
        self.prefix = f"novum{os.getpid()}"
        self.switch = f"{self.prefix}-switch"
        self.processes: list[subprocess.Popen] = []

    def name(self, number: int) -> str:
        """Return the namespace of a machine."""
        return f"{self.prefix}-{number}"

    def address(self, number: int) -> str:
        """Return the address of a machine."""
        return f"{SUBNET}.{number + 1}"

    def build(self) -> None:
        """Make the bridge, the namespaces and their links."""
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.switch, "link", "set", "bridge", "up")
        for number in range(self.count):
            name, port = self.name(number), f"port{number}"
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            peer = ("peer", "name", port, "netns", self.switch)
            ip("-n", name, "link", "add", "link0", "type", "veth", *peer)
            ip("-n", name, "address", "add", f"{self.address(number)}/24", "dev", "link0")
            ip("-n", self.switch, "link", "set", port, "master", "bridge")
            for space, device in ((name, "link0"), (self.switch, port)):
                rate = ("tbf", "rate", f"{self.megabits}mbit", "burst", BURST, "latency", QUEUE)
                run("tc", "-n", space, "qdisc", "add", "dev", device, "root", *rate)
                ip("-n", space, "link", "set", device, "up")

    def start(self, number: int, *command: str, heard: bool = False) -> subprocess.Popen:
        """Start a program on a machine; what it says is shown where it is `heard`."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.name(number), *command],
            stdout=None if heard else subprocess.DEVNULL,
            stderr=None if heard else subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def end(self) -> None:
        """Stop what was started, and take the namespaces away."""
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for number in range(self.count):
            run("ip", "netns", "delete", self.name(number), check=False)
        run("ip", "netns", "delete", self.switch, check=False)


def counted(switch: str) -> dict[int, Counted]:
    """Return what every machine has sent and received: seen from the bridge, so what a port receives a machine sends."""
    links = json.loads(run("ip", "-n", switch, "-s", "-j", "link", "show", "type", "veth"))
    found = {}
    for link in links:
        bytes_of = link["stats64"]
        found[int(link["ifname"].removeprefix("port"))] = Counted(bytes_of["rx"]["bytes"], bytes_of["tx"]["bytes"])
    return found


def run(*command: str, check: bool = True) -> str:
    """Return what a program prints; raise with its own words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def ip(*words: str) -> str:
    return run("ip", *words)


@contextmanager
def machines(count: int, megabits: float) -> Iterator[Machines]:
    """Give machines that are taken away in any case."""
    if sys.platform != "linux" or os.geteuid() != 0 or not all(map(shutil.which, ("ip", "tc"))):
        raise SystemExit("benchmarks.cluster_network makes network namespaces: it needs Linux, root, `ip` and `tc`.")
    made = Machines(count, megabits)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that a time limit ends it as Ctrl-C does
    try:
        made.build()
        yield made
    finally:
        made.end()
        signal.signal(signal.SIGTERM, before)
