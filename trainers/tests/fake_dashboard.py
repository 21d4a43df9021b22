"""A scripted stand-in for the HTTP API of Ray's head that can misbehave at any request.

Answers have the shapes that Ray 2.60 was seen to give. State changes with the requests or by the test, never by time.
"""

import json
import re
import socket
import struct
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HEAD_NODE = "ab" * 28
WAIT_SECONDS = 30.0


def host(slice_name: str, worker_id: int | None, pod_type: str = "v6e-16", tpu: float = 4.0, state: str = "ALIVE") -> dict[str, Any]:
    """A row of ``/api/v0/nodes`` for one TPU host."""
    labels = {"ray.io/tpu-slice-name": slice_name, "ray.io/tpu-pod-type": pod_type}
    if worker_id is not None:
        labels["ray.io/tpu-worker-id"] = str(worker_id)
    return {
        "node_id": f"{slice_name}-{worker_id}",
        "is_head_node": False,
        "state": state,
        "resources_total": {"CPU": 8.0, "TPU": tpu},
        "labels": labels,
    }


def head() -> dict[str, Any]:
    return {"node_id": HEAD_NODE, "is_head_node": True, "state": "ALIVE", "resources_total": {"CPU": 2.0}, "labels": {}}


def slice_hosts(slice_name: str, hosts: int = 2) -> list[dict[str, Any]]:
    return [host(slice_name, worker) for worker in range(hosts)]


@dataclass
class FakeJob:
    """``statuses`` are told one after another, the last one for ever."""

    submission_id: str
    statuses: list[str]
    run: str | None = None
    message: str = "a message"
    error_type: str | None = None
    exit_code: int | None = 0
    has_driver: bool = True
    start_time: float = field(default_factory=time.time)
    seconds: float = 7.0
    # Bytes, or anything with a length and slices.
    log: Any = b""
    # Positions at which a log stream that has passed them is cut, one stream a position.
    cuts: list[int] = field(default_factory=list)
    stoppable: bool = True
    entrypoint: str = ""
    working_dir: str = ""
    metadata: dict[str, str] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        status = self.statuses[0]
        terminal = status in ("SUCCEEDED", "FAILED", "STOPPED")
        started = self.has_driver and status != "PENDING"
        return {
            "type": "SUBMISSION",
            "job_id": None,
            "submission_id": self.submission_id,
            "status": status,
            "entrypoint": self.entrypoint,
            "message": self.message,
            "error_type": self.error_type if status == "FAILED" else None,
            "start_time": int(self.start_time * 1000),
            "end_time": int((self.start_time + self.seconds) * 1000) if terminal else None,
            "metadata": {**self.metadata, "cdk8s-tpu-ray/run": self.run, "cdk8s-tpu-ray/submission": self.submission_id} if self.run else None,
            "driver_node_id": HEAD_NODE if started else None,
            "driver_exit_code": self.exit_code if terminal and started and status != "STOPPED" else None,
        }


@dataclass
class Fault:
    """What happens to the next ``times`` requests whose ``METHOD path`` matches ``pattern``."""

    pattern: str
    act: Callable[["Handler"], None]
    times: int = 1
    # The request takes effect although its answer does not arrive.
    after_effect: bool = False


def status(code: int, body: str = "the server is not well") -> Callable[["Handler"], None]:
    return lambda handler: handler.reply(code, body.encode(), "text/plain")


def not_json(handler: "Handler") -> None:
    handler.reply(200, b"<html>maintenance</html>", "text/html")


def cut(handler: "Handler") -> None:
    handler.reset()


def truncated(handler: "Handler") -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"version": "4", "status": "SUCCEEDED", "res')
    handler.wfile.flush()
    handler.reset()


def slow(handler: "Handler") -> None:
    """Never answers: waits until the client goes away."""
    handler.wait_for_client_to_leave()


def hold(handler: "Handler") -> None:
    """Waits until the test releases the dashboard, then goes away."""
    handler.dashboard.note("held")
    handler.dashboard.released.wait(WAIT_SECONDS)
    handler.reset()


def stall(handler: "Handler") -> None:
    """Begins a log and then says nothing more, with the connection open."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"7\r\nstep 1\n\r\n")
    handler.wfile.flush()
    handler.wait_for_client_to_leave()


def drip(handler: "Handler") -> None:
    """Sends an answer byte by byte, each soon enough to look alive, without an end."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    try:
        while not handler.dashboard.released.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        return


