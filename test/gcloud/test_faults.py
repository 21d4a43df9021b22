"""What goes wrong at Google's side: each is one line with resource, place and next step, and the rest is still made."""

from __future__ import annotations

from fakecloud import FailOperation, LoseAnswer, Refuse, Run
from lab import Lab, expect, one_line

STOCKOUT = (
    "Google Compute Engine: The zone 'projects/my-project/zones/us-east5-b' does not have enough resources available "
    "to fulfill the request. '(resource type:compute)'."
)
CREATE_POOL = r"^POST container.*/nodePools$"


def test_stockout_leaves_the_other_pools_and_names_zone_and_next_step(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if not key[2].startswith("tpu-ray-v6e")}
        # Lanes race; whichever request comes first suffers.
        world.cloud.fault(CREATE_POOL, FailOperation(STOCKOUT))
        result = expect(world.run("node-pools.sh"), 5)
        line = one_line(result, "capacity", "node pool tpu-ray-v6e-4x4-")
        assert "us-east5-b" in line and "next: no capacity there now" in line, line
        assert "node-pools delete tpu-ray-v6e-4x4-" in line, line
        one_line(result, "created", "node pool tpu-ray-v6e-4x4-")

        # The pool stays in ERROR: the next run says so, with the remedy, and changes nothing.
        broken = next(key for key, pool in world.cloud.pools.items() if pool["status"] == "ERROR")
        world.cloud.forget_requests()
        result = expect(world.run("node-pools.sh"), 4)
        line = one_line(result, "differs", f"node pool {broken[2]}", "status is ERROR", "not have enough resources")
        assert f"gcloud container node-pools delete {broken[2]} " in line and "nothing was changed" in line, line
        assert world.cloud.changes() == [], world.cloud.changes()

        # With the remedy followed, the end state is the undisturbed one.
        del world.cloud.pools[broken]
        expect(world.run("node-pools.sh"), 0)
        assert world.cloud.end_state() == lab.end_state("multislice-explicit")


def test_quota_is_one_line_and_the_other_pools_are_made(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if not key[2].startswith("tpu-ray-v6e")}
        world.cloud.fault(CREATE_POOL, Refuse(403, "Insufficient regional quota to satisfy request: resource \"TPU_V6E\": request requires '16.0' and is short '16.0'.", "quotaExceeded"))
        result = expect(world.run("node-pools.sh"), 5)
        line = one_line(result, "capacity", "Insufficient regional quota")
        assert "us-east5-b" in line and "next: ask for more quota in us-east5" in line, line
        one_line(result, "created", "node pool tpu-ray-v6e-4x4-")


def test_permission_denied_names_what_to_ask_for(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if key[2] != "tpu-ray-v6e-4x4-0"}
        world.cloud.fault(CREATE_POOL, Refuse(403, "Required \"container.clusters.update\" permission(s) for \"projects/my-project\".", "forbidden"))
        result = expect(world.run("node-pools.sh"), 6)
        line = one_line(result, "denied", "node pool tpu-ray-v6e-4x4-0", "us-east5-b")
        assert "container.clusters.update" in line and "docs/operations.md, section Roles" in line, line


def test_the_three_busy_answers_are_retried(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if not key[2].startswith("tpu-ray-v6e")}
        operation = "operation-1700000000000-aaaa"
        world.cloud.fault(CREATE_POOL, Refuse(400, f"Cluster is running incompatible operation {operation}.", "failedPrecondition", "FAILED_PRECONDITION"))
        world.cloud.fault(CREATE_POOL, Refuse(400, f"Operation {operation} is currently creating a node pool for cluster tpu-ray. Please wait and try again once it is done.", "failedPrecondition", "FAILED_PRECONDITION"))
        # As 400: gcloud itself repeats a 429 for half a minute before it gives up with the same text.
        world.cloud.fault(CREATE_POOL, Refuse(400, "Too many operations: cluster \"tpu-ray\" hits the concurrent operations quota 1, please try again later.", "rateLimitExceeded", "RESOURCE_EXHAUSTED"))
        result = expect(world.run("node-pools.sh"), 0)
        assert result.err.count("  busy: ") == 3, result.err
        assert world.cloud.end_state() == lab.end_state("multislice-explicit")


def test_a_cluster_that_takes_one_operation_at_a_time_gets_all_pools(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if not key[2].startswith("tpu-ray-")}
        world.cloud.operations_at_once = 1
        world.cloud.operation_seconds = 2.0
        expect(world.run("node-pools.sh"), 0, "  busy: ")
        assert world.cloud.end_state() == lab.end_state("multislice-explicit")


test_a_cluster_that_takes_one_operation_at_a_time_gets_all_pools.cost = 0.6  # type: ignore[attr-defined]


