import ast
import hashlib
import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from fake_dashboard import FakeDashboard

from tpu_trainers import submit_sources


def test_the_archive_depends_on_names_and_contents_only(tmp_path: Path) -> None:
    for folder, names in (("one", ("a.py", "b.py")), ("two", ("b.py", "a.py"))):
        package = tmp_path / folder / "tpu_trainers"
        package.mkdir(parents=True)
        for name in names:
            (package / name).write_text(f"# {name}\n")
        os.utime(package / "a.py", (1, 1) if folder == "one" else None)
        (package / "a.py").chmod(0o600 if folder == "one" else 0o755)
    (tmp_path / "two" / "tpu_trainers" / "__pycache__").mkdir()
    (tmp_path / "two" / "tpu_trainers" / "__pycache__" / "a.pyc").write_bytes(b"x")
    one, two = submit_sources.pack(str(tmp_path / "one")), submit_sources.pack(str(tmp_path / "two"))
    assert one == two
    assert zipfile.ZipFile(io.BytesIO(one.archive)).namelist() == ["tpu_trainers/a.py", "tpu_trainers/b.py"]
    # The bytes are the same on any machine, so is the address.
    assert one.uri == "gcs://_ray_pkg_22d23941be0393b6.zip"
    (tmp_path / "two" / "tpu_trainers" / "a.py").write_text("# changed\n")
    assert submit_sources.pack(str(tmp_path / "two")).uri != one.uri


def test_a_mounted_config_map_is_packed_once(tmp_path: Path) -> None:
    # Kubernetes mounts a ConfigMap as links through ..data to a folder with a time in its name.
    version = tmp_path / "mount" / "..2026_11_30_07_00_00.123"
    (version / "tpu_trainers").mkdir(parents=True)
    (version / "tpu_trainers" / "maxtext.py").write_text("x = 1\n")
    (tmp_path / "mount" / "..data").symlink_to(version.name)
    (tmp_path / "mount" / "tpu_trainers").symlink_to("..data/tpu_trainers")
    packed = submit_sources.pack(str(tmp_path / "mount"))
    archive = zipfile.ZipFile(io.BytesIO(packed.archive))
    assert archive.namelist() == ["tpu_trainers/maxtext.py"]
    assert archive.read("tpu_trainers/maxtext.py") == b"x = 1\n"


def test_fails_over_one_mebibyte_with_the_sizes(tmp_path: Path) -> None:
    (tmp_path / "big.bin").write_bytes(b"x" * 1_000_000)
    (tmp_path / "small.py").write_bytes(b"x" * 100_000)
    with pytest.raises(submit_sources.SourcesRefused) as refused:
        submit_sources.pack(str(tmp_path))
    assert str(refused.value) == (
        f"--sources: {tmp_path} holds 1100000 bytes in 2 files, allowed are 1048576: "
        "mount data and weights instead of sending them (largest: big.bin 1000000, small.py 100000)"
    )


def test_fails_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(submit_sources.SourcesRefused, match="holds no file, expected the trainer's package"):
        submit_sources.pack(str(tmp_path))


def test_sources_that_are_too_large_are_refused_before_anything_is_asked(dashboard: FakeDashboard, submit, sources: Path) -> None:
    (sources / "weights.bin").write_bytes(bytes(1 << 20))
    dashboard.start()
    process = submit()
    assert process.finish() == 23
    assert "largest: weights.bin 1048576" in process.last_line
    assert dashboard.requests == []


def test_the_packages_own_sources_are_far_below_the_limit() -> None:
    packed = submit_sources.pack(str(Path(submit_sources.__file__).parent))
    assert len(packed.archive) < submit_sources.MAX_BYTES / 2


def test_the_digest_is_that_of_sha256sum_over_all_files(tmp_path: Path) -> None:
    package = tmp_path / "tpu_trainers"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "maxtext.py").write_text('print("train")\n')
    listing = "".join(
        f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n" for name in ("tpu_trainers/__init__.py", "tpu_trainers/maxtext.py")
    )
    assert submit_sources.pack(str(tmp_path)).digest == hashlib.sha256(listing.encode()).hexdigest()[:16]
    # The same files in test/run/trainer-sources.test.ts.
    assert submit_sources.pack(str(tmp_path)).digest == "7567f368abbf629f"


def test_a_config_map_that_is_updated_while_it_is_packed_is_packed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount = tmp_path / "sources" / "tpu_trainers"
    for state in ("1", "2"):
        (mount / f"..{state}").mkdir(parents=True)
        for name in ("a.py", "b.py"):
            (mount / f"..{state}" / name).write_text(f"{name} of state {state}\n")
    (mount / "..data").symlink_to("..1")
    for name in ("a.py", "b.py"):
        (mount / name).symlink_to(f"..data/{name}")
    getsize = os.path.getsize

    def update(path: str) -> int:
        """The kubelet swaps the link between the look at a file and its reading, and removes the old state."""
        size = getsize(path)
        if os.readlink(mount / "..data") == "..1":
            (mount / "..data_tmp").symlink_to("..2")
            (mount / "..data_tmp").rename(mount / "..data")
            shutil.rmtree(mount / "..1")
        return size

    monkeypatch.setattr(os.path, "getsize", update)
    archive = zipfile.ZipFile(io.BytesIO(submit_sources.pack(str(mount.parent)).archive))
    assert [archive.read(name) for name in archive.namelist()] == [b"a.py of state 2\n", b"b.py of state 2\n"]


def test_the_submitter_imports_everything_at_its_start() -> None:
    """A mounted ConfigMap changes under a running pod: nothing may be read of it later."""
    folder = Path(submit_sources.__file__).parent
    for path in sorted(folder.glob("submit*.py")):
        late = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, (ast.Import, ast.ImportFrom)) and node.col_offset > 0]
        assert [(path.name, node.lineno) for node in late] == []
