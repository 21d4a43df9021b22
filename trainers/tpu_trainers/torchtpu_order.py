"""In which order rows are trained, and by which rank: a function of seed and epoch, so that a restart goes on where training was.

Plain arithmetic, without Torch.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """How far training is: optimizer steps in all, epoch (from 0), rows of that epoch that are done."""

    step: int = 0
    epoch: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Batch:
    """A step: the position after it, and the rows of the global batch, rank after rank; the last of an epoch may be smaller."""

    after: Position
    rows: list[int]
    last_of_epoch: bool

    def share(self, rank: int, size: int) -> list[int]:
        """The rows of a rank that takes ``size`` of each batch."""
        return self.rows[rank * size : (rank + 1) * size]


def steps_per_epoch(rows: int, global_batch: int) -> int:
    return -(-rows // global_batch)


def batches(rows: int, global_batch: int, epochs: int, seed: int, start: Position) -> Iterator[Batch]:
    """The batches from a position to the end. Every row comes once in each epoch, whatever the size of the batch."""
    step = start.step
    for epoch in range(start.epoch, epochs):
        order = list(range(rows))
        random.Random(f"{seed} {epoch}").shuffle(order)
        done = start.rows if epoch == start.epoch else 0
        while done < rows:
            taken = order[done : done + global_batch]
            done += len(taken)
            step += 1
            last = done == rows
            yield Batch(Position(step, epoch + 1, 0) if last else Position(step, epoch, done), taken, last)
