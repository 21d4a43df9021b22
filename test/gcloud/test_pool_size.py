"""The CPU pool grows with the plan, keeps nodes that are not planned, and is never offered to be deleted for its size."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from fakecloud import FailOperation, Refuse
from lab import Lab, expect, one_line
from world import World

POOL = ("us-east5", "tpu-ray", "tpu-ray-cpu")
NAME = "node pool tpu-ray-cpu"
SET_SIZE = r"^POST container.*/nodePools/tpu-ray-cpu:setSize$"
STOCKOUT = "The zone 'projects/my-project/zones/us-east5-b' does not have enough resources available to fulfill the request."


@contextmanager
def made(lab: Lab) -> Iterator[World]:
    """A cluster with the project's pools."""
    with lab.world("adopted") as world:
        expect(world.run("node-pools.sh"), 0)
        world.cloud.forget_requests()
        yield world


def plan(world: World, before: int, after: int) -> None:
    world.edit(f"machineType=e2-standard-16\tnodes={before}\t", f"machineType=e2-standard-16\tnodes={after}\t")


def test_a_cpu_pool_with_fewer_nodes_than_planned_grows_and_one_with_more_stays(lab: Lab) -> None:
    with made(lab) as world:
        expect(world.run("credentials.sh"), 0)
        plan(world, 1, 4)
        one_line(expect(world.run("status.sh"), 4), "differs", "node-pool tpu-ray-cpu", "nodes is 1, infrastructure.tsv says 4")
        assert world.cloud.changes() == [], world.cloud.changes()

        result = expect(world.run("node-pools.sh"), 0)
        one_line(result, "changed", NAME, "from 1 to 4 nodes")
        one_line(result, "unchanged", "node pool tpu-ray-v6e-4x4-0")
        [record] = world.cloud.changes()
        assert record.line.endswith("/clusters/tpu-ray/nodePools/tpu-ray-cpu:setSize") and record.body["nodeCount"] == 4, record
        assert world.cloud.pools[POOL]["initialNodeCount"] == 4

        world.cloud.forget_requests()
        expect(world.run("node-pools.sh"), 0, ": no change")
        plan(world, 4, 1)
        result = expect(world.run("node-pools.sh"), 0, ": no change")
        line = one_line(result, "unchanged", NAME, "it has 4 nodes, 1 are planned")
        assert "gcloud container clusters resize tpu-ray --project=my-project --location=us-east5 --node-pool=tpu-ray-cpu --num-nodes=1 --quiet" in line, line
        assert " delete " not in result.text, result.text
        assert world.cloud.changes() == [], world.cloud.changes()


test_a_cpu_pool_with_fewer_nodes_than_planned_grows_and_one_with_more_stays.cost = 0.5  # type: ignore[attr-defined]


def test_nodes_that_gke_has_not_noted_are_not_taken_away(lab: Lab) -> None:
    with made(lab) as world:
        expect(world.run("credentials.sh"), 0)
        world.cloud.nodes_there["tpu-ray-cpu"] = 6
        plan(world, 1, 4)
        one_line(expect(world.run("node-pools.sh"), 0, ": no change"), "unchanged", NAME)
        assert world.cloud.changes() == [], world.cloud.changes()


def test_a_pool_whose_nodes_cannot_be_counted_is_left_alone(lab: Lab) -> None:
    with made(lab) as world:
        plan(world, 1, 4)
        one_line(expect(world.run("node-pools.sh"), 1), "failed", NAME, "its nodes cannot be counted", "next: run scripts/gcloud/credentials.sh")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_a_busy_cluster_is_asked_again_and_a_stock_out_has_its_line(lab: Lab) -> None:
    with made(lab) as world:
        expect(world.run("credentials.sh"), 0)
        plan(world, 1, 4)
        world.cloud.fault(SET_SIZE, Refuse(400, "Cluster is running incompatible operation operation-1.", "failedPrecondition", "FAILED_PRECONDITION"))
        world.cloud.fault(SET_SIZE, FailOperation(STOCKOUT))
        line = one_line(expect(world.run("node-pools.sh"), 5, "  busy: "), "capacity", NAME, "us-east5-b")
        assert " delete " not in line, line
        one_line(expect(world.run("node-pools.sh"), 0), "changed", NAME, "from 1 to 4 nodes")
