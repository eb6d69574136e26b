"""Who may ask: a page of this server, with the token that the terminal printed.

The token stands in the fragment of the printed address, which no browser sends, and in no page: another user of the machine may
get the page, and can do nothing with it. Host and Origin are compared with the two names of this server, so that no other site's
page reads an answer, under whatever name it is addressed.
"""

import hmac
import secrets
from typing import Any

from novum.lab.controls import shown_value

__all__ = ["HEADERS", "POLICY", "Access", "Barred", "new_token"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Barred(Exception):
    """A request that is answered by a status and a sentence."""

    def __init__(self, status: int, sentence: str, control: str | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.control = status, sentence, control


def new_token() -> str:
    """Return a token of 128 random bits."""
    return secrets.token_hex(16)


class Access:
    """The checks of one server."""

    def __init__(self, token: str, port: int) -> None:
        self.token = token.encode()
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    def check(self, scope: dict[str, Any]) -> None:
        """Raise Barred unless the request is addressed to this server, by its own page, with the token where one is needed."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        host = single(headers, b"host")
        if host not in self.hosts:
            raise Barred(400, f"this server does not answer for the host {shown_value(host)}.")
        origins = [value for name, value in headers if name == b"origin"]
        if origins and single(headers, b"origin") not in self.origins:
            raise Barred(403, "this server answers its own page alone.")
        site = single(headers, b"sec-fetch-site")
        if site not in ("", "same-origin", "none"):
            raise Barred(403, "this server answers its own page alone.")
        if scope["path"].startswith("/api/"):
            given = single(headers, b"x-novum-token").encode("latin-1")
            if not hmac.compare_digest(given, self.token):
                raise Barred(401, "open the address that `novum lab` printed: this page has no valid token.")


def single(headers: list[tuple[bytes, bytes]], wanted: bytes) -> str:
    """Return the value of a header that stands once, "" otherwise."""
    values = [value for name, value in headers if name == wanted]
    return values[0].decode("latin-1") if len(values) == 1 else ""
