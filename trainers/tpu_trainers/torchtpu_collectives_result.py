"""What the ranks of a collectives check report, the table of it, and which rank and host is wrong. Without Ray or Torch."""

import math
from dataclasses import dataclass

from tpu_trainers.torchtpu_place import Place


@dataclass(frozen=True)
class Result:
    """What one rank computed.

    ``all_reduce`` is its sum of rank + 1 over all ranks; ``received`` what it got from each rank in an all-gather (rank + 1 each);
    ``difference`` the largest absolute difference of the tensor-parallel result from the reference of one device; ``seconds`` its time.
    """

    rank: int
    all_reduce: float
    received: tuple[float, ...]
    difference: float
    seconds: float


@dataclass(frozen=True)
class Failure:
    """A rank that gave no result, and why: its error on one line. ``lost`` when its process went away without a word."""

    rank: int
    reason: str
    lost: bool = False


def table(places: dict[int, Place], results: list[Result]) -> list[str]:
    """One line for each rank, in order of ranks, under a header."""
    rows = [("rank", "host", "device", "address", "all_reduce_sum", "max_abs_diff", "seconds")]
    by_rank = {result.rank: result for result in results}
    for rank, place in sorted(places.items()):
        result = by_rank.get(rank)
        figures = ("-", "-", "-") if result is None else (f"{result.all_reduce:g}", f"{result.difference:.6f}", f"{result.seconds:.2f}")
        rows.append((str(rank), str(place.worker_id), str(place.local_rank), place.address, *figures))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def wrong(places: dict[int, Place], results: list[Result], failures: list[Failure], tolerance: float) -> list[str]:
    """What is wrong, each with rank and host; nothing when every rank computed and received the right values.

    A rank that others received a wrong value from is named before the sums that are wrong for it.
    """
    world = len(places)
    expected = world * (world + 1) / 2
    problems = []
    # The errors of the others follow from a lost one: their connections to it break.
    told = [failure for failure in failures if failure.lost] or failures
    for failure in sorted(told, key=lambda failure: failure.rank):
        problems.append(f"rank {failure.rank} on {places[failure.rank].host}: {failure.reason}")
    for rank, place in sorted(places.items()):
        witnesses = [result for result in results if len(result.received) != world or not _close(result.received[rank], rank + 1)]
        if witnesses and (len(witnesses) * 2 > len(results) or witnesses == [result for result in results if result.rank == rank]):
            sample = witnesses[0].received[rank] if len(witnesses[0].received) == world else math.nan
            problems.append(f"rank {rank} on {place.host}: {len(witnesses)} of {world} ranks received {sample:g} from it in the all-gather, expected {rank + 1}")
    for result in sorted(results, key=lambda result: result.rank):
        where = f"rank {result.rank} on {places[result.rank].host}"
        if not result.difference <= tolerance:
            problems.append(
                f"{where}: the tensor-parallel result differs from that of one device by {result.difference:g}, allowed is {tolerance:g}"
            )
        if not _close(result.all_reduce, expected):
            problems.append(f"{where}: all-reduce sum {result.all_reduce:g}, expected {expected:g}")
        own = [rank for rank in range(min(world, len(result.received))) if not _close(result.received[rank], rank + 1)]
        if len(own) * 2 > world and world > 1:
            problems.append(f"{where}: received wrong values from ranks {', '.join(map(str, own))} in the all-gather")
    return problems


def _close(value: float, expected: float) -> bool:
    return math.isclose(value, expected, rel_tol=1e-6)
