"""The loss of a step: cross entropy on the learned tokens of the whole global batch. Imports Torch only when called."""

from typing import Any

from tpu_trainers.torchtpu_examples import IGNORED


def summed(logits: Any, labels: Any) -> Any:
    """The sum of the cross entropy, in float32, over the positions whose label is not IGNORED.

    ``logits``: batch x length x vocabulary; ``labels``: batch x length, already the next token of each position.
    """
    from torch.nn.functional import cross_entropy

    return cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum")


def for_backward(own: Any, learned: int, ranks: int) -> Any:
    """What a rank calls ``backward`` on: FSDP averages gradients over ranks, which have different numbers of learned tokens.

    ``own`` is the rank's sum, ``learned`` the number of learned tokens of all ranks in this step.
    """
    return own * (ranks / learned)
