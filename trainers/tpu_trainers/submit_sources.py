"""The trainer's sources as one zip archive that has the same bytes for the same files, on any machine."""

import hashlib
import io
import os
import zipfile
from dataclasses import dataclass

# The sources travel in a ConfigMap, which holds 1 MiB: https://kubernetes.io/docs/concepts/configuration/configmap/
MAX_BYTES = 1 << 20
# The earliest time a zip archive can hold; every file gets it.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
DIGEST_DIGITS = 16


class SourcesRefused(Exception):
    """The folder cannot travel; the message says what was found and what is allowed."""


@dataclass(frozen=True)
class Sources:
    """``archive`` is the zip; ``uri`` is its address in Ray's key-value store, derived from its content.

    ``digest`` is that of the annotation ``cdk8s-tpu-ray/sources`` on the ConfigMap: the first 16 hexadecimal digits of the SHA-256 of what
    ``sha256sum`` prints for all files in order.
    """

    archive: bytes
    uri: str
    files: int
    digest: str

    @property
    def package(self) -> str:
        """The name in ``/api/packages/gcs/<name>``."""
        return self.uri.removeprefix("gcs://")


def pack(folder: str) -> Sources:
    """Packs every file below ``folder`` except byte code and hidden names.

    Hidden names leave out ``..data`` and its like, through which Kubernetes mounts a ConfigMap; the links beside them are followed.
    Files are stored, not compressed: compressors differ between machines. A ConfigMap that is updated meanwhile is packed again, so that no
    archive mixes two states of it. Raises SourcesRefused.
    """
    while True:
        before = _mounted(folder)
        try:
            packed = _pack(folder)
        except FileNotFoundError:
            if _mounted(folder) == before:
                raise
            continue
        if _mounted(folder) == before:
            return packed


def _mounted(folder: str) -> list[str]:
    """What the ConfigMaps mounted at a folder and right below it point to: an update swaps these links."""
    folders = [folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir())]
    links = [os.path.join(path, "..data") for path in folders]
    return [f"{link} -> {os.readlink(link)}" for link in sorted(links) if os.path.islink(link)]


def _pack(folder: str) -> Sources:
    files = _files(folder)
    if not files:
        raise SourcesRefused(f"--sources: {folder} holds no file, expected the trainer's package")
    sizes = {name: os.path.getsize(path) for name, path in files.items()}
    total = sum(sizes.values())
    if total > MAX_BYTES:
        largest = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:10]
        listing = ", ".join(f"{name} {size}" for name, size in largest)
        raise SourcesRefused(
            f"--sources: {folder} holds {total} bytes in {len(files)} files, allowed are {MAX_BYTES}: "
            f"mount data and weights instead of sending them (largest: {listing})"
        )
    buffer = io.BytesIO()
    listing_of_digests = ""
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, ZIP_EPOCH)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            with open(files[name], "rb") as file:
                content = file.read()
            archive.writestr(info, content)
            listing_of_digests += f"{hashlib.sha256(content).hexdigest()}  {name}\n"
    data = buffer.getvalue()
    address = hashlib.sha256(data).hexdigest()[:DIGEST_DIGITS]
    digest = hashlib.sha256(listing_of_digests.encode()).hexdigest()[:DIGEST_DIGITS]
    return Sources(data, f"gcs://_ray_pkg_{address}.zip", len(files), digest)


def _files(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for directory, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in names:
            path = os.path.join(directory, name)
            if not name.startswith(".") and not name.endswith(".pyc") and os.path.isfile(path):
                found[os.path.relpath(path, folder).replace(os.sep, "/")] = path
    return found
