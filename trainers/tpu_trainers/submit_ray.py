"""Ray's HTTP API as far as a submitter needs it, measured on Ray 2.60.

Every call raises Unusable when there was no answer to believe, WrongCredentials for 401 and 403, and Refused when the head understood
the request and will not carry it out.
"""

import json
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpu_trainers import __version__, submit_http

# Metadata that every submission carries, by which runs of one name find each other.
RUN_METADATA = "cdk8s-tpu-ray/run"
SUBMISSION_METADATA = "cdk8s-tpu-ray/submission"
# Seconds the run had taken in earlier submissions of the same id, which a head that lost its tables no longer knows.
EARLIER_METADATA = "cdk8s-tpu-ray/earlier-seconds"
# What it was submitted by and with: another submitter may attach.
VERSION_METADATA = "cdk8s-tpu-ray/version"
SOURCES_METADATA = "cdk8s-tpu-ray/sources"

# The most rows the head returns in one listing (RAY_MAX_LIMIT_FROM_API_SERVER); its default of 100 would hide hosts.
MAX_ROWS = 10_000

ACTIVE_STATUSES = frozenset({"PENDING", "RUNNING"})
TERMINAL_STATUSES = frozenset({"SUCCEEDED", "FAILED", "STOPPED"})


class Refused(Exception):
    """The head will not do what was asked; asking again changes nothing."""


@dataclass(frozen=True)
class Version:
    """``session`` changes whenever the head is started anew."""

    ray: str
    session: str


@dataclass(frozen=True)
class Job:
    """One row of Ray's job table. Times are seconds since the epoch by the head's clock, None while unknown.

    ``told_at`` is the head's clock when it told this row.
    """

    submission_id: str
    status: str
    message: str
    error_type: str | None
    driver_exit_code: int | None
    driver_node_id: str | None
    start_time: float | None
    end_time: float | None
    run: str | None
    version: str | None = None
    sources: str | None = None
    told_at: float | None = None
    earlier_seconds: float = 0.0

    @property
    def age(self) -> float | None:
        """Seconds since its start, by the head's clock alone where that was told."""
        return None if self.start_time is None else (self.told_at or time.time()) - self.start_time

    @property
    def active(self) -> bool:
        return self.status in ACTIVE_STATUSES

    @property
    def terminal(self) -> bool:
        return self.status in TERMINAL_STATUSES

    @property
    def origin(self) -> str:
        """What submitted it, and with which sources."""
        return f"cdk8s-tpu-ray {self.version or 'of a version before 0.2.0'}, sources {self.sources or 'not known'}"


