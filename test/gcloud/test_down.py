"""Tear-down: only with consent, workloads first, data only on demand, what was adopted never."""

from __future__ import annotations

import json
from typing import Any

from fakecloud import Refuse, Run
from lab import Lab, expect, one_line
from world import World

MANIFEST = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "metadata": {"name": "llama3-8b", "namespace": "default"},
    "spec": {},
}


def apply_workload(world: World, namespace: str = "default") -> None:
    manifest = json.loads(json.dumps(MANIFEST))
    manifest["metadata"]["namespace"] = namespace
    (world.directory / "dist").mkdir()
    (world.directory / "dist" / "llama3-8b.k8s.yaml").write_text(json.dumps(manifest))
    manifest["metadata"]["uid"] = "uid-1"
    world.cloud.kubernetes[("rayclusters", namespace, "llama3-8b")] = manifest


def made_by_hf_secret(namespace: str, name: str) -> dict[str, Any]:
    labels = {"cdk8s-tpu-ray/made-by": "hf-secret"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}", "labels": labels}}


def deletions(world: World) -> list[str]:
    return [r.line for r in world.cloud.records if r.method == "DELETE"]


def test_nothing_is_deleted_without_consent(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        state = world.cloud.end_state()
        for stdin in ("", "yes\n", "tpu-ra\n"):
            result = expect(world.run("down.sh", stdin=stdin), 8, "not confirmed: nothing was deleted")
            assert "cluster tpu-ray in us-east5-b, with all its node pools" in result.err, result.err
            assert "the grant of roles/storage.objectUser for default/tpu-trainer on my-bucket" in result.err, result.err
            assert "bucket my-bucket" not in result.err.split("type tpu-ray")[0], result.err
        # With data two names are asked for; the cluster's alone is not enough.
        expect(world.run("down.sh", "--delete-data", stdin="tpu-ray\n"), 8, "bucket my-bucket, with ALL DATA in it", "not confirmed")
        assert world.cloud.changes() == [], world.cloud.changes()
        assert world.cloud.end_state() == state


test_nothing_is_deleted_without_consent.cost = 0.6  # type: ignore[attr-defined]


def adopted_autopilot(world: World) -> None:
    """What up.sh and kubectl apply have left in a cluster and a bucket that were there before."""
    kubernetes = world.cloud.kubernetes
    apply_workload(world, "training")
    namespace: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "training"}}
    (world.directory / "dist" / "00-platform.k8s.yaml").write_text(json.dumps(namespace))
    namespace["metadata"]["uid"] = "uid-2"
    kubernetes[("namespaces", "", "training")] = namespace
    kubernetes[("secrets", "training", "tokens")] = made_by_hf_secret("training", "tokens")
    member = f"principal://iam.googleapis.com/projects/{world.cloud.PROJECT_NUMBER}/locations/global/workloadIdentityPools/my-project.svc.id.goog/subject/ns/training/sa/tpu-trainer"
    world.cloud.bucket_policies["my-bucket"]["bindings"] = [{"role": "roles/storage.objectUser", "members": [member]}]


def test_in_an_adopted_cluster_too_nothing_is_deleted_without_consent(lab: Lab) -> None:
    with lab.world("adopted-autopilot") as world:
        adopted_autopilot(world)
        state = world.cloud.end_state()
        result = expect(world.run("down.sh"), 8, "not confirmed: nothing was deleted")
        listed = result.err.split("to be deleted in project my-project:")[1].split("type tpu-ray")[0]
        assert [line.strip() for line in listed.splitlines() if line.strip()] == [
            "Namespace training, with all that is in it",
            "RayCluster training/llama3-8b",
            "the grant of roles/storage.objectUser for training/tpu-trainer on my-bucket",
        ], listed
        assert world.cloud.changes() == [], world.cloud.changes()
        assert world.cloud.end_state() == state

        expect(world.run("down.sh", stdin="tpu-ray\n"), 0)
        assert not world.cloud.kubernetes, world.cloud.kubernetes
        assert not any(binding["members"] for binding in world.cloud.bucket_policies["my-bucket"].get("bindings", []))
        assert world.cloud.clusters and "my-bucket" in world.cloud.buckets

        # Nothing is there now that would go: no question, no request.
        world.cloud.forget_requests()
        result = expect(world.run("down.sh"), 0, ": no change")
        assert "to be deleted" not in result.err, result.err
        assert world.cloud.changes() == [], world.cloud.changes()


