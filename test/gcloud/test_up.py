"""Every project comes up, with the bodies that its infrastructure.tsv asks for; twice is a change of nothing."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Iterator

from lab import Lab, examples, expect, one_line, seed_adopted
from world import FIXTURES, ROOT, World

# Read in docs/operations.md: what 1, 2 and 8 TPU pools cost.
MEASURED = {"quick-start": 1, "multislice-explicit": 2, "eight-slices": 8}

# Capacities that no example has; they differ from the quick start in their node pools only.
POOLS_ONLY = ("queued", "shared-reservation", "spot", "flex-start")


# What the fixtures do not have: Autopilot and a placement policy. The other examples differ in pools and names and come up nightly.
EXAMPLES_EACH_TIME = {"multislice-autopilot", "tpu7x"}


def groups() -> dict[str, list[Path]]:
    """Examples that share a cluster come up in it one after the other, as projects of one team do."""
    clusters: dict[str, list[Path]] = {}
    for path in examples():
        text = (path / "infrastructure.tsv").read_text()
        if "networkProfile=auto" not in text:
            cluster = next(line for line in text.splitlines() if line.startswith("cluster\t"))
            clusters.setdefault(cluster, []).append(path)
    return {f"up[{','.join(map(name_of, paths))}]": paths for paths in clusters.values()}


def name_of(path: Path) -> str:
    return "root" if path == ROOT else path.name


NIGHTLY = {
    # For the figures of docs/operations.md.
    "up_twice_down[eight-slices]",
    *(name for name, paths in groups().items() if not EXAMPLES_EACH_TIME & set(map(name_of, paths))),
}


def cases() -> Iterator[tuple[str, Any, float]]:
    # First, since others start from the state they reach.
    for fixture in MEASURED:
        yield f"up_twice_down[{fixture}]", partial(up_twice_down, fixture=fixture), 9.0
    for fixture in POOLS_ONLY:
        yield f"pools[{fixture}]", partial(pools, fixture=fixture), 0.3
    yield "up[adopted]", partial(up, paths=[FIXTURES / "adopted"]), 1.0
    for path in examples():
        if "networkProfile=auto" in (path / "infrastructure.tsv").read_text():
            yield f"refuses_early[{path.name}]", partial(refuses_early, path=path), 0.3
    for name, paths in groups().items():
        yield name, partial(up, paths=paths), 0.4 + 0.6 * len(paths)


def up(lab: Lab, *, paths: list[Path]) -> None:
    with lab.world(paths[0]) as world:
        for path in paths:
            # The next project has its own pools; an image of a tag that is there is not built again.
            world.cloud.pools.clear()
            world.take(path)
            seed_adopted(world)
            result = expect(world.run("up.sh"), 0, "next: kubectl apply -f")
            check_state(world)
            assert not result.out, f"standard output belongs to DRY_RUN\n{result.out}"


def pools(lab: Lab, *, fixture: str) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.pools.clear()
        world.take(FIXTURES / fixture)
        expect(world.run("node-pools.sh"), 0)
        for row in world.rows("node-pool"):
            check_pool(row, world.cloud.pools[("us-east5-b", "tpu-ray", row["name"])])
        world.cloud.forget_requests()
        expect(world.run("node-pools.sh"), 0, ": no change")
        assert world.cloud.changes() == [], world.cloud.changes()


def refuses_early(lab: Lab, *, path: Path) -> None:
    """The gcloud of 2025 lacks the flag of the automatic network profile: that is found before anything is made."""
    with lab.world(path) as world:
        result = expect(world.run("up.sh"), 3)
        line = one_line(result, "node pools", "--accelerator-network-profile")
        assert re.search(r"gcloud \d+\.\d+\.\d+ does not know", line), line
        assert "567 or newer" in line and "network.profile: explicit" in line, line
        assert world.cloud.changes() == [], world.cloud.changes()


def up_twice_down(lab: Lab, *, fixture: str) -> None:
    with lab.world(fixture) as world:
        # With a cache of its own: the figures are those of a machine where this was never run.
        cache = str(world.folder / "cache")
        fresh = expect(world.run("up.sh", XDG_CACHE_HOME=cache), 0)
        check_state(world)
        lab.remember(fixture, world)
        state = world.cloud.end_state()

        world.cloud.forget_requests()
        again = expect(world.run("up.sh", XDG_CACHE_HOME=cache), 0, ": no change")
        assert world.cloud.changes() == [], world.cloud.changes()
        assert world.cloud.end_state() == state
        assert again.outcomes("created") == [], again.outcomes("created")
        check_listed_once(world)

        down = expect(world.run("down.sh", "--yes"), 0)
        for what, result in (("fresh up", fresh), ("up without a change", again), ("down", down)):
            calls = sum(command.startswith("gcloud ") for command in result.commands())
            lab.figures.append(f"figure: {MEASURED[fixture]} TPU pools, {what}: {calls} gcloud calls, {result.seconds:.0f} s")


def check_listed_once(world: World) -> None:
    """No kind of resource is listed or read twice by one up.sh."""
    seen = Counter(r.line for r in world.cloud.records if r.host != "kubernetes")
    twice = {line: count for line, count in seen.items() if count > 1}
    assert not twice, twice


def check_state(world: World) -> None:
    """The cloud holds what the rows say."""
    cloud = world.cloud
    project = world.rows("project")[0]
    assert {row["name"] for row in world.rows("api")} <= cloud.services
    for row in world.rows("network"):
        network = cloud.compute[("global", "networks", row["name"])]
        assert network["mtu"] == int(row["mtu"]) and network["autoCreateSubnetworks"] is False, network
    for row in world.rows("subnet"):
        subnet = cloud.compute[(f"regions/{row['region']}", "subnetworks", row["name"])]
        assert subnet["ipCidrRange"] == row["range"] and subnet["network"].endswith(f"/{row['network']}"), subnet
    for row in world.rows("firewall"):
        rule = cloud.compute[("global", "firewalls", row["name"])]
        assert [item["IPProtocol"] for item in rule["allowed"]] == row["allow"].split(","), rule
        assert rule["sourceRanges"] == row["sourceRanges"].split(",") and rule["direction"] == "INGRESS", rule
    cluster = world.rows("cluster")[0]
    check_cluster(cluster, cloud.clusters[(cluster["location"], cluster["name"])], project)
    for row in world.rows("placement-policy"):
        policy = cloud.compute[(f"regions/{row['region']}", "resourcePolicies", row["name"])]
        assert policy["workloadPolicy"] == {"type": row["type"], "acceleratorTopology": row["topology"]}, policy
    for row in world.rows("node-pool"):
        check_pool(row, cloud.pools[(cluster["location"], cluster["name"], row["name"])])
    for row in world.rows("bucket"):
        bucket = cloud.buckets[row["name"]]
        assert bucket["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"] is True, bucket
        if row["create"] == "true":
            assert bucket["location"].lower() == row["location"], bucket
            assert bucket["hierarchicalNamespace"]["enabled"] is (row["hierarchicalNamespace"] == "true"), bucket
            assert bucket["iamConfiguration"]["publicAccessPrevention"] == "enforced", bucket
    for row in world.rows("bucket-role"):
        member = (
            f"principal://iam.googleapis.com/projects/{cloud.PROJECT_NUMBER}/locations/global/workloadIdentityPools/"
            f"{project['id']}.svc.id.goog/subject/ns/{row['namespace']}/sa/{row['serviceAccount']}"
        )
        bindings = cloud.bucket_policies[row["bucket"]]["bindings"]
        assert any(b["role"] == row["role"] and member in b["members"] for b in bindings), bindings
    for row in world.rows("repository"):
        name = f"projects/{project['id']}/locations/{row['location']}/repositories/{row['name']}"
        assert cloud.repositories[name]["format"] == "DOCKER"
        if row["create"] == "true":
            bindings = cloud.repository_policies[name]["bindings"]
            node = f"serviceAccount:{cloud.PROJECT_NUMBER}-compute@developer.gserviceaccount.com"
            assert bindings == [{"role": "roles/artifactregistry.reader", "members": [node]}], bindings
    assert {row["name"] for row in world.rows("image")} <= set(cloud.images), cloud.images
    context = f"gke_{project['id']}_{cluster['location']}_{cluster['name']}"
    assert f"current-context: {context}" in world.kubeconfig.read_text()


def check_cluster(row: dict[str, str], body: dict[str, Any], project: dict[str, str]) -> None:
    assert body["status"] == "RUNNING", body
    if row["create"] == "false":
        return
    assert body["initialClusterVersion"] == row["version"], body
    addons = body["addonsConfig"]
    assert addons["rayOperatorConfig"]["enabled"] is True, addons
    if row["mode"] == "autopilot":
        assert body["autopilot"]["enabled"] is True and "nodePools" not in body, body
        return
    assert addons["gcsFuseCsiDriverConfig"]["enabled"] is True, addons
    # What is on by default must not be switched off by naming two more add-ons.
    assert addons["httpLoadBalancing"]["disabled"] is False, addons
    assert addons["horizontalPodAutoscaling"]["disabled"] is False, addons
    networking = body.get("networkConfig", {})
    assert (networking.get("datapathProvider") == "ADVANCED_DATAPATH") is (row["dataplaneV2"] == "true"), networking
    assert networking.get("enableMultiNetworking", False) is (row["multiNetworking"] == "true"), networking
    assert body["workloadIdentityConfig"]["workloadPool"] == f"{project['id']}.svc.id.goog", body
    assert body["ipAllocationPolicy"]["useIpAliases"] is True, body


EFFECTS = {"NO_SCHEDULE": "NoSchedule"}


def check_pool(row: dict[str, str], body: dict[str, Any]) -> None:
    config = body["config"]
    assert body["status"] == "RUNNING", body
    assert config["machineType"] == row["machineType"], config
    assert int(body.get("initialNodeCount", 0)) == int(row["nodes"]), body
    assert body["locations"] == [row["zone"]], body
    placement = body.get("placementPolicy", {})
    assert placement.get("tpuTopology", "") == row["topology"], placement
    assert placement.get("policyName", "") == row["placementPolicy"], placement
    scaling = body.get("autoscaling", {})
    assert scaling.get("enabled", False) is (row["autoscaling"] == "true"), scaling
    if row["autoscaling"] == "true":
        bounds = (int(scaling.get("minNodeCount", 0)), int(scaling["maxNodeCount"]))
        assert bounds == (int(row["minNodes"]), int(row["maxNodes"])), scaling
        assert (scaling.get("locationPolicy") == "ANY") is (row["role"] == "tpu"), scaling
        assert "totalMaxNodeCount" not in scaling, scaling
    capacity = row["capacity"]
    assert config.get("spot", False) is (capacity == "spot"), config
    assert config.get("flexStart", False) is (capacity in ("flex-start", "queued")), config
    assert body.get("queuedProvisioning", {}).get("enabled", False) is (capacity == "queued"), body
    reservation = config.get("reservationAffinity", {})
    if capacity == "reservation":
        path = row["capacityFlags"].rpartition("--reservation=")[2]
        assert path != "" and row["capacityFields"].endswith(f".list()={path}"), row
        assert reservation["consumeReservationType"] == "SPECIFIC_RESERVATION", reservation
        assert reservation["values"] == [path], reservation
    elif capacity in ("flex-start", "queued"):
        assert reservation == {"consumeReservationType": "NO_RESERVATION"}, reservation
        assert body["management"]["autoRepair"] is False, body
    threads = config.get("advancedMachineFeatures", {}).get("threadsPerCore", "")
    assert str(threads) == row["threadsPerCore"], config
    networks = [f"{n['network']}:{n['subnetwork']}" for n in body.get("networkConfig", {}).get("additionalNodeNetworkConfigs", [])]
    assert ",".join(networks) == row["additionalNetworks"], networks
    labels = dict(pair.split(":", 1) for pair in row["labels"].split(",") if pair)
    assert labels.items() <= config.get("labels", {}).items(), config
    taints = [f"{t['key']}={t['value']}:{EFFECTS[t['effect']]}" for t in config.get("taints", [])]
    assert [taint for taint in row["taints"].split(",") if taint] == taints, config
    assert config["workloadMetadataConfig"]["mode"] == row["metadata"], config
