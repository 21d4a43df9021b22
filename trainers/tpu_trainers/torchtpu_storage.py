"""The storage path of a run: gs://… or a folder all hosts mount. Needs PyArrow, which Ray Train brings."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_exit_codes
from tpu_trainers.train_outcome import Ended

# Read by from_pretrained first: as long as it is missing, an export is not complete.
_LAST = "config.json"
# Weights of an export and their index.
_WEIGHTS = re.compile(r"model.*\.safetensors(\.index\.json)?")


@dataclass(frozen=True)
class Storage:
    """A place for files; ``address`` is how a user names it."""

    address: str
    filesystem: Any
    path: str

    @staticmethod
    def at(address: str) -> "Storage":
        """Raises Ended with STORAGE_REFUSED when the address is none PyArrow knows."""
        from pyarrow import fs

        try:
            filesystem, path = fs.FileSystem.from_uri(address)
        except (OSError, ValueError) as error:
            raise Ended(torchtpu_exit_codes.STORAGE_REFUSED, f"--storage-path {address}: {error}") from None
        return Storage(address, filesystem, path)

    def below(self, name: str) -> "Storage":
        return Storage(f"{self.address}/{name}", self.filesystem, f"{self.path}/{name}")

    def write(self, name: str, content: bytes) -> None:
        self.filesystem.create_dir(self.path, recursive=True)
        with self.filesystem.open_output_stream(f"{self.path}/{name}") as stream:
            stream.write(content)

    def names(self) -> set[str]:
        """The names of the files here."""
        from pyarrow import fs

        return {info.base_name for info in self.filesystem.get_file_info(fs.FileSelector(self.path, allow_not_found=True))}

    def remove(self) -> None:
        self.filesystem.delete_dir(self.path)

    def fill(self, folder: Path) -> None:
        """Copies the files of a folder here, the one that makes them usable last.

        What an earlier export left is unusable from the first moment on, and its weights are gone at the end: files of two exports never
        look like one.
        """
        self.filesystem.create_dir(self.path, recursive=True)
        before = self.names()
        if _LAST in before:
            self.filesystem.delete_file(f"{self.path}/{_LAST}")
        files = {file.name: file for file in folder.iterdir()}
        for name in sorted(name for name in before - files.keys() if _WEIGHTS.fullmatch(name)):
            self.filesystem.delete_file(f"{self.path}/{name}")
        for file in sorted(files.values(), key=lambda file: (file.name == _LAST, file.name)):
            with file.open("rb") as source, self.filesystem.open_output_stream(f"{self.path}/{file.name}") as target:
                while chunk := source.read(16 * 1024 * 1024):
                    target.write(chunk)


def sign(storage: Storage, host: str) -> str | None:
    """Writes a host's name here; why it cannot, or None."""
    try:
        storage.write(host, host.encode())
    except (OSError, ValueError) as error:
        return f"{host} cannot write ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'})"
    return None


def unseen(storage: Storage, host: str, hosts: set[str]) -> str | None:
    """Which hosts' names ``host`` does not find here though they were written, or None."""
    try:
        missing = hosts - storage.names()
    except (OSError, ValueError) as error:
        return f"{host} cannot read ({type(error).__name__}: {error})"
    return f"{host} does not see what {', '.join(sorted(missing))} wrote: it is not one shared place" if missing else None
