import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))


class Project:
    """A copy of the quick start's output whose objects can be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "dist", folder / "dist")
        shutil.copy(ROOT / "infrastructure.tsv", folder)
        self._file = next(file for file in sorted((folder / "dist").glob("*.k8s.yaml")) if "kind: RayCluster" in file.read_text())

    def change(self, kind: str, edit: Callable[[Any], None]) -> None:
        """Applies ``edit`` to the object of a kind."""
        objects = list(yaml.safe_load_all(self._file.read_text()))
        for item in objects:
            if item["kind"] == kind:
                edit(item)
        self._file.write_text(yaml.safe_dump_all(objects, sort_keys=False))

    def worker(self, edit: Callable[[Any, Any], None]) -> None:
        """``edit`` gets the worker group and its main container."""
        self.change("RayCluster", lambda item: edit(group := item["spec"]["workerGroupSpecs"][0], group["template"]["spec"]["containers"][0]))

    def arguments(self, edit: Callable[[list[str]], None]) -> None:
        """``edit`` gets the arguments of the submitter."""
        self.change("Job", lambda item: edit(item["spec"]["template"]["spec"]["containers"][0]["args"]))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")
