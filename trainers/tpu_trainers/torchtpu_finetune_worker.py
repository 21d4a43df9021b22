"""What one worker of a fine-tune does: prove its place and its inputs, train, and export the best weights.

Runs inside Ray Train's worker, one for each logical device, after Ray has initialised torch.distributed.
"""

import os
import tempfile
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tpu_trainers import (
    torchtpu_backend,
    torchtpu_checkpoint,
    torchtpu_examples,
    torchtpu_exit_codes,
    torchtpu_export,
    torchtpu_loss,
    torchtpu_model,
    torchtpu_order,
    torchtpu_rows,
    torchtpu_source,
    torchtpu_storage,
    train_host,
    train_outcome,
    train_stall,
)
from tpu_trainers.torchtpu_checkpoint import Progress
from tpu_trainers.torchtpu_examples import Example
from tpu_trainers.torchtpu_finetune_arguments import Training
from tpu_trainers.torchtpu_model import Loaded
from tpu_trainers.torchtpu_order import Batch, Position
from tpu_trainers.torchtpu_storage import Storage
from tpu_trainers.train_outcome import Ended
from tpu_trainers.train_progress import Step


@dataclass(frozen=True)
class Rank:
    """A worker's place among all: world rank and size, rank among its host's, and the group for what is said between processes (gloo)."""

    rank: int
    ranks: int
    local_rank: int
    group: Any


def train(config: dict[str, Any]) -> None:
    """Ray Train's ``train_loop_per_worker``. ``config``: ``board`` (actor handle), ``training`` (Training)."""
    import ray
    import ray.train
    import ray.train.collective

    board, training = config["board"], config["training"]
    context = ray.train.get_context()
    rank, ranks = context.get_world_rank(), context.get_world_size()
    attempt = ray.train.collective.broadcast_from_rank_zero(uuid.uuid4().hex)
    host = train_host.this_host(rank)
    print(f"worker of {ranks}, {host}, process {os.getpid()}", flush=True)
    try:
        problems = ray.get(board.enter.remote(attempt, host, ranks, ray.get_runtime_context().current_actor))
        if problems:
            raise Ended(train_outcome.WRONG_HARDWARE, "; ".join(problems))
        device = torchtpu_backend.device(training.backend)
        torchtpu_backend.require("transformers", "safetensors", "pyarrow")
        import torch.distributed as dist

        place = Rank(rank, ranks, context.get_local_rank(), dist.new_group(backend="gloo"))
        stall = train_stall.Watch(board, attempt, rank, training.step_timeout)
        try:
            _Run(training, place, device, board, attempt, stall).run()
        finally:
            stall.stop()
    except Ended as ended:
        ray.get(board.refuse.remote(ended.outcome, ended.reason))
        raise


