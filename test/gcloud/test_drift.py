"""What exists but differs is reported with the difference and the remedy; nothing is changed."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator

from fakecloud import FakeCloud
from lab import Lab, expect, one_line

V6E = ("us-east5-b", "tpu-ray", "tpu-ray-v6e-4x4-0")
NAME = "node pool tpu-ray-v6e-4x4-0"


def _set(table: str, key: Any, *path: str, value: Any) -> Callable[[FakeCloud], None]:
    def change(cloud: FakeCloud) -> None:
        item = getattr(cloud, table)[key]
        for name in path[:-1]:
            item = item.setdefault(name, {})
        item[path[-1]] = value

    return change


# step, fixture, what has changed, texts of the one line that says so
CASES: list[tuple[str, str, str, Callable[[FakeCloud], None], tuple[str, ...]]] = [
    ("another topology", "node-pools.sh", "quick-start", _set("pools", V6E, "placementPolicy", "tpuTopology", value="4x8"), (NAME, "topology is 4x8, infrastructure.tsv says 4x4", "node-pools delete tpu-ray-v6e-4x4-0")),
    ("another machine", "node-pools.sh", "quick-start", _set("pools", V6E, "config", "machineType", value="ct6e-standard-8t"), (NAME, "machineType is ct6e-standard-8t")),
    ("spot instead of on-demand", "node-pools.sh", "quick-start", _set("pools", V6E, "config", "spot", value=True), (NAME, "spot is True")),
    ("another zone", "node-pools.sh", "quick-start", _set("pools", V6E, "locations", value=["us-east5-c"]), (NAME, "zone is us-east5-c")),
    ("no additional networks", "node-pools.sh", "multislice-explicit", _set("pools", V6E, "networkConfig", value={}), (NAME, "additionalNetworks is unset")),
    ("a label that is gone", "node-pools.sh", "multislice-explicit", _set("pools", V6E, "config", "labels", value={"team": "a"}), (NAME, "label cloud.google.com/gke-networking-dra-driver is unset", "label cdk8s-tpu-ray/node-pool is unset", "--node-labels=cdk8s-tpu-ray/node-pool=v6e-4x4,cloud.google.com/gke-networking-dra-driver=true,team=a")),
    ("a taint that is gone", "node-pools.sh", "spot", _set("pools", V6E, "config", "taints", value=[{"key": "team", "value": "a", "effect": "NO_EXECUTE"}]), (NAME, "taint cdk8s-tpu-ray/node-pool is unset", "node-pools update tpu-ray-v6e-4x4-0", "--node-taints=cdk8s-tpu-ray/node-pool=v6e-4x4:NoSchedule,team=a:NoExecute")),
    ("another reservation", "node-pools.sh", "shared-reservation", _set("pools", ("us-east5-b", "tpu-ray", "tpu-ray-v6e-4x4-0"), "config", "reservationAffinity", value={"values": ["other"]}), (NAME, "reservationAffinity.values is other")),
    ("no Dataplane V2", "cluster.sh", "multislice-explicit", _set("clusters", V6E[:2], "networkConfig", "datapathProvider", value="LEGACY_DATAPATH"), ("cluster tpu-ray", "dataplaneV2 is false, infrastructure.tsv says true", "cannot be changed in place")),
    ("no Ray operator", "cluster.sh", "quick-start", _set("clusters", V6E[:2], "addonsConfig", "rayOperatorConfig", value={}), ("cluster tpu-ray", "add-on RayOperator", "--update-addons=RayOperator=ENABLED")),
    ("an older version", "cluster.sh", "quick-start", _set("clusters", V6E[:2], "currentMasterVersion", value="1.34.9-gke.99"), ("cluster tpu-ray", "version is 1.34.9-gke.99", "clusters upgrade tpu-ray")),
    ("a small MTU", "networks.sh", "multislice-explicit", _set("compute", ("global", "networks", "tpu-ray-net-1"), "mtu", value=1460), ("network tpu-ray-net-1", "mtu is 1460, infrastructure.tsv says 8896")),
    ("another range", "networks.sh", "multislice-explicit", _set("compute", ("regions/us-east5", "subnetworks", "tpu-ray-net-1-sub"), "ipCidrRange", value="10.70.0.0/16"), ("subnet tpu-ray-net-1-sub", "range is 10.70.0.0/16")),
    ("an open firewall", "networks.sh", "multislice-explicit", _set("compute", ("global", "firewalls", "tpu-ray-net-1-internal"), "sourceRanges", value=["0.0.0.0/0"]), ("firewall tpu-ray-net-1-internal", "sourceRanges is 0.0.0.0/0")),
    ("a bucket elsewhere", "bucket.sh", "quick-start", _set("buckets", "my-bucket", "location", value="EUROPE-WEST4"), ("bucket my-bucket", "location is EUROPE-WEST4")),
    ("another policy topology", "node-pools.sh", "tpu7x", _set("compute", ("regions/us-central1", "resourcePolicies", "tpu-ray-2x2x2"), "workloadPolicy", "acceleratorTopology", value="2x2x4"), ("placement policy tpu-ray-2x2x2", "topology is 2x2x4")),
]


def cases() -> Iterator[tuple[str, Any, float]]:
    for name, script, fixture, change, texts in CASES:
        yield f"drift[{name}]", partial(drift, script=script, fixture=fixture, change=change, texts=texts), 0.15


def drift(lab: Lab, *, script: str, fixture: str, change: Callable[[FakeCloud], None], texts: tuple[str, ...]) -> None:
    with lab.world_after_up(fixture) as world:
        change(world.cloud)
        state = world.cloud.end_state()
        result = expect(world.run(script), 4)
        line = one_line(result, "differs", *texts)
        assert "nothing was changed" in line and "next: " in line, line
        assert world.cloud.changes() == [], world.cloud.changes()
        assert world.cloud.end_state() == state


def test_a_cluster_of_the_same_name_elsewhere_is_not_taken_for_ours(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        body = world.cloud.clusters.pop(V6E[:2])
        body["location"] = body["zone"] = "us-central1-a"
        world.cloud.clusters[("us-central1-a", "tpu-ray")] = body
        result = expect(world.run("cluster.sh"), 4)
        one_line(result, "differs", "location is us-central1-a, infrastructure.tsv says us-east5-b")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_a_cluster_newer_than_asked_for_is_fine(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.clusters[V6E[:2]]["currentMasterVersion"] = "1.36.1-gke.5"
        expect(world.run("cluster.sh"), 0, "unchanged")


def test_what_is_to_be_adopted_must_be_there(lab: Lab) -> None:
    with lab.world("adopted") as world:
        world.cloud.clusters.clear()
        world.cloud.buckets.clear()
        result = expect(world.run("cluster.sh"), 1)
        one_line(result, "failed", "cluster tpu-ray", "to be adopted", "next: ")
        result = expect(world.run("bucket.sh"), 1)
        one_line(result, "failed", "bucket my-bucket", "to be adopted", "next: ")
        assert world.cloud.changes() == [], world.cloud.changes()
