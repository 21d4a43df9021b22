"""The fake cloud: its state, its faults, its record, and the two servers that speak for it."""

from __future__ import annotations

import base64
import copy
import itertools
import json
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable
from urllib.parse import parse_qs, unquote, urlsplit

from fakecloud import artifacts, builds, compute, container, kubernetes, projects, storage
from fakecloud.api import ApiError, Request, Routes


@dataclass
class Refuse:
    """Answer with an error and do nothing."""

    code: int
    message: str
    reason: str = "error"
    status: str | None = None


@dataclass
class LoseAnswer:
    """Do the work, then answer with an error, as when a connection breaks."""

    code: int = 500
    message: str = "Internal error encountered."


@dataclass
class FailOperation:
    """Accept the request; the operation that it starts ends with this error."""

    message: str
    code: int = 8


@dataclass
class Run:
    """Call a function, before or after the work; for a test that ends a script at this very point."""

    function: Callable[[], None]
    after: bool = False


@dataclass
class _Fault:
    pattern: re.Pattern[str]
    action: Refuse | LoseAnswer | FailOperation | Run
    skip: int
    times: int


@dataclass
class Record:
    """One request and its answer."""

    method: str
    host: str
    path: str
    body: Any
    code: int

    @property
    def line(self) -> str:
        """As faults match it: without the query."""
        return f"{self.method} {self.host}{self.path.split('?')[0]}"


