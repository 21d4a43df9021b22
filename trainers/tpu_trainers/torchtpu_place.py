"""Where the processes of a slice are, one for each logical device, and whether that can be true. Plain arithmetic, without Ray or Torch."""

from collections import Counter
from dataclasses import dataclass

from tpu_trainers.train_host import Host


@dataclass(frozen=True)
class Place:
    """A process's place: node address, TPU_NAME and TPU_WORKER_ID of its pod (None where unset), index of its device on the host."""

    address: str
    slice_name: str | None
    worker_id: str | None
    local_rank: int

    @property
    def host(self) -> str:
        """How the host is named in messages."""
        return f"host {self.worker_id or '?'} of {self.slice_name or '?'} at {self.address}"


def ranks(places: list[Place], hosts: int) -> tuple[list[int], list[str]]:
    """The world rank of each place (worker id x devices of a host + local rank), and every problem; ranks are empty with a problem."""
    devices = len(places) // hosts
    problems = []
    for place in places:
        if place.slice_name is None or place.worker_id is None:
            missing = [name for name, value in (("TPU_NAME", place.slice_name), ("TPU_WORKER_ID", place.worker_id)) if value is None]
            problems.append(f"{place.host} has no {' and no '.join(missing)}: the TPU webhook did not see its pod")
    if problems:
        return [], _once(problems)
    names = {place.slice_name for place in places}
    if len(names) > 1:
        problems.append(f"the devices are on several slices: {', '.join(sorted(map(str, names)))}")
    allowed = {str(index) for index in range(hosts)}
    for place in places:
        if place.worker_id not in allowed:
            problems.append(f"{place.host}: TPU_WORKER_ID must be 0 to {hosts - 1}")
        elif not 0 <= place.local_rank < devices:
            problems.append(f"{place.host}: device {place.local_rank} is outside 0 to {devices - 1}, the devices of a host")
    if problems:
        return [], _once(problems)
    found = [int(place.worker_id or 0) * devices + place.local_rank for place in places]
    for rank, times in sorted(Counter(found).items()):
        if times > 1:
            twice = sorted({place.host for place, own in zip(places, found, strict=True) if own == rank})
            problems.append(f"rank {rank} (device {rank % devices}) is claimed {times} times, by {' and '.join(twice)}")
    missing = sorted(set(range(len(places))) - set(found))
    if missing:
        absent = sorted({rank // devices for rank in missing})
        problems.append(f"no process has rank {', '.join(map(str, missing))}: host {', '.join(map(str, absent))} is not whole")
    return ([] if problems else found), problems


def check_group(group: list[Host], hosts: int) -> list[str]:
    """What is wrong with the places of a Ray Train group on one slice of ``hosts`` hosts; nothing when it can train."""
    problems = []
    for host in sorted(group, key=lambda host: host.rank):
        if host.slice_name is None or host.worker_id is None:
            missing = [name for name, value in (("TPU_NAME", host.slice_name), ("TPU_WORKER_ID", host.worker_id)) if value is None]
            problems.append(f"rank {host.rank} at {host.address} has no {' and no '.join(missing)}: the TPU webhook did not see its pod")
    if problems:
        return problems
    names = sorted({str(host.slice_name) for host in group})
    if len(names) > 1:
        problems.append(f"the ranks are on several slices: {', '.join(names)}")
    devices = len(group) // hosts
    times = Counter((host.slice_name, host.worker_id) for host in group)
    for (name, worker_id), count in sorted(times.items()):
        if worker_id not in {str(index) for index in range(hosts)}:
            problems.append(f"slice {name}: TPU_WORKER_ID {worker_id} is outside 0 to {hosts - 1}")
        elif count != devices:
            ranks = [str(host.rank) for host in sorted(group, key=lambda host: host.rank) if host.worker_id == worker_id and host.slice_name == name]
            problems.append(f"slice {name}: host {worker_id} has the ranks {', '.join(ranks)}, must have {devices}, one for each device")
    return problems


def _once(problems: list[str]) -> list[str]:
    return list(dict.fromkeys(problems))