def test_what_cannot_be_looked_at_is_listed_too(lab: Lab) -> None:
    with lab.world("adopted-autopilot") as world:
        adopted_autopilot(world)
        world.cloud.fault(r"^GET kubernetes/apis/ray.io/v1/namespaces/training/rayclusters/", Refuse(403, "rayclusters is forbidden", "Forbidden"), times=100)
        expect(world.run("down.sh"), 8, "the objects of dist/, which could not be looked at", "not confirmed: nothing was deleted")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_a_kubeconfig_entry_alone_is_not_deleted_without_consent(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        context = "gke_my-project_us-east5-b_tpu-ray"
        world.kubeconfig.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": [{"name": context, "context": {"cluster": context, "user": context}}]}))
        text = world.kubeconfig.read_text()
        expect(world.run("down.sh"), 8, f"  kubeconfig context {context}", "not confirmed: nothing was deleted")
        assert world.kubeconfig.read_text() == text
        expect(world.run("down.sh", "--yes"), 0)
        assert context not in world.kubeconfig.read_text()


def test_a_secret_that_others_have_made_stays(lab: Lab) -> None:
    with lab.world("adopted") as world:
        theirs = made_by_hf_secret("research", "hf-secret")
        del theirs["metadata"]["labels"]
        world.cloud.kubernetes[("secrets", "research", "hf-secret")] = theirs
        result = expect(world.run("down.sh", "--yes"), 0)
        one_line(result, "kept", "secret research/hf-secret", "hf-secret.sh has not made it")
        assert ("secrets", "research", "hf-secret") in world.cloud.kubernetes


def test_a_typed_name_deletes_in_order_and_keeps_the_bucket(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        apply_workload(world)
        world.cloud.objects[("my-bucket", "checkpoints/100")] = ({"name": "checkpoints/100"}, b"weights")
        result = expect(world.run("down.sh", stdin="tpu-ray\n"), 0)
        one_line(result, "kept", "bucket my-bucket", "--delete-data deletes it")
        assert ("my-bucket", "checkpoints/100") in world.cloud.objects
        assert not world.cloud.clusters and not world.cloud.pools and not world.cloud.compute and not world.cloud.repositories
        order = [line for line in deletions(world) if "bucket" not in line]
        kinds = [next(word for word in ("rayclusters", "/clusters/", "firewalls", "subnetworks", "networks", "repositories") if word in line) for line in order]
        assert list(dict.fromkeys(kinds)) == ["rayclusters", "/clusters/", "firewalls", "subnetworks", "networks", "repositories"], order
        roles = [m for b in world.cloud.bucket_policies["my-bucket"]["bindings"] for m in b["members"]]
        assert not any(member.startswith("principal://") for member in roles), roles

        # Again: nothing is left to do, and it says so.
        world.cloud.forget_requests()
        expect(world.run("down.sh", "--yes"), 0, ": no change")
        assert world.cloud.changes() == [], world.cloud.changes()


test_a_typed_name_deletes_in_order_and_keeps_the_bucket.cost = 1.0  # type: ignore[attr-defined]


def test_delete_data_deletes_the_bucket_too(lab: Lab) -> None:
    with lab.world_after_up("tpu7x") as world:
        world.cloud.objects[("my-bucket", "a")] = ({"name": "a", "bucket": "my-bucket", "generation": "1", "size": "1"}, b"x")
        result = expect(world.run("down.sh", "--delete-data", stdin="tpu-ray\nmy-bucket\n"), 0)
        one_line(result, "deleted", "bucket my-bucket")
        one_line(result, "deleted", "placement policy tpu-ray-2x2x2")
        assert "my-bucket" not in world.cloud.buckets


def test_what_was_adopted_stays(lab: Lab) -> None:
    with lab.world_after_up("adopted") as world:
        apply_workload(world, "research")
        world.cloud.kubernetes[("secrets", "research", "hf-secret")] = made_by_hf_secret("research", "hf-secret")
        result = expect(world.run("down.sh", "--yes", "--delete-data"), 0)
        for name in ("cluster tpu-ray", "bucket my-bucket", "repository tpu-ray", "network tpu-ray-net-1"):
            one_line(result, "kept", name, "adopted")
        one_line(result, "deleted", "node pool tpu-ray-v6e-4x4-0")
        assert world.cloud.clusters and "my-bucket" in world.cloud.buckets and world.cloud.repositories
        assert ("global", "networks", "tpu-ray-net-1") in world.cloud.compute
        assert not world.cloud.pools
        assert ("rayclusters", "research", "llama3-8b") not in world.cloud.kubernetes
        assert ("secrets", "research", "hf-secret") not in world.cloud.kubernetes
        assert ("namespaces", "", "research") in world.cloud.kubernetes


test_what_was_adopted_stays.cost = 0.8  # type: ignore[attr-defined]


def test_what_cannot_be_deleted_is_listed_and_the_rest_goes(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        foreign = dict(world.cloud.compute[("global", "firewalls", "tpu-ray-net-1-internal")], name="made-by-hand")
        world.cloud.compute[("global", "firewalls", "made-by-hand")] = foreign
        result = expect(world.run("down.sh", "--yes"), 9)
        line = one_line(result, "left", "network tpu-ray-net-1")
        assert "already being used by" in line and "made-by-hand" in line and "next: " in line, line
        assert set(world.cloud.compute) == {("global", "networks", "tpu-ray-net-1"), ("global", "firewalls", "made-by-hand")}
        assert not world.cloud.repositories
        del world.cloud.compute[("global", "firewalls", "made-by-hand")]
        expect(world.run("down.sh", "--yes"), 0)
        assert not world.cloud.compute


test_what_cannot_be_deleted_is_listed_and_the_rest_goes.cost = 0.9  # type: ignore[attr-defined]


def test_a_busy_cluster_is_tried_again_and_what_vanishes_meanwhile_is_fine(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        busy = Refuse(400, "Cluster is running incompatible operation operation-1.", "failedPrecondition", "FAILED_PRECONDITION")
        world.cloud.fault(r"^DELETE container.*/clusters/tpu-ray$", busy)
        world.cloud.fault(r"^DELETE artifactregistry.*/repositories/tpu-ray$", Run(world.cloud.repositories.clear))
        result = expect(world.run("down.sh", "--yes"), 0, "  busy: ")
        one_line(result, "absent", "repository tpu-ray")