def test_a_cluster_that_stays_busy_is_given_up_with_its_own_exit_code(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.pools = {key: pool for key, pool in world.cloud.pools.items() if key[2] != "tpu-ray-v6e-4x4-0"}
        world.cloud.fault(CREATE_POOL, Refuse(400, "Cluster is running incompatible operation operation-1.", "failedPrecondition", "FAILED_PRECONDITION"), times=1000)
        result = expect(world.run("node-pools.sh", BUSY_LIMIT_SECONDS="1"), 7)
        one_line(result, "busy", "node pool tpu-ray-v6e-4x4-0", "us-east5-b", "next:")


def test_an_answer_that_is_lost_is_no_failure(lab: Lab) -> None:
    """The work was done, the answer was a 500: gcloud repeats by itself and gets 409."""
    with lab.world_after_up("multislice-explicit") as world:
        world.cloud.pools.pop(("us-east5-b", "tpu-ray", "tpu-ray-v6e-4x4-1"))
        world.cloud.compute.pop(("global", "firewalls", "tpu-ray-net-2-internal"))
        world.cloud.fault(CREATE_POOL, LoseAnswer())
        expect(world.run("node-pools.sh"), 0)
        world.cloud.fault(r"^POST compute.*/firewalls$", LoseAnswer())
        expect(world.run("networks.sh"), 0)
        assert world.cloud.end_state() == lab.end_state("multislice-explicit")


def test_409_of_something_that_fits_is_no_failure(lab: Lab) -> None:
    """Somebody else, or an earlier run, was faster between the look and the request."""
    with lab.world_after_up("quick-start") as world:
        snapshot = world.cloud.snapshot()
        hidden = world.cloud.buckets.pop("my-bucket")
        world.cloud.fault(r"^GET storage.*/b/my-bucket$", Refuse(404, "The specified bucket does not exist.", "notFound"))
        world.cloud.buckets["my-bucket"] = hidden
        expect(world.run("bucket.sh"), 0)
        assert world.cloud.snapshot()["buckets"] == snapshot["buckets"]


def test_a_bucket_of_somebody_else_is_named_as_such(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        world.cloud.fault(r"^GET storage.*/b/my-bucket$", Refuse(403, "me@example.com does not have storage.buckets.get access to the Google Cloud Storage bucket.", "forbidden"))
        result = expect(world.run("bucket.sh"), 6)
        one_line(result, "denied", "bucket my-bucket")


def test_a_cluster_that_fails_stops_only_what_needs_it(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        world.cloud.fault(r"^POST container.*/clusters$", FailOperation("Insufficient regional quota to satisfy request: resource \"CPUS\""))
        result = expect(world.run("up.sh"), 5)
        one_line(result, "capacity", "cluster tpu-ray", "us-east5-b", "CPUS")
        one_line(result, "skipped", "node pools")
        one_line(result, "created", "bucket my-bucket")
        one_line(result, "created", "repository tpu-ray")
        # The cluster stays in ERROR: a rerun reports it and leaves it alone.
        result = expect(world.run("cluster.sh"), 4)
        one_line(result, "differs", "cluster tpu-ray", "status is ERROR", "nothing was changed")


test_a_cluster_that_fails_stops_only_what_needs_it.cost = 1.0  # type: ignore[attr-defined]


def test_a_pool_that_an_earlier_run_began_is_awaited(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        key = ("us-east5-b", "tpu-ray", "tpu-ray-v6e-4x4-0")
        pool = world.cloud.pools[key]
        pool["status"] = "PROVISIONING"
        looks = []

        def finish() -> None:
            looks.append(1)
            if len(looks) == 2:
                pool["status"] = "RUNNING"

        world.cloud.fault(r"^GET container.*/nodePools$", Run(finish, after=True), times=2)
        result = expect(world.run("node-pools.sh"), 0)
        one_line(result, "created", "node pool tpu-ray-v6e-4x4-0", "begun by an earlier run")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_a_failed_build_has_its_own_line_and_its_log_is_shown(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        world.cloud.images.clear()
        world.cloud.fault(r"^POST cloudbuild.*/builds$", FailOperation("build failed"))
        result = expect(world.run("images.sh"), 1, "no space left on device")
        one_line(result, "failed", "image us-east5-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5", "next: read the build's log above")


def test_a_bucket_that_only_a_volume_names_is_not_offered_to_be_made(lab: Lab) -> None:
    with lab.world_after_up("quick-start") as world:
        role = world.rows("bucket-role")[0]
        cells = {**role, "bucket": "somebodys-data"}
        table = world.directory / "infrastructure.tsv"
        row = "\t".join(["bucket-role", *(f"{key}={value}" for key, value in cells.items())])
        table.write_text(f"{table.read_text()}{row}\n")
        result = expect(world.run("identity.sh"), 1)
        line = one_line(result, "somebodys-data", "not found")
        assert "correct the name there" in line and "bucket.sh" not in line, line
