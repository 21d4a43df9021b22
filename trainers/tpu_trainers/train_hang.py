"""Which host makes a group hang: the one whose worker stands elsewhere than those that wait for it.

A collective waits for its last rank, so most of the stacks of a hanging group are alike and the odd one out is the cause.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tpu_trainers.train_host import Host


@dataclass(frozen=True)
class Stalled:
    """What a worker says of itself when no further step follows: the last step it completed, and the innermost place of its training thread.

    ``waits``: whether that place is in JAX or Torch, where a worker waits for a computation that all of them share.
    """

    last_step: int | None
    place: str
    waits: bool = True


def suspects(hosts: Mapping[int, Host], stalled: Mapping[int, Stalled]) -> tuple[list[int], str]:
    """The ranks that the others wait for, and what tells them apart; no ranks when nothing does.

    ``hosts`` and ``stalled`` are by rank. A worker that says nothing cannot: its process is frozen or its host is gone.
    """
    silent = sorted(set(hosts) - set(stalled))
    if silent and stalled:
        return silent, "does not answer"
    if not stalled:
        return [], ""
    furthest = max(_step(one) for one in stalled.values())
    behind = sorted(rank for rank, one in stalled.items() if _step(one) < furthest)
    if behind and len(behind) < len(stalled):
        return behind, f"has not completed step {furthest}"
    elsewhere = sorted(rank for rank, one in stalled.items() if not one.waits)
    if elsewhere and len(elsewhere) < len(stalled):
        return elsewhere, f"is in {stalled[elsewhere[0]].place}, the others wait for it"
    places = Counter(one.place for one in stalled.values())
    place, count = places.most_common(1)[0]
    if count * 2 <= len(stalled):
        return [], ""
    odd = sorted(rank for rank, one in stalled.items() if one.place != place)
    if not odd:
        return [], ""
    return odd, f"is in {stalled[odd[0]].place}, the others wait in {place}"


def places(hosts: Mapping[int, Host], stalled: Mapping[int, Stalled]) -> str:
    """Where the workers stand, for a person to judge when no host stands out: each place with the first rank that is there."""
    firsts: dict[str, int] = {}
    for rank in sorted(stalled):
        firsts.setdefault(stalled[rank].place, rank)
    if not firsts or len(firsts) > _MOST:
        return "no host stands out"
    return "no host stands out: " + ", ".join(f"{describe(hosts, [rank], f'is in {place}')}" for place, rank in firsts.items())


def describe(hosts: Mapping[int, Host], ranks: list[int], why: str) -> str:
    """The suspects on one line, as a person finds them: rank, slice, worker id and address."""
    named = [
        f"rank {rank} (slice {hosts[rank].slice_name or 'unknown'}, worker {hosts[rank].worker_id or 'unknown'}, {hosts[rank].address})"
        for rank in ranks[:_MOST]
    ]
    more = f" and {len(ranks) - _MOST} more" if len(ranks) > _MOST else ""
    return f"{', '.join(named)}{more} {why}"


# Suspects that are named; more of them are no suspects.
_MOST = 4


def _step(stalled: Stalled) -> int:
    return -1 if stalled.last_step is None else stalled.last_step
