"""Model, loss, checkpoints and export on several ranks, without Ray: real Torch, real FSDP2, real Gemma 4 and Llama classes."""

import json
import tempfile
from pathlib import Path

import by_hand
import pytest
import ranks
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor

from tpu_trainers import torchtpu_checkpoint, torchtpu_examples, torchtpu_export, torchtpu_loss, torchtpu_model, train_stall
from tpu_trainers.torchtpu_checkpoint import Progress
from tpu_trainers.torchtpu_finetune_worker import Rank, _Run
from tpu_trainers.torchtpu_model import Loaded
from tpu_trainers.torchtpu_order import Position, batches

CPU = torch.device("cpu")


def model_of(training):
    """The model and its optimizer as a worker has them."""
    folder = Path(training.model)
    config = torchtpu_model.check(folder, training.model, training.length)
    model = torchtpu_model.load(folder, training.model, config, training.weight_dtype, CPU)
    torchtpu_model.shard(model, init_device_mesh("cpu", (dist.get_world_size(),)))
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return model, torch.optim.AdamW(parameters, lr=training.learning_rate, weight_decay=training.weight_decay)


class Steps:
    """Optimizer steps of a worker, one by one."""

    def __init__(self, training, start: Position = Position()) -> None:
        self.rank = dist.get_rank()
        # Nobody hears of these steps, so nothing is watched either.
        stall = train_stall.Watch(None, "attempt", self.rank, training.step_timeout)
        self.run = _Run(training, Rank(self.rank, dist.get_world_size(), self.rank, dist.group.WORLD), CPU, None, "attempt", stall)
        self.tokenizer = torchtpu_model.tokenizer(Path(training.model), training.model)
        self.examples = self.run._examples(self.tokenizer)
        self.model, self.optimizer = model_of(training)
        self.model.train()
        self.batches = batches(len(self.examples), training.batch * dist.get_world_size(), training.epochs, training.seed, start)
        self.at = start

    def take(self, steps: int) -> list[float]:
        """The mean losses of so many steps, or of all that are left."""
        losses = []
        while len(losses) < steps and (batch := next(self.batches, None)) is not None:
            total, learned = self.run._step(self.model, self.optimizer, self.examples, batch)
            losses.append(total / learned)
            self.at = batch.after
        return losses


def whole(model) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in torchtpu_model.whole_tensors(model)}


@pytest.mark.parametrize("model", ["gemma4", "llama"])
def test_the_masked_loss_is_that_computed_by_hand_on_the_real_tokens_alone(inputs, training, model):
    network = by_hand.load(inputs / model)
    tokenizer = torchtpu_model.tokenizer(inputs / model, model)
    padding = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    rows = by_hand.token_rows(inputs / model, inputs / "rows.jsonl")[:4]
    assert len({len(row) for row in rows}) > 1, "rows of one length need no padding"
    examples = [torchtpu_examples.Example(row + [padding] * (48 - len(row)), len(row)) for row in rows]
    with torch.no_grad():
        logits = network(input_ids=torch.tensor([example.tokens for example in examples])).logits
        labels = torch.tensor([torchtpu_examples.labels(example) for example in examples])
        ours = torchtpu_loss.summed(logits, labels)
        expected = sum(by_hand.loss_of_row(network, row) for row in rows)
    assert sum(example.learned for example in examples) == int((labels != torchtpu_examples.IGNORED).sum())
    torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("model", ["gemma4", "llama"])
def test_two_ranks_train_like_one_by_hand_and_the_loss_falls(inputs, training, model):
    plan = training(model, batch=2)
    # 22 rows in batches of 4: the last of each epoch is small, and one rank has nothing to learn from.
    expected = by_hand.curve(
        inputs / model, inputs / "rows.jsonl", length=plan.length, batch=4, epochs=2, learning_rate=plan.learning_rate, seed=plan.seed
    )
    curves = ranks.on(2, lambda rank: Steps(plan).take(100))
    assert curves[0] == curves[1]
    assert curves[0] == pytest.approx(expected, rel=2e-3)
    assert len(expected) == 12 and sum(curves[0][-3:]) / 3 < sum(curves[0][:3]) / 3 - 0.3


