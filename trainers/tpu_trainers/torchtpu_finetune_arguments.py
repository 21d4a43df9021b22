"""The command line of the TorchTPU fine-tune."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

from tpu_trainers import torchtpu_arguments, train_arguments
from tpu_trainers.torchtpu_slice import Shape

# The text of a row of databricks-dolly-15k and its like.
TEMPLATE = "Instruction: {instruction}\nResponse: {response}"


@dataclass(frozen=True)
class Training:
    """What to train and how: everything a worker needs, and what a checkpoint must agree with.

    ``rows`` 0 means all; ``checkpoint_every`` (optimizer steps) 0 means at the end of each epoch only.
    """

    run: str
    backend: str
    model: str
    dataset: str
    split: str
    template: str
    storage_path: str
    epochs: int
    batch: int
    learning_rate: float
    weight_decay: float
    length: int
    rows: int
    seed: int
    weight_dtype: str
    checkpoint_every: int
    hosts: int
    step_timeout: float


@dataclass(frozen=True)
class Options:
    """A command line. Times are in seconds."""

    shape: Shape
    training: Training
    keep: int
    max_failures: int
    controller_failure_limit: int
    start_deadline: float
    group_start_timeout: float
    env: dict[str, str] = field(default_factory=dict)


def parse(argv: Sequence[str]) -> Options:
    """The options of a command line; ends the process with 2 and every problem at once when it is refused."""
    parser = _parser()
    given = parser.parse_args(list(argv))
    problems: list[str] = []
    torchtpu_arguments.check_slice(given, problems)
    torchtpu_arguments.positive(
        given,
        ("epochs", "per_device_batch_size", "learning_rate", "max_length", "keep_checkpoints", "start_deadline", "step_timeout", "group_start_timeout"),
        problems,
    )
    for option in ("rows", "weight_decay", "checkpoint_every", "max_failures", "controller_failure_limit"):
        if getattr(given, option) < 0:
            problems.append(f"--{option.replace('_', '-')} {getattr(given, option):g}: must be at least 0")
    if given.max_length == 1:
        problems.append("--max-length 1: must be at least 2, a token is learned from the one before it")
    if not given.storage_path.startswith(("/", "gs://")):
        problems.append(f"--storage-path {given.storage_path}: must be gs://BUCKET/… or an absolute path that all hosts mount")
    torchtpu_arguments.check_seed(given, problems)
    env = train_arguments.environment(given.env, problems)
    if problems:
        parser.error("\n  " + "\n  ".join(problems))
    return Options(
        shape=Shape(given.topology, given.accelerator_type, given.workers, given.hosts),
        training=Training(
            run=given.run,
            backend=given.backend,
            model=given.model,
            dataset=given.dataset,
            split=given.split,
            template=given.template.replace("\\n", "\n"),
            storage_path=given.storage_path.rstrip("/"),
            epochs=given.epochs,
            batch=given.per_device_batch_size,
            learning_rate=given.learning_rate,
            weight_decay=given.weight_decay,
            length=given.max_length,
            rows=given.rows,
            seed=given.seed,
            weight_dtype=given.weight_dtype,
            checkpoint_every=given.checkpoint_every,
            hosts=given.hosts,
            step_timeout=given.step_timeout,
        ),
        keep=given.keep_checkpoints,
        max_failures=given.max_failures,
        controller_failure_limit=given.controller_failure_limit,
        start_deadline=given.start_deadline,
        group_start_timeout=given.group_start_timeout,
        env=env,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m tpu_trainers.torchtpu_finetune",
        description="Fine-tunes a causal language model of the Hugging Face hub on one TPU slice with PyTorch FSDP2 and Ray Train.",
        epilog="Exit codes: docs/torchtpu-finetune.md.",
        allow_abbrev=False,
    )
    torchtpu_arguments.add_slice(parser)
    what = parser.add_argument_group("what to train")
    what.add_argument("--model", required=True, metavar="MODEL", help="name on the hub, a folder all hosts mount, or gs://…")
    what.add_argument(
        "--dataset", required=True, metavar="DATASET",
        help="name on the hub, or a JSON-lines file (or a folder of *.jsonl) that all hosts mount or under gs://…",
    )  # fmt: skip
    what.add_argument("--split", default="train", help="split of a dataset on the hub (default: %(default)s)")
    what.add_argument(
        "--template", default=TEMPLATE, metavar="TEXT",
        help="text of a row, with its fields in braces and \\n for a new line (default: 'Instruction: {instruction}\\nResponse: {response}')",
    )  # fmt: skip
    what.add_argument("--rows", type=int, default=1024, metavar="N", help="rows to use, from the beginning; 0 for all (default: %(default)s)")
    what.add_argument("--storage-path", required=True, metavar="PATH", help="where checkpoints and the export go: gs://… or a path all hosts mount")
    how = parser.add_argument_group("how")
    how.add_argument("--epochs", type=int, default=3, metavar="N", help="times through the rows (default: %(default)s)")
    how.add_argument("--per-device-batch-size", type=int, default=4, metavar="N", help="rows of a device in a step (default: %(default)s)")
    how.add_argument("--learning-rate", type=float, default=2e-5, metavar="X", help="of AdamW, constant (default: %(default)g)")
    how.add_argument("--weight-decay", type=float, default=0.01, metavar="X", help="of AdamW (default: %(default)g)")
    how.add_argument("--max-length", type=int, default=512, metavar="N", help="tokens of a row; longer ones are cut (default: %(default)s)")
    how.add_argument("--seed", type=int, default=42, metavar="N", help="of the order of rows and of dropout (default: %(default)s)")
    how.add_argument(
        "--weight-dtype", choices=("bfloat16", "float32"), default="bfloat16",
        help="type the weights are kept and updated in; they compute in bfloat16 on TPU (default: %(default)s)",
    )  # fmt: skip
    how.add_argument("--checkpoint-every", type=int, default=0, metavar="N", help="steps between checkpoints, besides the ends of epochs; 0 for none (default: %(default)s)")  # fmt: skip
    how.add_argument("--keep-checkpoints", type=int, default=1, metavar="N", help="checkpoints to keep, those of lowest loss, and the newest (default: %(default)s)")  # fmt: skip
    how.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the workers; repeatable")
    when = parser.add_argument_group("when to give up")
    when.add_argument("--max-failures", type=int, default=3, metavar="N", help="restarts after worker failures (default: %(default)s)")
    when.add_argument("--controller-failure-limit", type=int, default=60, metavar="N", help="failed attempts to start the worker group (default: %(default)s)")  # fmt: skip
    when.add_argument(
        "--start-deadline", type=float, default=3600, metavar="SECONDS",
        help="from a start or restart to its first completed step: downloads and compilation included (default: %(default)g)",
    )  # fmt: skip
    when.add_argument(
        "--step-timeout", type=float, default=1800, metavar="SECONDS",
        help="longest time from one completed step to the next, a checkpoint between them included (default: %(default)g)",
    )  # fmt: skip
    when.add_argument("--group-start-timeout", type=float, default=300, metavar="SECONDS", help="one attempt to start the worker group (default: %(default)g)")  # fmt: skip
    return parser