class FakeCloud:
    """Start with `start`, end with `stop`. All state may be read and seeded by the test under `lock`."""

    PROJECT_NUMBER = "123456789012"

    def __init__(self, certificate: Path, project: str):
        self.project = project
        self.lock = threading.RLock()
        self.sequence = itertools.count(1)
        self.records: list[Record] = []
        self.problems: list[str] = []  # requests that no route knows, and errors of the fake itself
        self.operation_seconds = 0.0  # how long an operation of GKE takes
        self.operations_at_once = 100  # more of them on one cluster are refused as busy
        self.nodes_there: dict[str, int] = {}  # nodes of a pool, where they are not as many as GKE has noted
        self.billing = True
        self.permissions_denied: set[str] = set()
        self.services: set[str] = set()
        self.project_policy: dict[str, Any] = {"version": 1, "etag": "BwX=", "bindings": []}
        self.clusters: dict[tuple[str, str], dict[str, Any]] = {}
        self.pools: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.operations: dict[str, dict[str, Any]] = {}
        self.compute: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.buckets: dict[str, dict[str, Any]] = {}
        self.bucket_policies: dict[str, dict[str, Any]] = {}
        self.objects: dict[tuple[str, str], tuple[dict[str, Any], bytes]] = {}
        self.uploads: dict[str, tuple[str, str, dict[str, Any]]] = {}
        self.repositories: dict[str, dict[str, Any]] = {}
        self.repository_policies: dict[str, dict[str, Any]] = {}
        self.images: dict[str, dict[str, Any]] = {}
        self.builds: dict[str, dict[str, Any]] = {}
        self.kubernetes: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._faults: list[_Fault] = []
        self._certificate = certificate
        self._routes = Routes()
        for service in (projects, compute, container, storage, artifacts, builds, kubernetes):
            service.register(self._routes, self)
        self._servers: list[ThreadingHTTPServer] = []

    # ---- for tests

    def fault(
        self, pattern: str, action: Refuse | LoseAnswer | FailOperation | Run, *, times: int = 1, skip: int = 0
    ) -> None:
        """On the next `times` requests whose `METHOD host/path` matches, after `skip` of them, do `action`."""
        with self.lock:
            self._faults.append(_Fault(re.compile(pattern), action, skip, times))

    def matching(self, pattern: str) -> list[Record]:
        """The recorded requests whose `METHOD host/path` matches."""
        with self.lock:
            return [record for record in self.records if re.search(pattern, record.line)]

    def forget_requests(self) -> None:
        with self.lock:
            self.records.clear()

    def snapshot(self) -> dict[str, Any]:
        """All that exists, for `restore` in another cloud."""
        with self.lock:
            self.settle()
            return copy.deepcopy({name: getattr(self, name) for name in _STATE})

    def restore(self, snapshot: dict[str, Any]) -> None:
        with self.lock:
            for name, value in copy.deepcopy(snapshot).items():
                setattr(self, name, value)

    def changes(self) -> list[Record]:
        """The recorded requests that were to create, alter or delete something."""
        with self.lock:
            return [r for r in self.records if r.method != "GET" and not _ONLY_LOOKS.search(r.path)]

    def end_state(self) -> str:
        """What exists, without times, ids and the like: equal for any two ways that lead to the same end."""
        with self.lock:
            self.settle()
            state = {
                "services": sorted(self.services),
                "project": self.project_policy["bindings"],
                "clusters": {"/".join(key): value for key, value in self.clusters.items()},
                "pools": {"/".join(key): value for key, value in self.pools.items()},
                "compute": {"/".join(key): value for key, value in self.compute.items()},
                "buckets": {key: value for key, value in self.buckets.items() if not key.endswith("_cloudbuild")},
                "roles": {key: value for key, value in self.bucket_policies.items() if not key.endswith("_cloudbuild")},
                "repositories": self.repositories,
                "readers": self.repository_policies,
                "images": sorted(self.images),
                "kubernetes": {"/".join(key): value for key, value in self.kubernetes.items()},
            }
            return json.dumps(_without_times(state), indent=1, sort_keys=True)

    @property
    def proxy_port(self) -> int:
        return self._servers[0].server_port

    @property
    def kubernetes_port(self) -> int:
        return self._servers[1].server_port

    @property
    def certificate_base64(self) -> str:
        pem = self._certificate.read_text()
        return base64.b64encode(pem[pem.index("-----BEGIN CERTIFICATE") :].encode()).decode()

    def start(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(str(self._certificate))
        proxy = _server(self, context, proxy=True)
        cluster = _server(self, context, proxy=False)
        self._servers = [proxy, cluster]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    # ---- for the services

    def number(self) -> str:
        return str(next(self.sequence))

    def settle(self) -> None:
        """Ends the operations whose time has come."""
        now = time.monotonic()
        for operation in self.operations.values():
            if not operation["done"] and operation["until"] <= now:
                operation["done"] = True
                operation["effect"](operation["fault"])

    def begin(self, request: Request, effect: Callable[[Any], None], *, cluster: str = "", seconds: float = 0.0) -> str:
        """An operation that calls `effect(fault)` when it ends; returns its name."""
        name = f"operation-{self.number()}"
        self.operations[name] = {
            "done": False,
            "until": time.monotonic() + seconds,
            "effect": effect,
            "fault": request.fault if isinstance(request.fault, FailOperation) else None,
            "cluster": cluster,
        }
        if seconds == 0:
            self.settle()
        return name

    def answer(self, request: Request) -> tuple[int, Any]:
        """Status and body for a request; under the lock."""
        line = f"{request.method} {request.host}{request.path}"
        after: _Fault | None = None
        try:
            self.settle()
            if request.host != "kubernetes" and "Authorization" not in request.headers:
                raise ApiError(401, "Request is missing required authentication credential.")
            for fault in self._faults:
                if fault.times > 0 and fault.pattern.search(line):
                    if fault.skip > 0:
                        fault.skip -= 1
                        continue
                    fault.times -= 1
                    action = fault.action
                    if isinstance(action, Refuse):
                        raise ApiError(action.code, action.message, action.reason, action.status)
                    if isinstance(action, FailOperation):
                        request.fault = action
                    elif isinstance(action, Run) and not action.after:
                        action.function()
                    else:
                        after = fault
                    break
            hit = self._routes.find(request)
            if hit is None:
                # A 5xx would make gcloud try again for half a minute.
                self.problems.append(f"no route: {line}")
                raise ApiError(400, f"the fake cloud has no route for {line}")
            handler, groups = hit
            body = handler(request, **{key: unquote(value) for key, value in groups.items()})
            if after is not None:
                if isinstance(after.action, LoseAnswer):
                    raise ApiError(after.action.code, after.action.message)
                if isinstance(after.action, Run):
                    after.action.function()
            return (204 if body is None else 200), body
        except ApiError as error:
            return error.code, error.body
        except Exception as error:  # noqa: BLE001 - a bug of the fake must reach the test, not hang the client
            self.problems.append(f"{line}: {error!r}")
            return 400, {"error": {"code": 400, "message": f"fake cloud: {error!r}"}}


_STATE = (
    "services",
    "project_policy",
    "clusters",
    "pools",
    "compute",
    "buckets",
    "bucket_policies",
    "objects",
    "repositories",
    "repository_policies",
    "images",
    "kubernetes",
)

# Questions that the APIs put into a POST.
_ONLY_LOOKS = re.compile(r":getIamPolicy|:testIamPermissions|/operations/[^/]+/wait")

_TIMES = {"createTime", "updateTime", "creationTimestamp", "timeCreated", "updated", "id", "etag", "uid", "selfLink", "resourceVersion", "operation", "metageneration", "endpoint", "masterAuth", "fingerprint"}


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key not in _TIMES}
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    return value


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed in the middle is part of the tests."""


def _server(cloud: FakeCloud, context: ssl.SSLContext, *, proxy: bool) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        tunnel_host = ""

        def setup(self) -> None:
            if not proxy:
                self.request = context.wrap_socket(self.request, server_side=True)
            super().setup()

        def log_message(self, format: str, *arguments: Any) -> None:
            """Silent: the record is what tests read."""

        def do_CONNECT(self) -> None:
            host = self.path.rsplit(":", 1)[0]
            if not host.endswith(".googleapis.com"):
                cloud.problems.append(f"no such host: {host}")
                self.send_error(502, f"the fake cloud has no host {host}")
                self.close_connection = True
                return
            self.send_response(200, "Connection established")
            self.end_headers()
            self.connection = context.wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb", -1)
            self.wfile = _Writer(self.connection)
            self.tunnel_host = host
            self.close_connection = False

        def _handle(self) -> None:
            address = urlsplit(self.path)
            host = self.tunnel_host if proxy else "kubernetes"
            request = Request(
                method=self.command,
                host=host,
                path=address.path,
                query=parse_qs(address.query, keep_blank_values=True),
                headers=self.headers,
                raw=self._read(),
                base=f"https://{host}" if proxy else f"https://127.0.0.1:{cloud.kubernetes_port}",
            )
            with cloud.lock:
                code, body = cloud.answer(request)
                content: Any = request.json or (request.raw[:300].decode("latin1") if request.raw else None)
                cloud.records.append(Record(request.method, host, self.path, content, code))
            data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(code)
            if code != 204:
                self.send_header("Content-Type", "application/octet-stream" if isinstance(body, bytes) else "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in request.response_headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _read(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    return _QuietServer(("127.0.0.1", 0), Handler)


class _Writer:
    """An unbuffered writer that sends everything."""

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self.closed = False

    def write(self, data: bytes) -> int:
        self._connection.sendall(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        self.closed = True
