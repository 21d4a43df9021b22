"""A fine-tune written out plainly for one process, with none of the trainer's code: what its curve is compared with."""

import json
import math
import random
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer


def load(model: Path):
    config = AutoConfig.from_pretrained(model)
    if hasattr(config, "vision_config"):
        config.vision_config = None
    return AutoModelForCausalLM.from_pretrained(model, config=config, dtype=torch.float32, attn_implementation="eager")


def token_rows(model: Path, dataset: Path) -> list[list[int]]:
    """Each row's own tokens and the end, nothing else."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    texts = [json.loads(line) for line in dataset.read_text().splitlines()]
    return [tokenizer(f"Instruction: {row['instruction']}\nResponse: {row['response']}")["input_ids"] + [tokenizer.eos_token_id] for row in texts]


def loss_of_row(network, tokens: list[int]) -> torch.Tensor:
    """The sum of -log p(token | those before it), without any padding, token by token."""
    logits = network(input_ids=torch.tensor([tokens])).logits[0]
    total = torch.zeros(())
    for position in range(len(tokens) - 1):
        exponentials = torch.exp(logits[position] - logits[position].max())
        total = total - torch.log(exponentials[tokens[position + 1]] / exponentials.sum())
    return total


def curve(model: Path, dataset: Path, *, length: int, batch: int, epochs: int, learning_rate: float, seed: int) -> list[float]:
    """The mean loss of each step, trained row by row."""
    network = load(model)
    for name, parameter in network.named_parameters():
        if "embed_tokens_per_layer" in name:
            parameter.requires_grad_(False)
    network.train()
    optimizer = torch.optim.AdamW([p for p in network.parameters() if p.requires_grad], lr=learning_rate, weight_decay=0.01)
    rows = [tokens[:length] for tokens in token_rows(model, dataset)]
    losses = []
    for epoch in range(epochs):
        order = list(range(len(rows)))
        random.Random(f"{seed} {epoch}").shuffle(order)
        for start in range(math.ceil(len(rows) / batch)):
            taken = [rows[row] for row in order[start * batch : (start + 1) * batch]]
            optimizer.zero_grad()
            loss = sum(loss_of_row(network, tokens) for tokens in taken) / sum(len(tokens) - 1 for tokens in taken)
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    return losses
