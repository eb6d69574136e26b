"""Who may ask, and what is written down of it: names of this server, a token, a log of requests as lines of JSON.

The token is compared in constant time and stands nowhere else: no header of a request is ever written down.
"""

import hmac
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from novum.exceptions import ParameterError, SourceError
from novum.study.serving.rows import Refusal

__all__ = ["OPEN", "TOKEN", "AccessLog", "check_host", "check_token", "host_names", "token_in"]

TOKEN = "NOVUM_SERVE_TOKEN"
LEAST_TOKEN = 16  # characters
OPEN = ("/health", "/ready")  # answered without the token, since what probes a server has none


def token_in(environment: Any) -> bytes | None:
    """Take the token out of the environment and return it; None where there is none."""
    token = environment.pop(TOKEN, "").strip()
    if token and (len(token) < LEAST_TOKEN or not token.isascii() or any(mark.isspace() for mark in token)):
        raise ParameterError(
            f"{TOKEN}: must have {LEAST_TOKEN} or more ASCII characters without blanks; `openssl rand -hex 32` makes one."
        )
    return token.encode() or None


def check_token(scope: dict[str, Any], token: bytes | None) -> None:
    """Refuse a request that does not bring the token, where there is one."""
    if token is None or scope["path"] in OPEN:
        return
    said = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
    kind, _, given = said[0].partition(b" ") if len(said) == 1 else (b"", b"", b"")
    if not (hmac.compare_digest(given.strip(), token) and kind.lower() == b"bearer"):
        raise Refusal(401, "this server asks for a token: send the header Authorization: Bearer <token>.")


def host_names(hosts: Iterable[str] | None) -> set[str] | None:
    """Return the names that requests may be addressed to, as they are compared."""
    return None if hosts is None else {host.lower().rstrip(".") for host in hosts}


def check_host(scope: dict[str, Any], hosts: set[str] | None) -> None:
    """Refuse a request for a name that is not ours: a page elsewhere may have its own name lead here and then read the answers.

    An address of numbers cannot be made to lead elsewhere, and is always fine.
    """
    if hosts is None:
        return
    said = [value for name, value in scope["headers"] if name.lower() == b"host"]
    host = name_in(said[0].decode("latin-1")) if len(said) == 1 else ""
    if not (is_address(host) or host in hosts):
        raise Refusal(421, f"this server does not answer for the host {host[:80]!r}; start it with --allow-host.")


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


class AccessLog:
    """A line of JSON for every answer, in a file, or on standard output where the path is "-".

    Lines are written whole and at the end of the file, so several workers may share it.
    """

    def __init__(self, path: str) -> None:
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self.file = 1 if path == "-" else os.open(path, flags, 0o640)
        except OSError as error:
            raise SourceError(f"{path}: cannot be written: {error.strerror}.") from error

    def write(self, scope: dict[str, Any], status: int, seconds: float, size: int) -> None:
        """Write what was asked, by whom, and how it was answered; of the address the path alone."""
        client = scope.get("client")
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "client": client[0] if client else None,
            "method": scope["method"][:20],
            "path": scope["path"][:200],
            "status": status,
            "seconds": round(seconds, 6),
            "rows": scope.get("novum.rows", 0),
            "bytes": size,
            "worker": os.getpid(),
        }
        os.write(self.file, (json.dumps(line, ensure_ascii=True) + "\n").encode())

    def close(self) -> None:
        """Close the file."""
        if self.file != 1:
            os.close(self.file)