class _Run:
    """One attempt of a worker."""

    def __init__(self, training: Training, place: Rank, device: Any, board: Any, attempt: str, stall: train_stall.Watch) -> None:
        self._training = training
        self._place = place
        self._device = device
        self._board = board
        self._attempt = attempt
        self._stall = stall
        self._sent: Any = None
        self._total = 0

    def run(self) -> None:
        import torch
        from torch.distributed.device_mesh import init_device_mesh

        training, place = self._training, self._place
        storage = Storage.at(training.storage_path).below(training.run)
        self._check_storage(storage)
        folder = torchtpu_source.model_folder(training.model)
        config = torchtpu_model.check(folder, training.model, training.length)
        tokenizer = torchtpu_model.tokenizer(folder, training.model)
        examples = self._examples(tokenizer)
        use_cache = bool(getattr(config.get_text_config(), "use_cache", False))
        # As the seed of the order is the same on all ranks, so is that of weights the model's files lack.
        torch.manual_seed(training.seed)
        model = torchtpu_model.load(folder, training.model, config, training.weight_dtype, self._device)
        torchtpu_model.shard(model, init_device_mesh(self._device.type, (place.ranks,)))
        optimizer = torch.optim.AdamW(
            [parameter for parameter in model.parameters() if parameter.requires_grad], lr=training.learning_rate, weight_decay=training.weight_decay
        )
        progress = self._restore(model, optimizer)
        self._train(model, optimizer, examples, progress)
        self._export(storage, Loaded(model, tokenizer, use_cache))
        if place.rank == 0:
            self._finish(storage)

    def _finish(self, storage: Storage) -> None:
        import ray

        if self._sent is not None:
            # The last step's message must not be overtaken by the end of the run.
            ray.get(self._sent)
        last = ray.get(self._board.highest.remote())
        if last is None:
            raise Ended(
                train_outcome.NOTHING_TO_TRAIN,
                f"no step was trained: the checkpoint in {storage.address} has all {self._total} steps already; its weights were exported again",
            )
        ray.get(self._board.finish.remote(f"{last} of {self._total} steps trained; exported to {storage.below('export').address}"))

    def _say(self, text: str) -> None:
        if self._place.rank == 0:
            print(text, flush=True)

    def _everyones(self, own: Any) -> list[Any]:
        """What each rank says, in the order of ranks."""
        import torch.distributed as dist

        said: list[Any] = [None] * self._place.ranks
        dist.all_gather_object(said, own, group=self._place.group)
        return said

    def _check_storage(self, storage: Storage) -> None:
        """Every host writes a file and looks for those of all others: a path that is not shared loses checkpoints, silently."""
        host = os.environ.get("TPU_NAME", "") + "-" + os.environ.get("TPU_WORKER_ID", "") if self._place.local_rank == 0 else None
        signs = storage.below(f"hosts-{self._attempt}")
        refused = [problem for problem in self._everyones(torchtpu_storage.sign(signs, host) if host else None) if problem]
        hosts = {name for name in self._everyones(host) if name}
        if not refused:
            refused = [problem for problem in self._everyones(torchtpu_storage.unseen(signs, host, hosts) if host else None) if problem]
            if self._place.rank == 0:
                signs.remove()
        if refused:
            raise Ended(torchtpu_exit_codes.STORAGE_REFUSED, f"--storage-path {self._training.storage_path}: {'; '.join(refused)}")

    def _examples(self, tokenizer: Any) -> list[Example]:
        training = self._training
        rows = torchtpu_source.dataset_rows(training.dataset, training.split, training.rows)
        padding = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        examples = [
            torchtpu_examples.encode(text, lambda text: tokenizer(text)["input_ids"], tokenizer.eos_token_id, padding, training.length)
            for text in torchtpu_rows.texts(rows, training.template, training.dataset)
        ]
        cut = sum(example.real == training.length for example in examples)
        self._say(
            f"{len(examples)} rows of {training.dataset}, {sum(example.learned for example in examples)} tokens to learn from, "
            f"{cut} rows fill or exceed {training.length} tokens"
        )
        return examples

    def _restore(self, model: Any, optimizer: Any) -> Progress:
        import ray.train

        checkpoint = ray.train.get_checkpoint()
        if checkpoint is None:
            return Progress(Position())
        with checkpoint.as_directory() as folder:
            progress = torchtpu_checkpoint.progress(Path(folder), self._training)
            torchtpu_checkpoint.load(Path(folder), model, optimizer, self._place.group)
        self._say(f"restoring from this run's directory step {progress.position.step}, epoch {progress.position.epoch + 1}")
        return progress

    def _train(self, model: Any, optimizer: Any, examples: list[Example], progress: Progress) -> None:
        training, place = self._training, self._place
        model.train()
        global_batch = training.batch * place.ranks
        total = training.epochs * torchtpu_order.steps_per_epoch(len(examples), global_batch)
        self._total = total
        if place.rank == 0:
            self._board.ask.remote(total)
        loss_sum, loss_tokens = progress.loss_sum, progress.loss_tokens
        self._say(f"training {training.epochs} epochs of {len(examples)} rows, {global_batch} a step: {total} steps")
        for batch in torchtpu_order.batches(len(examples), global_batch, training.epochs, training.seed, progress.position):
            started = time.perf_counter()
            step_sum, learned = self._step(model, optimizer, examples, batch)
            seconds = time.perf_counter() - started
            loss_sum, loss_tokens = loss_sum + step_sum, loss_tokens + learned
            self._tell(batch, total, seconds, step_sum / learned, learned)
            epoch = batch.after.epoch if batch.last_of_epoch else batch.after.epoch + 1
            if batch.last_of_epoch or (training.checkpoint_every and batch.after.step % training.checkpoint_every == 0):
                mean = loss_sum / loss_tokens
                if batch.last_of_epoch:
                    self._say(f"epoch {epoch} of {training.epochs}: mean loss {mean:.4f} over {loss_tokens} tokens")
                    loss_sum, loss_tokens = 0.0, 0
                self._save(model, optimizer, Progress(batch.after, loss_sum, loss_tokens), {"loss": mean, "epoch": epoch, "step": batch.after.step})

    def _step(self, model: Any, optimizer: Any, examples: list[Example], batch: Batch) -> tuple[float, int]:
        """One optimizer step. Gives the loss summed over the learned tokens of all ranks, and their number."""
        import torch
        import torch.distributed as dist

        training, place = self._training, self._place
        # For dropout: a step draws the same numbers whether training was restarted before it or not.
        torch.manual_seed((training.seed << 32) + batch.after.step * place.ranks + place.rank)
        tokens, labels = self._tensors(examples, batch.share(place.rank, training.batch))
        learned = max(1, sum(examples[row].learned for row in batch.rows))
        optimizer.zero_grad()
        own = torchtpu_loss.summed(model(input_ids=tokens).logits, labels)
        torchtpu_loss.for_backward(own, learned, place.ranks).backward()
        optimizer.step()
        total = own.detach().clone()
        dist.all_reduce(total)
        return float(total.item()), learned

    def _tensors(self, examples: list[Example], rows: list[int]) -> tuple[Any, Any]:
        """Tokens and labels of a rank. Always of one shape, so that one program is compiled: missing rows are copies nothing is learned from."""
        import torch

        own = [examples[row] for row in rows]
        filler = [examples[0]] * (self._training.batch - len(own))
        ignored = [torchtpu_examples.IGNORED] * self._training.length
        tokens = [example.tokens for example in own + filler]
        labels = [torchtpu_examples.labels(example) for example in own] + [ignored for _ in filler]
        return torch.tensor(tokens, device=self._device), torch.tensor(labels, device=self._device)

    def _tell(self, batch: Batch, total: int, seconds: float, loss: float, learned: int) -> None:
        self._stall.step(batch.after.step)
        if self._place.rank != 0:
            return
        tokens = self._training.batch * self._training.length / seconds
        self._say(
            f"completed step: {batch.after.step}, of: {total}, seconds: {seconds:.3f}, Tokens/s/device: {tokens:.1f}, "
            f"tokens/s: {tokens * self._place.ranks:.1f}, learned tokens: {learned}, loss: {loss:.4f}"
        )
        self._sent = self._board.step.remote(self._attempt, Step(batch.after.step, seconds, None, tokens, loss))

    def _save(self, model: Any, optimizer: Any, progress: Progress, metrics: dict[str, Any]) -> None:
        import ray.train

        # Each rank's part in a folder of its own; Ray Train brings them together in the storage path and counts the checkpoint when all are there.
        with tempfile.TemporaryDirectory() as folder:
            torchtpu_checkpoint.save(Path(folder), model, optimizer, progress, self._training, self._place.rank, self._place.group)
            ray.train.report(metrics, checkpoint=ray.train.Checkpoint.from_directory(folder))
        self._say(f"checkpoint of step {progress.position.step}: mean loss {metrics['loss']:.4f}")

    def _export(self, storage: Storage, loaded: Loaded) -> None:
        import ray.train

        reported = ray.train.get_all_reported_checkpoints()
        best = min(reported, key=lambda found: found.metrics["loss"]) if reported else None
        if best is not None:
            self._say(f"exporting the checkpoint of lowest loss: {best.metrics['loss']:.4f} at step {best.metrics['step']}")
            with best.checkpoint.as_directory() as folder:
                torchtpu_checkpoint.load(Path(folder), loaded.model, None, self._place.group)
        target = storage.below("export")
        with tempfile.TemporaryDirectory() as folder:
            torchtpu_export.write(Path(folder), loaded, self._place.rank)
            if self._place.rank == 0:
                (Path(folder) / "training.json").write_text(_json(asdict(self._training)))
                target.fill(Path(folder))
        self._say(f"exported to {target.address}: load it with AutoModelForCausalLM.from_pretrained")


def _json(values: dict[str, Any]) -> str:
    import json

    return json.dumps(values, indent=1)
