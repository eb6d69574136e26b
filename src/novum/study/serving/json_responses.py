"""What the server answers: predictions as JSON has them, and responses with the headers that all of them carry."""

from typing import Any

from novum.study.insight.contributions import plain
from novum.study.predictions import Predictions
from novum.study.serving.formats import JSON, as_bytes
from novum.study.serving.rows import Refusal

__all__ = ["answer", "answers_of", "no_such_address", "refused"]

SAFE = {"x-content-type-options": "nosniff", "cache-control": "no-store", "referrer-policy": "no-referrer"}


def answers_of(found: Predictions) -> list[dict[str, Any]]:
    """Return predictions as JSON has them."""
    answers: list[dict[str, Any]] = [{"predicted": plain(value)} for value in found.values]
    reach = found.reach
    for i, one in enumerate(answers):
        if found.probabilities:
            one["probabilities"] = {label: float(p[i]) for label, p in found.probabilities.items()}
        if reach is not None and reach.lower is not None and reach.upper is not None:
            one.update(lower=float(reach.lower[i]), upper=float(reach.upper[i]))
        elif reach is not None:
            one["set"] = reach.sets[i]
    return answers


def answer(body: bytes, kind: str, status: int = 200, headers: dict[str, str] | None = None) -> Any:
    """Return an answer with the headers that all have."""
    from starlette.responses import Response

    return Response(body, status, {**SAFE, **(headers or {})}, kind)


def refused(refusal: Refusal) -> Any:
    """Return the answer that a refusal is."""
    more = {"www-authenticate": "Bearer"} if refusal.status == 401 else {}
    return answer(as_bytes({"error": str(refusal)}), JSON, refusal.status, more)


async def no_such_address(request: Any, error: Any) -> Any:
    """Return the answer where an address is not known, or does not take the method."""
    path, method = request.url.path, request.method[:20]
    if error.status_code == 405:
        takes = "POST" if path in ("/predict", "/explain") else "GET"
        more = {"allow": "POST" if takes == "POST" else "GET, HEAD"}
        return answer(as_bytes({"error": f"{path} takes {takes}, not {method}."}), JSON, 405, more)
    return answer(as_bytes({"error": "there is nothing here; see /docs."}), JSON, error.status_code)
