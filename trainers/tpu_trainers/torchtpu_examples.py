"""Token rows of one length, and which of their tokens are learned. Without Torch.

Loss is counted on real tokens only: padding never, the end-of-text token always, also for the many models whose padding token is the
end-of-text token (a mask by token id would drop both).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# What PyTorch's cross entropy leaves out.
IGNORED = -100


@dataclass(frozen=True)
class Example:
    """A row: ``tokens`` padded on the right to the length, of which the first ``real`` are text."""

    tokens: list[int]
    real: int

    @property
    def learned(self) -> int:
        """Tokens that count: each real one that has a predecessor."""
        return max(0, self.real - 1)


def encode(text: str, tokenize: Callable[[str], Sequence[int]], end: int, padding: int, length: int) -> Example:
    """A text as an example. It ends with the end-of-text token, once, unless it is cut: a cut text has not ended."""
    tokens = list(tokenize(text))
    if not tokens or tokens[-1] != end:
        tokens.append(end)
    tokens = tokens[:length]
    return Example(tokens + [padding] * (length - len(tokens)), len(tokens))


def labels(example: Example) -> list[int]:
    """The token each position must predict: the next one, IGNORED where that is padding or does not exist."""
    length = len(example.tokens)
    return [example.tokens[position + 1] if position + 1 < example.real else IGNORED for position in range(length)]
