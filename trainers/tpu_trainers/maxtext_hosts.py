"""Whether what the workers of one group know of their place in the slices can be true.

A duplicate worker id or a wrong slice count makes the collective wait for ever with every chip billed, so it is checked before JAX
touches a device.
"""

from collections import Counter

from tpu_trainers.train_host import NUM_SLICES, SLICE_ID, Host


def check(hosts: list[Host], workers_per_slice: int) -> list[str]:
    """What is wrong with a complete group, in the order of its ranks; nothing when it can train.

    Rules: every slice has the worker ids 0 to ``workers_per_slice`` - 1 once each; ranks of one slice follow each other (Ray derives the
    slice id from the rank); MEGASCALE_NUM_SLICES is the number of live slices, or unset on a single one. A single slice with a stale
    number above 1 waits for slices that no longer exist.
    """
    problems: list[str] = []
    hosts = sorted(hosts, key=lambda host: host.rank)
    live = len(hosts) // workers_per_slice
    if len(hosts) % workers_per_slice:
        problems.append(f"{len(hosts)} workers are not whole slices of {workers_per_slice}")
    for host in hosts:
        if host.slice_name is None or host.worker_id is None:
            missing = [name for name, value in (("TPU_NAME", host.slice_name), ("TPU_WORKER_ID", host.worker_id)) if value is None]
            problems.append(f"rank {host.rank} has no {' and no '.join(missing)}: the TPU webhook did not see its pod")
    problems += _check_worker_ids(hosts, workers_per_slice)
    for index in range(live):
        names = {host.slice_name for host in hosts[index * workers_per_slice : (index + 1) * workers_per_slice]}
        if len(names) > 1:
            first = index * workers_per_slice
            problems.append(
                f"ranks {first} to {first + workers_per_slice - 1} should be one slice but are on {', '.join(sorted(map(str, names)))}"
            )
    problems += _check_multislice(hosts, workers_per_slice, live)
    return problems


def _check_worker_ids(hosts: list[Host], workers_per_slice: int) -> list[str]:
    problems = []
    for name in sorted({host.slice_name for host in hosts if host.slice_name is not None}):
        ids = Counter(host.worker_id for host in hosts if host.slice_name == name and host.worker_id is not None)
        for worker_id, times in sorted(ids.items()):
            if times > 1:
                ranks = [str(host.rank) for host in hosts if host.slice_name == name and host.worker_id == worker_id]
                problems.append(f"slice {name}: TPU_WORKER_ID {worker_id} is on ranks {', '.join(ranks)}, must be unique in a slice")
        allowed = {str(index) for index in range(workers_per_slice)}
        for worker_id in sorted(set(ids) - allowed):
            problems.append(f"slice {name}: TPU_WORKER_ID {worker_id} is outside 0 to {workers_per_slice - 1}")
    return problems


def _check_multislice(hosts: list[Host], workers_per_slice: int, live: int) -> list[str]:
    problems = []
    for host in hosts:
        if live <= 1:
            if host.num_slices is not None and host.num_slices != "1":
                problems.append(
                    f"rank {host.rank} has {NUM_SLICES}={host.num_slices} with 1 live slice: a stale value, it would wait for slices that are "
                    "gone; take it out of the pods' environment"
                )
            continue
        if host.num_slices != str(live):
            problems.append(f"rank {host.rank} has {NUM_SLICES}={host.num_slices or 'unset'} with {live} live slices")
        expected = str(host.rank // workers_per_slice)
        if host.slice_id != expected:
            problems.append(f"rank {host.rank} has {SLICE_ID}={host.slice_id or 'unset'}, should be {expected}")
    return problems
