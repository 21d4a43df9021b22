"""The steps that are more than making one thing: credentials, images by docker, status, dashboard."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

from lab import Lab, expect, one_line
from world import World


def test_an_entry_of_a_deleted_cluster_of_the_same_name_is_replaced(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        expect(world.run("credentials.sh"), 0, "it is the current context now")
        one_line(expect(world.run("credentials.sh"), 0), "unchanged", "kubeconfig entry")
        text = world.kubeconfig.read_text()
        server = f"https://127.0.0.1:{world.cloud.kubernetes_port}"
        assert server in text
        world.kubeconfig.write_text(text.replace(server, "https://127.0.0.1:1"))
        one_line(expect(world.run("credentials.sh"), 0), "created", "kubeconfig entry")
        assert server in world.kubeconfig.read_text()


def test_docker_builds_and_pushes_to_both_hosts(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.images.clear()
        log = world.folder / "docker"
        world.stub("docker", f'printf "%s\\n" "$*" >>{log}\n')
        result = expect(world.run("images.sh", IMAGE_BUILDER="docker"), 0)
        image = "us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5"
        one_line(result, "created", f"image {image}")
        calls = [line for line in log.read_text().splitlines() if not line.startswith("version")]
        assert calls == [f"build --platform=linux/amd64 --tag={image} {world.directory}/images/maxtext", f"push {image}"], calls
        helpers = json.loads((world.folder / "home" / ".docker" / "config.json").read_text())["credHelpers"]
        assert {"us-east5-docker.pkg.dev", "us-docker.pkg.dev"} <= set(helpers), helpers
        expect(world.run("images.sh", IMAGE_BUILDER="podman"), 2, "IMAGE_BUILDER is 'podman': use cloud-build or docker")


def test_an_image_that_is_there_is_built_again_only_on_demand(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        one_line(expect(world.run("images.sh"), 0), "unchanged", "image ")
        assert not world.cloud.matching(r"^POST cloudbuild.*/builds$")
        one_line(expect(world.run("images.sh", "--rebuild"), 0), "created", "image ")
        assert len(world.cloud.matching(r"^POST cloudbuild.*/builds$")) == 1


def worker(name: str, *variables: str) -> dict[str, Any]:
    labels = {"ray.io/cluster": "llama3-8b", "ray.io/node-type": "worker"}
    env = [{"name": variable, "value": "x"} for variable in variables]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": labels, "uid": name}, "spec": {"containers": [{"name": "ray-worker", "env": env}]}}


def live(world: World) -> None:
    """A RayCluster of four workers, as the operator, the webhook and Ray would have it."""
    kubernetes = world.cloud.kubernetes
    kubernetes[("rayclusters", "default", "llama3-8b")] = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "llama3-8b", "namespace": "default", "uid": "u"},
        "status": {"state": "ready", "desiredWorkerReplicas": 4, "readyWorkerReplicas": 4},
    }
    for index in range(4):
        kubernetes[("pods", "default", f"w-{index}")] = worker(f"w-{index}", "TPU_WORKER_ID", "TPU_NAME", "TPU_WORKER_HOSTNAMES")
    nodes = [{"node_id": str(i), "state": "ALIVE", "resources_total": {"CPU": 8.0, **({"TPU": 4.0} if i else {})}} for i in range(5)]
    kubernetes[("dashboard", "default", "llama3-8b-head-svc")] = {"result": True, "data": {"result": {"total": 5, "result": nodes}}}


def test_status_shows_what_lives_in_the_cluster(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        expect(world.run("credentials.sh"), 0)
        live(world)
        world.cloud.forget_requests()
        result = expect(
            world.run("status.sh"),
            0,
            "RayCluster default/llama3-8b: state ready, workers ready 4 of 4",
            "the TPU webhook has given all 4 workers their identity",
            "Ray sees 4 hosts with TPUs, 16 TPU in all",
        )
        for name in ("cluster tpu-ray", "node-pool tpu-ray-v6e-4x4-0", "bucket my-bucket", "repository tpu-ray"):
            one_line(result, "present", name)
        assert world.cloud.changes() == [], world.cloud.changes()


def test_status_tells_missing_from_different_and_finds_a_webhook_that_did_not_run(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        expect(world.run("credentials.sh"), 0)
        live(world)
        world.cloud.kubernetes[("pods", "default", "w-2")] = worker("w-2", "TPU_NAME")
        del world.cloud.kubernetes[("dashboard", "default", "llama3-8b-head-svc")]
        del world.cloud.pools[("us-east5-b", "tpu-ray", "tpu-ray-cpu")]
        world.cloud.pools[("us-east5-b", "tpu-ray", "tpu-ray-v6e-4x4-0")]["placementPolicy"]["tpuTopology"] = "4x8"
        result = expect(world.run("status.sh"), 1, "the dashboard does not answer")
        one_line(result, "failed", "TPU webhook for default/llama3-8b", "not all of 4 workers have TPU_WORKER_ID")
        one_line(result, "failed", "node-pool tpu-ray-cpu", "missing")
        one_line(result, "differs", "node-pool tpu-ray-v6e-4x4-0", "topology is 4x8")


def test_the_dashboard_forwarding_starts_again_until_it_is_ended(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        log = world.folder / "forwardings"
        world.stub("kubectl", f'printf "%s\\n" "$*" >>{log}\nexit 1\n')
        process = world.start("dashboard.sh", "--run", "llama3-8b", "--port", "9999")
        began = time.monotonic()
        while not (log.exists() and len(log.read_text().splitlines()) >= 2):
            assert time.monotonic() - began < 60 and process.poll() is None, world.finish(process).text
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        result = world.finish(process)
        assert result.code == 143, result.text
        assert log.read_text().splitlines()[0] == "--context=gke_my-project_us-east5-b_tpu-ray --namespace=default port-forward service/llama3-8b-head-svc 9999:8265"
        expect(world.run("dashboard.sh"), 2, "--run is missing: name one of: llama3-8b")
