"""The driver's part of a collectives check: reserve a slice, one process for each device, compare, and give the slice back."""

import time
from typing import Any

from tpu_trainers import torchtpu_collectives_result, torchtpu_exit_codes, torchtpu_place, torchtpu_slice, train_outcome
from tpu_trainers.torchtpu_collectives_arguments import Options
from tpu_trainers.torchtpu_collectives_result import Failure, Result
from tpu_trainers.torchtpu_collectives_worker import Device
from tpu_trainers.torchtpu_place import Place
from tpu_trainers.train_outcome import Ended, Outcome

# Seconds that Torch is given less than the driver waits, so that a rank says itself that it waited in vain.
_MARGIN = 0.8
# Seconds for the results of the others once one rank has failed: what hangs because of it is no news.
_AFTER_FAILURE = 10.0


def run(options: Options) -> tuple[Outcome, str, None]:
    """Checks a slice. Gives the outcome and one line that says why. Needs ``ray.init`` to have been called."""
    try:
        torchtpu_slice.check(options.shape)
        with torchtpu_slice.reserved(options.shape, options.start_deadline) as group:
            workers: list[Any] = []
            try:
                return *_check(options, group, workers), None
            finally:
                _end(workers)
    except Ended as ended:
        return ended.outcome, ended.reason, None


def _check(options: Options, group: Any, workers: list[Any]) -> tuple[Outcome, str]:
    import ray
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    for bundle in range(options.shape.devices):
        workers.append(
            ray.remote(Device)
            .options(
                num_cpus=0,
                resources={"TPU": 1},
                scheduling_strategy=PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=bundle),
                runtime_env={"env_vars": options.env},
            )
            .remote(options.backend)
        )
    places: list[Place] = _started([worker.place.remote() for worker in workers], options)
    ranks, problems = torchtpu_place.ranks(places, options.shape.hosts)
    if problems:
        return train_outcome.WRONG_HARDWARE, "; ".join(problems)
    by_rank = dict(zip(ranks, places, strict=True))
    first = workers[ranks.index(0)]
    (port,) = _started([first.port.remote()], options)
    meeting = (by_rank[0].address, port)
    pending = {}
    for worker, rank in zip(workers, ranks, strict=True):
        reference = worker.compute.remote(
            rank, by_rank[rank].local_rank, options.shape.devices, options.shape.devices // options.shape.hosts, meeting,
            options.matrix_size, options.batch_size, options.seed, options.step_timeout * _MARGIN,
        )  # fmt: skip
        pending[reference] = rank
    results, failures = _gather(pending, options.step_timeout)
    print("\n".join(torchtpu_collectives_result.table(by_rank, results)), flush=True)
    problems = torchtpu_collectives_result.wrong(by_rank, results, failures, options.tolerance)
    if problems:
        return torchtpu_exit_codes.WRONG_RESULT, "; ".join(problems)
    worst = max(result.difference for result in results)
    total = results[0].all_reduce
    return (
        train_outcome.FINISHED,
        f"all {len(results)} ranks agree: tensor-parallel parity (max_abs_diff {worst:.6f}), all-reduce sum {total:g}, all-gather",
    )


def _started(asked: list[Any], options: Options) -> list[Any]:
    """The answers of processes that have only just been started."""
    import ray

    try:
        return list(ray.get(asked, timeout=options.step_timeout))
    except ray.exceptions.GetTimeoutError:
        _, missing = ray.wait(asked, num_returns=len(asked), timeout=0)
        raise Ended(
            train_outcome.WRONG_HARDWARE, f"{len(missing)} of {len(asked)} processes did not start within {options.step_timeout:g} s"
        ) from None
    except ray.exceptions.RayError as error:
        raise Ended(train_outcome.WRONG_HARDWARE, f"a process could not start: {_line(error)}") from None


def _gather(pending: dict[Any, int], timeout: float) -> tuple[list[Result], list[Failure]]:
    """The results of all ranks; after the first failure the others get a moment more, since most of them only wait for the failed one."""
    import ray

    results: list[Result] = []
    failures: list[Failure] = []
    deadline = time.monotonic() + timeout
    while pending:
        ready, _ = ray.wait(list(pending), timeout=max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        rank = pending.pop(ready[0])
        try:
            answer = ray.get(ready[0])
        except ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, Ended):
                raise cause from None
            answer = Failure(rank, _line(error))
        except ray.exceptions.RayError as error:
            answer = Failure(rank, f"its process or host was lost ({_line(error)})", lost=True)
        if isinstance(answer, Result):
            results.append(answer)
        else:
            failures.append(answer)
            deadline = min(deadline, time.monotonic() + _AFTER_FAILURE)
    if not failures:
        failures = [Failure(rank, f"no answer within {timeout:g} s: the collective hangs") for rank in pending.values()]
    return results, failures


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def _end(workers: list[Any]) -> None:
    import ray

    for worker in workers:
        ray.kill(worker)
