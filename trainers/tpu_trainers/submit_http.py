"""HTTP to the head: one request at a time, bounded in time and size, with the token of Ray's token authentication.

Only three things can happen to a request: an answer with a status and a complete body, Unusable (nothing that could be believed:
try again), or WrongCredentials.
"""

import email.utils
import http.client
import json
import socket
import ssl
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

READ_SIZE = 1 << 16
# A listing of ten thousand nodes with labels is about 10 MB.
MAX_BODY_BYTES = 64 << 20
# Statuses that say "not now": https://www.rfc-editor.org/rfc/rfc9110#section-15
TRANSIENT_STATUSES = frozenset({408, 425, 429})


class Unusable(Exception):
    """No answer, or one that cannot be believed: refused, cut, too slow, truncated, not what was asked for, a server error."""


class WrongCredentials(Exception):
    """The head answered 401 or 403, or there is no token to send."""


@dataclass(frozen=True)
class Answer:
    """``date`` is the server's clock when it answered, in seconds since the epoch, None when it did not say."""

    status: int
    body: bytes
    date: float | None = None

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        """The body as JSON.

        Raises Unusable when it is none (a proxy's page, say).
        """
        try:
            return json.loads(self.body)
        except ValueError:
            raise Unusable(f"HTTP {self.status} without valid JSON: {excerpt(self.text)}") from None


def excerpt(text: str, limit: int = 200) -> str:
    """The end of a text, which holds the cause in a traceback, on one line of at most ``limit`` characters."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else "…" + one_line[-limit:]


class Connection:
    """Where the head's dashboard listens and how to authenticate.

    ``address`` is ``http://host:port`` or ``https://host:port``, with an optional path before the API's own.
    ``token_file`` is read again for each request, since Kubernetes renews mounted Secrets. ``timeout`` bounds a whole request, in seconds.
    ``ca_file`` holds the certificates that an https address is trusted by, those of the machine when it is None.
    """

    def __init__(self, address: str, token_file: str | None, timeout: float, ca_file: str | None = None) -> None:
        self.address = address.rstrip("/")
        self._url = urllib.parse.urlsplit(self.address)
        self._token_file = token_file
        self._timeout = timeout
        self._ca_file = ca_file

    def request(self, method: str, path: str, body: bytes | None = None, content_type: str | None = None) -> Answer:
        """Sends one request and reads the whole answer.

        Raises Unusable for everything below HTTP and for transient statuses, WrongCredentials for 401 and 403.
        """
        deadline = time.monotonic() + self._timeout
        connection = self._connect()
        try:
            response = self._send(connection, method, path, body, content_type)
            data = bytearray()
            for chunk in _chunks(response):
                data += chunk
                if len(data) > MAX_BODY_BYTES:
                    raise Unusable(f"the answer to {path} is longer than {MAX_BODY_BYTES} bytes")
                if time.monotonic() > deadline:
                    raise Unusable(f"the answer to {path} was not complete after {self._timeout:g} s")
        except (OSError, http.client.HTTPException) as error:
            raise Unusable(_describe(error, self._timeout)) from None
        finally:
            connection.close()
        answer = Answer(response.status, bytes(data), _date(response.headers.get("Date")))
        if answer.status in (401, 403):
            raise WrongCredentials(f"HTTP {answer.status}: {excerpt(answer.text)}")
        if answer.status in TRANSIENT_STATUSES:
            raise Unusable(f"HTTP {answer.status}: {excerpt(answer.text)}")
        return answer

    def stream(self, path: str, endless: bool) -> "Stream":
        """Opens an answer of any length, to be read piece by piece; an ``endless`` one may be silent for as long as it likes.

        Raises Unusable unless the status is 200, WrongCredentials for 401 and 403.
        """
        connection = self._connect()
        try:
            connection.connect()
            # http.client forgets the socket of an answer that ends with the connection, so it is kept here.
            opened = connection.sock
            response = self._send(connection, "GET", path, None, None)
            if response.status != 200:
                text = response.read(READ_SIZE).decode(errors="replace")
                if response.status in (401, 403):
                    raise WrongCredentials(f"HTTP {response.status}: {excerpt(text)}")
                raise Unusable(f"HTTP {response.status}: {excerpt(text)}")
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Unusable(_describe(error, self._timeout)) from None
        except BaseException:
            connection.close()
            raise
        if endless:
            # No read timeout, but a dead peer is noticed after about a minute.
            opened.settimeout(None)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
                if hasattr(socket, option):
                    opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        return Stream(connection, opened, response, self._timeout)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme != "https":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        try:
            trusted = ssl.create_default_context(cafile=self._ca_file)
        except (OSError, ssl.SSLError) as error:
            raise Unusable(f"cannot read the certificates in {self._ca_file}: {type(error).__name__}") from None
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=trusted)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, content_type: str | None
    ) -> http.client.HTTPResponse:
        headers = {"Accept": "*/*"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        if self._token_file is not None:
            headers["Authorization"] = "Bearer " + read_token(self._token_file)
        connection.request(method, self._url.path + path, body=body, headers=headers)
        return connection.getresponse()


class Stream:
    """An open answer; iterating gives its bytes as they come and ends at its proper end.

    Raises Unusable from the iteration when the connection is cut. ``close`` may be called from another thread and ends the iteration.
    """

    def __init__(
        self, connection: http.client.HTTPConnection, opened: socket.socket, response: http.client.HTTPResponse, timeout: float
    ) -> None:
        self._connection = connection
        self._socket = opened
        self._response = response
        self._timeout = timeout

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from _chunks(self._response)
        except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
            # ValueError and AttributeError: what http.client raises when close() came from the other thread.
            raise Unusable(_describe(error, self._timeout)) from None

    def close(self) -> None:
        try:
            # Wakes a thread that is blocked in a read, which closing alone does not.
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._connection.close()


def read_token(path: str) -> str:
    """The token in a file.

    Raises WrongCredentials, without the token in its message, when there is none that can be sent.
    """
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongCredentials(f"cannot read the token file {path}: {type(error).__name__}") from None
    if not token or not all("!" <= character <= "~" for character in token):
        raise WrongCredentials(f"the token file {path} must hold one token of printable ASCII characters without spaces")
    return token


def _date(header: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(header or "").timestamp()
    except ValueError:
        return None


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    # http.client says nothing when a body with a Content-Length ends early in a partial read, so the bytes are counted here.
    expected = None if response.chunked else response.length
    received = 0
    while chunk := response.read1(READ_SIZE):
        received += len(chunk)
        yield chunk
        if expected is not None and received >= expected:
            return
    if expected is not None and received < expected:
        raise http.client.IncompleteRead(b"", expected - received)


def _describe(error: BaseException, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, socket.gaierror):
        return f"name not found ({error.strerror})"
    if isinstance(error, http.client.IncompleteRead):
        return "the answer was cut short"
    return f"{type(error).__name__}: {excerpt(str(error))}" if str(error) else type(error).__name__
