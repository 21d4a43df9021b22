"""Routes, requests and errors, shared by the services."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Callable

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


class ApiError(Exception):
    """An answer in the error form of the Google APIs."""

    def __init__(self, code: int, message: str, reason: str = "error", status: str | None = None):
        super().__init__(message)
        self.code = code
        self.body = {
            "error": {
                "code": code,
                "message": message,
                "status": status or STATUS_NAMES.get(code, "UNKNOWN"),
                "errors": [{"message": message, "domain": "global", "reason": reason}],
            }
        }


@dataclass
class Request:
    """One request. `query` holds lists, `fault` the fault that an operation made by it is to suffer."""

    method: str
    host: str
    path: str
    query: dict[str, list[str]]
    headers: Any
    raw: bytes
    base: str
    fault: Any = None
    response_headers: dict[str, str] = field(default_factory=dict)

    @property
    def json(self) -> dict[str, Any]:
        try:
            value = json.loads(self.raw) if self.raw else {}
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def first(self, key: str, default: str = "") -> str:
        return self.query.get(key, [default])[0]


Handler = Callable[..., Any]


class Routes:
    """A table of (method, host, pattern) -> handler. A handler returns JSON, bytes, or None for no content."""

    def __init__(self) -> None:
        self._table: list[tuple[str, str, re.Pattern[str], Handler]] = []

    def on(self, method: str, host: str, pattern: str) -> Callable[[Handler], Handler]:
        """`{name}` in the pattern stands for one path segment, `{name*}` for the rest."""
        expression = re.sub(r"\{(\w+)\*\}", r"(?P<\1>.+)", pattern)
        expression = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/:]+)", expression)

        def register(handler: Handler) -> Handler:
            self._table.append((method, host, re.compile(expression + r"\Z"), handler))
            return handler

        return register

    def find(self, request: Request) -> tuple[Handler, dict[str, str]] | None:
        for method, host, pattern, handler in self._table:
            if method == request.method and host == request.host:
                match = pattern.match(request.path)
                if match:
                    return handler, match.groupdict()
        return None


def need(table: dict[Any, Any], key: Any, message: str) -> Any:
    """The entry, or 404."""
    if key not in table:
        raise ApiError(404, message, "notFound")
    return table[key]
