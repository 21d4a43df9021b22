"""up.sh ended at ten points, by a signal or by force, before or after Google did the work: run again, it ends as ever."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import Any, Iterator

from fakecloud import Run
from lab import Lab, expect
from world import World, end_session, groups_of_session

# Requests of a fresh up.sh, in its order.
POINTS: dict[str, list[str]] = {
    "quick-start": [
        r"^POST serviceusage.*:batchEnable$",
        r"^POST container.*/clusters$",
        r"^GET container.*/clusters/tpu-ray$",
        r"^POST storage.*/b$",
        r"^PUT storage.*/iam$",
        r"^POST artifactregistry.*/repositories$",
        r"^POST artifactregistry.*:setIamPolicy$",
        r"^POST cloudresourcemanager.*:setIamPolicy$",
        r"^POST cloudbuild.*/builds$",
        r"^POST container.*/nodePools$",
    ],
    "multislice-explicit": [
        r"^GET serviceusage.*/services$",
        r"^POST compute.*/networks$",
        r"^POST compute.*/subnetworks$",
        r"^POST compute.*/firewalls$",
        r"^POST container.*/clusters$",
        r"^POST storage.*/b$",
        r"^PUT storage.*/iam$",
        r"^POST artifactregistry.*/repositories$",
        r"^GET artifactregistry.*/dockerImages$",
        r"^POST container.*/nodePools$",
    ],
}


# The second project takes as long as the first; its requests before the cluster are what it adds.
NIGHTLY = {"up_survives_ten_interruptions[multislice-explicit]"}


def cases() -> Iterator[tuple[str, Any, float]]:
    for fixture in POINTS:
        yield f"up_survives_ten_interruptions[{fixture}]", partial(up_survives, fixture=fixture), 8.0


def up_survives(lab: Lab, *, fixture: str) -> None:
    """Each run is ended at its point and leaves the rest to the next one."""
    with lab.world(fixture) as world:
        for index, point in enumerate(POINTS[fixture]):
            # Odd points are ended by force, as by a crash; even ones asked to end, as by Ctrl-C or a scheduler.
            interrupt(world, point, forced=index % 2 == 1, after=index % 3 != 0)
        expect(world.run("up.sh"), 0)
        assert world.cloud.end_state() == lab.end_state(fixture)


def interrupt(world: World, point: str, *, forced: bool, after: bool) -> None:
    hit: list[int] = []
    process = world.start("up.sh")

    def end() -> None:
        hit.append(1)
        if forced:
            # As when a machine goes.
            end_session(process.pid)
        else:
            os.kill(process.pid, signal.SIGTERM)

    world.cloud.fault(point, Run(end, after=after))
    result = world.finish(process)
    assert hit, f"no request matched {point}\n{result.text}"
    if forced:
        assert result.code == -signal.SIGKILL, (point, result.code, result.text)
    else:
        expect(result, 143, "interrupted: run the same command again to go on")
    # A process that was told to end may need a moment for it on a busy machine.
    began = time.monotonic()
    while left := groups_of_session(process.pid):
        assert time.monotonic() - began < 120, f"process groups that outlived up.sh: {left}"
        time.sleep(0.05)


def test_down_survives_an_interruption(lab: Lab) -> None:
    with lab.world_after_up("multislice-explicit") as world:
        for point in (r"^DELETE container.*/clusters/tpu-ray$", r"^DELETE compute.*/subnetworks/"):
            hit: list[int] = []
            process = world.start("down.sh", "--yes")

            def end(process: Any = process, hit: list[int] = hit) -> None:
                hit.append(1)
                os.killpg(process.pid, signal.SIGTERM)

            world.cloud.fault(point, Run(end, after=True))
            result = world.finish(process)
            assert hit and result.code == 143, result.text
        expect(world.run("down.sh", "--yes"), 0)
        assert not world.cloud.clusters and not world.cloud.compute and not world.cloud.repositories
        assert "my-bucket" in world.cloud.buckets


test_down_survives_an_interruption.cost = 1.0  # type: ignore[attr-defined]
