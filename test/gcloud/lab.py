"""What the tests share: the certificate, clouds in the state that up.sh leaves, and the figures they measure."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from world import ROOT, Result, World


class Lab:
    """One for a whole test run; its tests run in several threads."""

    def __init__(self, certificate: Path):
        self.certificate = certificate
        self.figures: list[str] = []
        self._states: dict[str, tuple[dict[str, Any], str]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    @contextmanager
    def world(self, fixture: str | Path) -> Iterator[World]:
        """A project with nothing in the cloud."""
        with World(self.certificate, fixture) as world:
            if (world.directory / "infrastructure.tsv").exists():
                seed_adopted(world)
            yield world
            assert not world.cloud.problems, world.cloud.problems

    @contextmanager
    def world_after_up(self, fixture: str) -> Iterator[World]:
        """A project whose cloud is as up.sh leaves it, with no request recorded yet."""
        snapshot, _end = self._after_up(fixture)
        with self.world(fixture) as world:
            world.cloud.restore(snapshot)
            yield world

    def end_state(self, fixture: str) -> str:
        """The end state of an undisturbed up.sh."""
        return self._after_up(fixture)[1]

    def remember(self, fixture: str, world: World) -> None:
        """Keeps the state after an up.sh that a test made anyway."""
        with self._lock:
            self._states.setdefault(fixture, (world.cloud.snapshot(), world.cloud.end_state()))

    def _after_up(self, fixture: str) -> tuple[dict[str, Any], str]:
        with self._lock:
            if fixture in self._states:
                return self._states[fixture]
            lock = self._locks.setdefault(fixture, threading.Lock())
        with lock:
            with self._lock:
                if fixture in self._states:
                    return self._states[fixture]
            with self.world(fixture) as world:
                expect(world.run("up.sh"), 0)
                self.remember(fixture, world)
            return self._states[fixture]


def seed_adopted(world: World) -> None:
    """Puts into the cloud what the project adopts (create=false) or only uses, as if it had been there before."""
    cloud = world.cloud
    project, zone = world.rows("project")[0], world.rows("cluster")[0]["location"]
    region = f"regions/{project['region']}"
    base = f"https://www.googleapis.com/compute/v1/projects/{project['id']}"

    def adopted(kind: str) -> list[dict[str, str]]:
        return [row for row in world.rows(kind) if row["create"] == "false"]

    for row in adopted("network"):
        cloud.compute[("global", "networks", row["name"])] = {"name": row["name"], "mtu": int(row["mtu"]), "autoCreateSubnetworks": False, "selfLink": f"{base}/global/networks/{row['name']}"}
    for row in adopted("subnet"):
        cloud.compute[(region, "subnetworks", row["name"])] = {"name": row["name"], "network": f"{base}/global/networks/{row['network']}", "region": f"{base}/{region}", "ipCidrRange": row["range"], "selfLink": f"{base}/{region}/subnetworks/{row['name']}"}
    for row in adopted("firewall"):
        allowed = [{"IPProtocol": protocol} for protocol in row["allow"].split(",")]
        cloud.compute[("global", "firewalls", row["name"])] = {"name": row["name"], "network": f"{base}/global/networks/{row['network']}", "direction": "INGRESS", "sourceRanges": row["sourceRanges"].split(","), "allowed": allowed, "selfLink": f"{base}/global/firewalls/{row['name']}"}
    for row in adopted("cluster"):
        cloud.clusters[(zone, row["name"])] = {
            "name": row["name"],
            "location": zone,
            "zone": zone,
            "status": "RUNNING",
            "currentMasterVersion": "1.35.3-gke.1737000",
            "currentNodeVersion": "1.35.3-gke.1737000",
            "autopilot": {"enabled": row["mode"] == "autopilot"},
            "networkConfig": {"datapathProvider": "ADVANCED_DATAPATH", "enableMultiNetworking": True},
            "workloadIdentityConfig": {"workloadPool": f"{project['id']}.svc.id.goog"},
            "addonsConfig": {"rayOperatorConfig": {"enabled": True}, "gcsFuseCsiDriverConfig": {"enabled": True}},
        }
    own = {row["name"] for row in world.rows("bucket") if row["create"] == "true"}
    used = {row["name"] for row in world.rows("bucket")} | {row["bucket"] for row in world.rows("bucket-role")}
    for name in used - own - set(cloud.buckets):
        cloud.buckets[name] = {"name": name, "location": "US", "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}}}
        cloud.bucket_policies[name] = {"version": 1, "etag": "CAE=", "bindings": []}
    for row in adopted("repository"):
        name = f"projects/{project['id']}/locations/{row['location']}/repositories/{row['name']}"
        cloud.repositories[name] = {"name": name, "format": "DOCKER"}
    for row in adopted("namespace"):
        cloud.kubernetes[("namespaces", "", row["name"])] = _object("v1", "Namespace", row["name"])
    for row in adopted("service-account"):
        cloud.kubernetes[("serviceaccounts", row["namespace"], row["name"])] = _object("v1", "ServiceAccount", row["name"], row["namespace"])


def _object(version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name, "uid": f"uid-{kind}-{name}", "resourceVersion": "1"}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def expect(result: Result, code: int, *texts: str) -> Result:
    """The result must have that exit code and hold those texts."""
    assert result.code == code, f"exit code {result.code}, expected {code}\n{result.text}"
    for text in texts:
        assert text in result.text, f"{text!r} is not in\n{result.text}"
    return result


def one_line(result: Result, *texts: str) -> str:
    """The one line of the summary that holds all texts."""
    end = result.err[max(result.err.rfind("== summary"), 0) :]
    lines = [line for line in end.splitlines() if re.match(r" +\w+ +\d+ s  ", line) and all(text in line for text in texts)]
    assert len(lines) == 1, f"{len(lines)} lines of the summary hold {texts}\n{result.text}"
    return lines[0]


def examples() -> list[Path]:
    """The project directories of the repository: the quick start and every example."""
    found = [path.parent for path in sorted((ROOT / "examples").glob("*/infrastructure.tsv"))]
    if (ROOT / "infrastructure.tsv").exists():
        found.insert(0, ROOT)
    assert found, "no project has an infrastructure.tsv: run npm run synth"
    return found