def test_gemma_is_trained_as_planned(training):
    def work(rank: int):
        steps = Steps(training())
        model = steps.model
        frozen = {name: parameter for name, parameter in model.named_parameters() if not parameter.requires_grad}
        before = {name: parameter.clone() for name, parameter in frozen.items()}
        steps.take(2)
        local = sum(p.to_local().numel() for p in model.parameters() if isinstance(p, DTensor))
        return {
            "frozen": sorted(frozen),
            "divided": sorted(name for name, p in frozen.items() if isinstance(p, DTensor)),
            "changed": [name for name in frozen if not torch.equal(before[name], frozen[name])],
            "whole": sorted(name for name, p in model.named_parameters() if p.requires_grad and not isinstance(p, DTensor)),
            "towers": [name for name, _ in model.named_parameters() if "vision" in name or "audio" in name],
            "local": local,
            "all": sum(p.numel() for p in model.parameters() if isinstance(p, DTensor)),
            "attention": model.config.get_text_config()._attn_implementation,
        }

    one, other = ranks.on(2, work)
    assert one["frozen"] == ["model.language_model.embed_tokens_per_layer.weight"]
    assert (one["divided"], one["changed"], one["whole"], one["towers"], one["attention"]) == ([], [], [], [], "eager")
    # Neither has more than its half and what padding costs.
    assert one["local"] + other["local"] == one["all"]
    assert max(one["local"], other["local"]) < 0.6 * one["all"]


def save_after(plan, folder: Path, steps: int):
    """Trains so many steps, saves as Ray Train brings the ranks' parts together, and trains on."""

    def work(rank: int):
        run = Steps(plan)
        run.take(steps)
        with tempfile.TemporaryDirectory() as own:
            torchtpu_checkpoint.save(Path(own), run.model, run.optimizer, Progress(run.at, 1.5, 7), plan, rank, dist.group.WORLD)
            sizes = {file.name: file.stat().st_size for file in Path(own).iterdir()}
            for file in Path(own).iterdir():
                file.rename(folder / file.name)
        weights = whole(run.model)
        return sizes, run.take(100), weights if rank == 0 else None

    return ranks.on(2, work)


def test_another_number_of_ranks_reads_a_checkpoint_and_goes_on_at_its_step(training, tmp_path):
    plan = training(batch=2)
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (sizes, rest, weights), (other_sizes, _, _) = save_after(plan, folder, 7)
    assert "progress.json" in sizes and "progress.json" not in other_sizes
    parts = [size for name, size in {**sizes, **other_sizes}.items() if name.endswith(".distcp")]
    assert len(parts) == 2 and max(parts) < 0.7 * sum(parts)

    def resume(plan):
        def work(rank: int):
            progress = torchtpu_checkpoint.progress(folder, plan)
            run = Steps(plan, progress.position)
            torchtpu_checkpoint.load(folder, run.model, run.optimizer, dist.group.WORLD)
            read = whole(run.model)
            return progress, read if rank == 0 else None, run.take(100)

        return work

    # The same global batch on four ranks and on one: the same curve.
    for count, batch in ((4, 1), (1, 4)):
        progress, read, curve = ranks.on(count, resume(training(batch=batch)))[0]
        assert progress == Progress(Position(7, 1, 4), 1.5, 7)
        assert read.keys() == weights.keys() and all(torch.equal(read[name], weights[name]) for name in weights)
        assert curve == pytest.approx(rest, rel=2e-3)


def test_a_checkpoint_of_another_training_is_refused(training, tmp_path):
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    save_after(training(), folder, 1)
    with pytest.raises(Exception, match=r"holds checkpoints of a run tiny with --length 40, this one has 16: use another storage path"):
        torchtpu_checkpoint.progress(folder, training(length=16))


@pytest.mark.parametrize("model", ["gemma4", "llama"])
def test_from_pretrained_loads_the_export(training, tmp_path, model):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    def work(rank: int):
        run = Steps(training(model))
        run.take(2)
        # In several files, as those of a large model.
        torchtpu_export.write(tmp_path, Loaded(run.model, run.tokenizer, True), rank, shard_bytes=60_000)
        run.model.eval()
        logits = run.model(input_ids=torch.tensor([run.examples[0].tokens])).logits.detach()
        return run.examples[0].tokens, logits if rank == 0 else None

    tokens, logits = ranks.on(2, work)[0]
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    assert len(set(index["weight_map"].values())) > 1
    assert {file.name for file in tmp_path.glob("*.safetensors")} == set(index["weight_map"].values())
    loaded, report = AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager", output_loading_info=True)
    assert not any(report[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")), report
    with torch.no_grad():
        torch.testing.assert_close(loaded.eval()(input_ids=torch.tensor([tokens])).logits, logits, rtol=1e-4, atol=1e-4)
    assert loaded.config.get_text_config().use_cache is True
    assert AutoTokenizer.from_pretrained(tmp_path)("the tpu")["input_ids"]