class FakeDashboard:
    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.released = threading.Event()
        self.session = "session_a"
        self.token: str | None = None
        # What the head's clock is ahead of this machine's, in seconds.
        self.clock_ahead = 0.0
        self.node_listings: list[list[dict[str, Any]]] = [[head()] + slice_hosts("pool-0")]
        self.jobs: dict[str, FakeJob] = {}
        self.packages: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.notes: list[str] = []
        self.submissions: list[str] = []
        self.streams_opened = 0
        self.streams_ended = 0
        self.streams_cut = 0
        # What a submitted job becomes.
        self.make_job: Callable[[str], FakeJob] = lambda submission_id: FakeJob(
            submission_id, ["PENDING", "RUNNING", "SUCCEEDED"], log=b"step 1\nstep 2\n"
        )
        # Called before each request with "METHOD path"; a script's hook.
        self.before: Callable[[str], None] = lambda request: None
        self._server: ThreadingHTTPServer | None = None
        self._placeholder = socket.socket()
        self._placeholder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._placeholder.bind(("127.0.0.1", 0))
        self.port: int = self._placeholder.getsockname()[1]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Begins to listen; before it, connections are refused."""
        handler = type("BoundHandler", (Handler,), {"dashboard": self})
        self._placeholder.close()
        self._server = Server(("127.0.0.1", self.port), handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Stops listening and cuts what is open; ``start`` may follow."""
        self.released.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        with self.changed:
            self.streams_cut += 1
            self.changed.notify_all()
        self._placeholder.close()

    def restart(self, keep_state: bool) -> None:
        """A head that comes back, with or without its tables."""
        self.stop()
        self.released = threading.Event()
        with self.changed:
            self.session += "'"
            if not keep_state:
                self.jobs.clear()
                self.packages.clear()
        self.start()

    def fail(self, pattern: str, act: Callable[["Handler"], None], times: int = 1, after_effect: bool = False) -> None:
        self.faults.append(Fault(pattern, act, times, after_effect))

    def note(self, text: str) -> None:
        with self.changed:
            self.notes.append(text)
            self.changed.notify_all()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, WAIT_SECONDS), f"never happened; requests: {self.requests[-20:]}"

    def seen(self, pattern: str) -> int:
        return sum(re.search(pattern, request) is not None for request in self.requests)

    def append_log(self, submission_id: str, data: bytes) -> None:
        with self.changed:
            self.jobs[submission_id].log += data
            self.changed.notify_all()

    def end_streams(self) -> None:
        """Ends every open log stream properly, as if the log were complete."""
        with self.changed:
            self.streams_ended += 1
            self.changed.notify_all()

    def cut_streams(self) -> None:
        with self.changed:
            self.streams_cut += 1
            self.changed.notify_all()

    def set_status(self, submission_id: str, *statuses: str) -> None:
        with self.changed:
            self.jobs[submission_id].statuses = list(statuses)
            self.changed.notify_all()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that the test or the client cut is no news."""


class Handler(BaseHTTPRequestHandler):
    dashboard: FakeDashboard
    protocol_version = "HTTP/1.1"

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(time.time() + self.dashboard.clock_ahead)

    def log_message(self, format: str, *args: Any) -> None:
        """The test prints what the submitter prints, nothing else."""

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def reply(self, code: int, body: bytes, content_type: str = "application/json") -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply_json(self, value: Any) -> None:
        self.reply(200, json.dumps(value).encode())

    def reset(self) -> None:
        """Closes the connection the hard way."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def wait_for_client_to_leave(self) -> None:
        self.close_connection = True
        self.connection.settimeout(WAIT_SECONDS)
        try:
            self.connection.recv(1)
        except OSError:
            return

    def _serve(self, method: str) -> None:
        dashboard = self.dashboard
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = f"{method} {self.path}"
        dashboard.before(request)
        with dashboard.changed:
            dashboard.requests.append(request)
            dashboard.changed.notify_all()
            fault = next((each for each in dashboard.faults if each.times > 0 and re.search(each.pattern, request)), None)
            if fault is not None:
                fault.times -= 1
        if fault is not None and not fault.after_effect:
            fault.act(self)
            return
        if dashboard.token is not None and self.headers.get("Authorization") != f"Bearer {dashboard.token}":
            self.reply(401, b"Unauthorized: Missing or invalid authentication token", "text/plain")
            return
        if fault is not None:
            real_reply, self.reply = self.reply, lambda *answer: None  # type: ignore[method-assign]
            self._route(method, body)
            self.reply = real_reply  # type: ignore[method-assign]
            fault.act(self)
            return
        self._route(method, body)

    def _route(self, method: str, body: bytes) -> None:
        dashboard = self.dashboard
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.strip("/").split("/")
        with dashboard.changed:
            if url.path == "/api/version":
                self.reply_json({"version": "4", "ray_version": "2.60.0", "ray_commit": "0", "session_name": dashboard.session})
            elif url.path == "/api/v0/nodes":
                rows = dashboard.node_listings[0]
                if len(dashboard.node_listings) > 1:
                    dashboard.node_listings.pop(0)
                rows = rows[: int(query.get("limit", "100"))]
                self.reply_json({"result": True, "msg": "", "data": {"result": {"total": len(rows), "result": rows}}})
            elif url.path == "/api/jobs/" and method == "GET":
                self.reply_json([job.row() for job in dashboard.jobs.values()])
            elif url.path == "/api/jobs/" and method == "POST":
                self._submit(json.loads(body))
            elif parts[:3] == ["api", "packages", "gcs"]:
                self._package(method, parts[3], body)
            elif parts[:2] == ["api", "jobs"]:
                self._job(method, parts[2], parts[3:])
            elif parts[:3] == ["api", "v0", "logs"]:
                pass
            else:
                self.reply(404, b"404: Not Found", "text/plain")
                return
        if parts[:3] == ["api", "v0", "logs"]:
            self._log(parts[3], query)

    def _submit(self, request: dict[str, Any]) -> None:
        submission_id = request["submission_id"]
        if submission_id in self.dashboard.jobs:
            text = f"Traceback\nValueError: Job with submission_id {submission_id} already exists. Please use a different submission_id.\n."
            self.reply(500, f"RuntimeError: Request failed with status code 400: {text}".encode(), "text/plain")
            return
        job = self.dashboard.make_job(submission_id)
        job.metadata = request["metadata"]
        job.run = request["metadata"]["cdk8s-tpu-ray/run"]
        job.entrypoint = request["entrypoint"]
        job.working_dir = request["runtime_env"]["working_dir"]
        if job.working_dir.removeprefix("gcs://") not in self.dashboard.packages:
            job.statuses, job.has_driver, job.exit_code = ["PENDING", "FAILED"], False, None
            job.error_type = "RUNTIME_ENV_SETUP_FAILURE"
            job.message = f"runtime_env setup failed\nOSError: Failed to download runtime_env file package {job.working_dir} from the GCS"
        self.dashboard.jobs[submission_id] = job
        self.dashboard.submissions.append(submission_id)
        self.reply_json({"job_id": submission_id, "submission_id": submission_id})

    def _package(self, method: str, package: str, body: bytes) -> None:
        if method == "PUT":
            self.dashboard.packages[package] = body
            self.reply(200, b"", "text/plain")
        elif package in self.dashboard.packages:
            self.reply(200, b"", "text/plain")
        else:
            self.reply(404, f"Package gcs://{package} does not exist".encode(), "text/plain")

    def _job(self, method: str, submission_id: str, rest: list[str]) -> None:
        job = self.dashboard.jobs.get(submission_id)
        if job is None:
            self.reply(404, f"Job {submission_id} does not exist".encode(), "text/plain")
        elif rest == ["stop"]:
            if job.stoppable and job.statuses[0] in ("PENDING", "RUNNING"):
                job.statuses = [job.statuses[0], "STOPPED"]
            self.reply_json({"stopped": True})
        elif method == "DELETE":
            del self.dashboard.jobs[submission_id]
            self.reply_json({"deleted": True})
        else:
            self.reply_json(job.row())
            if len(job.statuses) > 1:
                job.statuses.pop(0)
        self.dashboard.changed.notify_all()

    def _log(self, media: str, query: dict[str, str]) -> None:
        dashboard = self.dashboard
        submission_id = query["filename"].removeprefix("job-driver-").removesuffix(".log")
        job = dashboard.jobs.get(submission_id)
        if job is None or query["node_id"] != HEAD_NODE or query["lines"] != "-1":
            self.reply(500, f"A file is not found at: {query['filename']}".encode(), "text/plain")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        position = 0
        with dashboard.changed:
            ended, was_cut = dashboard.streams_ended, dashboard.streams_cut
            dashboard.streams_opened += media == "stream"
            dashboard.changed.notify_all()
        while True:
            with dashboard.changed:
                dashboard.changed.wait_for(
                    lambda: len(job.log) > position
                    or media == "file"
                    or dashboard.streams_ended > ended
                    or dashboard.streams_cut > was_cut
                    or dashboard.released.is_set(),
                    WAIT_SECONDS,
                )
                piece = job.log[position : position + (1 << 16)]
                if job.cuts and position >= job.cuts[0]:
                    job.cuts.pop(0)
                    was_cut -= 1
                stop_cut = dashboard.streams_cut > was_cut
                stop_end = dashboard.streams_ended > ended or media == "file" or dashboard.released.is_set()
            if stop_cut:
                self.reset()
                return
            if not piece:
                if stop_end:
                    self.wfile.write(b"0\r\n\r\n")
                    return
                continue
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
            position += len(piece)