class RayApi:
    def __init__(self, connection: submit_http.Connection) -> None:
        self._connection = connection

    def version(self) -> Version:
        """Raises Unusable also for 404: something answers, but it is no Ray dashboard yet."""
        answer = self._connection.request("GET", "/api/version")
        if answer.status != 200:
            raise submit_http.Unusable(f"HTTP {answer.status}: {submit_http.excerpt(answer.text)}")
        body = _mapping(answer)
        return Version(str(body.get("ray_version")), str(body.get("session_name")))

    def nodes(self) -> list[Mapping[str, Any]]:
        """All nodes, dead ones included, with ``state``, ``resources_total``, ``labels``, ``is_head_node`` and ``node_id``."""
        answer = self._connection.request("GET", f"/api/v0/nodes?limit={MAX_ROWS}")
        self._expect_ok(answer)
        try:
            rows = answer.json()["data"]["result"]["result"]
        except (KeyError, TypeError):
            rows = None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise submit_http.Unusable(f"a node listing without nodes: {submit_http.excerpt(answer.text)}")
        return rows

    def job(self, submission_id: str) -> Job | None:
        """The job, or None when the head says that it does not exist."""
        answer = self._connection.request("GET", f"/api/jobs/{_quote(submission_id)}")
        if answer.status == 404 and "does not exist" in answer.text:
            return None
        self._expect_ok(answer)
        return _job(_mapping(answer), answer.date)

    def jobs(self) -> list[Job]:
        """All submitted jobs; drivers that were not submitted are left out."""
        answer = self._connection.request("GET", "/api/jobs/")
        self._expect_ok(answer)
        rows = answer.json()
        if not isinstance(rows, list):
            raise submit_http.Unusable(f"a job listing that is no list: {submit_http.excerpt(answer.text)}")
        return [_job(row, answer.date) for row in rows if isinstance(row, dict) and row.get("submission_id")]

    def submit(self, submission_id: str, run: str, entrypoint: str, working_dir: str, sources: str, earlier_seconds: float) -> bool:
        """Submits; False when the id is already known, in which case nothing was started. ``sources`` is their digest."""
        body = {
            "submission_id": submission_id,
            "entrypoint": entrypoint,
            "runtime_env": {"working_dir": working_dir},
            "metadata": {
                RUN_METADATA: run,
                SUBMISSION_METADATA: submission_id,
                VERSION_METADATA: __version__,
                SOURCES_METADATA: sources,
                EARLIER_METADATA: f"{earlier_seconds:.0f}",
            },
        }
        answer = self._connection.request("POST", "/api/jobs/", json.dumps(body).encode(), "application/json")
        if answer.status == 200:
            _mapping(answer)
            return True
        if f"Job with submission_id {submission_id} already exists" in answer.text:
            return False
        # The head wraps what its agent refuses in a server error of its own.
        if "Request failed with status code 400" in answer.text:
            raise Refused(submit_http.excerpt(answer.text))
        self._expect_ok(answer)
        return True

    def stop(self, submission_id: str) -> None:
        """Asks for SIGTERM and, after RAY_JOB_STOP_WAIT_TIME_S, SIGKILL; the job table tells when it is done."""
        answer = self._connection.request("POST", f"/api/jobs/{_quote(submission_id)}/stop")
        if answer.status != 404:
            self._expect_ok(answer)

    def delete(self, submission_id: str) -> None:
        """Forgets an ended job, which frees its id."""
        answer = self._connection.request("DELETE", f"/api/jobs/{_quote(submission_id)}")
        if answer.status != 404:
            self._expect_ok(answer)

    def has_package(self, package: str) -> bool:
        answer = self._connection.request("GET", f"/api/packages/gcs/{package}")
        if answer.status == 404 and "does not exist" in answer.text:
            return False
        self._expect_ok(answer)
        return True

    def upload_package(self, package: str, archive: bytes) -> None:
        answer = self._connection.request("PUT", f"/api/packages/gcs/{package}", archive, "application/octet-stream")
        self._expect_ok(answer)

    def log(self, submission_id: str, node_id: str, follow: bool) -> submit_http.Stream:
        """Opens the driver's log from its first byte: up to its present end, or endless with ``follow``.

        This is the state API's file reader, which sends raw bytes. ``/api/jobs/<id>/logs`` reads the whole file into the head's memory, and both it
        and its websocket fail for good at the first byte that is not UTF-8.
        """
        query = {"node_id": node_id, "filename": f"job-driver-{submission_id}.log", "lines": "-1"}
        query |= {"interval": "0.5"} if follow else {"timeout": "3600"}
        return self._connection.stream(f"/api/v0/logs/{'stream' if follow else 'file'}?{urllib.parse.urlencode(query)}", endless=follow)

    @staticmethod
    def _expect_ok(answer: submit_http.Answer) -> None:
        if answer.status == 200:
            return
        text = f"HTTP {answer.status}: {submit_http.excerpt(answer.text)}"
        # A 404 without Ray's own words comes from a proxy or from a dashboard that is still starting.
        if 400 <= answer.status < 500 and answer.status != 404:
            raise Refused(text)
        raise submit_http.Unusable(text)


def _quote(submission_id: str) -> str:
    return urllib.parse.quote(submission_id, safe="")


def _mapping(answer: submit_http.Answer) -> Mapping[str, Any]:
    body = answer.json()
    if not isinstance(body, dict):
        raise submit_http.Unusable(f"an answer that is no object: {submit_http.excerpt(answer.text)}")
    return body


def _job(row: Mapping[str, Any], told_at: float | None) -> Job:
    metadata = row.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return Job(
        submission_id=str(row.get("submission_id")),
        status=str(row.get("status")),
        message=str(row.get("message") or ""),
        error_type=_typed(row.get("error_type"), str),
        driver_exit_code=_typed(row.get("driver_exit_code"), int),
        driver_node_id=_typed(row.get("driver_node_id"), str),
        start_time=_seconds(row.get("start_time")),
        end_time=_seconds(row.get("end_time")),
        run=_typed(metadata.get(RUN_METADATA), str),
        version=_typed(metadata.get(VERSION_METADATA), str),
        sources=_typed(metadata.get(SOURCES_METADATA), str),
        told_at=told_at,
        earlier_seconds=_earlier(metadata.get(EARLIER_METADATA)),
    )


def _typed(value: Any, kind: type) -> Any:
    return value if isinstance(value, kind) else None


def _earlier(seconds: Any) -> float:
    # Metadata are strings.
    return float(seconds) if isinstance(seconds, str) and seconds.isdecimal() else 0.0


def _seconds(milliseconds: Any) -> float | None:
    return milliseconds / 1000 if isinstance(milliseconds, (int, float)) else None
