"""A TCP proxy in front of a head that cuts connections after a number of bytes."""

import socket
import threading


class CuttingProxy:
    """``cuts`` are numbers of bytes; each cuts one connection that has carried as many towards the client."""

    def __init__(self, port: int, cuts: list[int]) -> None:
        self._target = port
        self._lock = threading.Lock()
        self.cuts = cuts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        _shut(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as head:
            requests = threading.Thread(target=self._copy_requests, args=(client, head), daemon=True)
            requests.start()
            try:
                self._copy_answers(head, client)
            except OSError:
                pass
            # Closing alone would leave a connection open on which the other thread still waits.
            _shut(client)
            _shut(head)
            requests.join()

    def _copy_answers(self, head: socket.socket, client: socket.socket) -> None:
        carried = 0
        while data := head.recv(1 << 16):
            client.sendall(data)
            carried += len(data)
            with self._lock:
                if self.cuts and carried >= self.cuts[0]:
                    self.cuts.pop(0)
                    return

    @staticmethod
    def _copy_requests(client: socket.socket, head: socket.socket) -> None:
        try:
            while data := client.recv(1 << 16):
                head.sendall(data)
        except OSError:
            pass
        _shut(head)


def _shut(side: socket.socket) -> None:
    try:
        side.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
