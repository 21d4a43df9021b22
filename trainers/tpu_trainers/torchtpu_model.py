"""A causal language model of the Hugging Face hub as it is trained: loaded from a folder, frozen in part, sharded by FSDP2.

Imports Torch and Transformers only when called: in a worker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpu_trainers import torchtpu_rows

# Gemma's table of embeddings for each layer: as large as all else together, read by few rows a step. Frozen, and whole on every device.
_PER_LAYER_EMBEDDINGS = "embed_tokens_per_layer"
_TOWERS = ("vision_config", "audio_config")


@dataclass(frozen=True)
class Loaded:
    """A model on its device, its tokenizer, and whether its configuration wants a cache (for the export; training needs none)."""

    model: Any
    tokenizer: Any
    use_cache: bool


def check(folder: Path, name: str, length: int) -> Any:
    """The configuration of a model. Raises Ended with INPUT_REFUSED for one that is no causal language model, or too short a one."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    try:
        config = AutoConfig.from_pretrained(folder)
    except Exception as error:  # Transformers raises what it likes for a broken configuration.
        raise torchtpu_rows.refuse(f"model {name}: its config.json cannot be read ({_line(error)})") from None
    if config.model_type not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise torchtpu_rows.refuse(f"model {name}: is of type {config.model_type}, which is no causal language model")
    longest = getattr(config.get_text_config(), "max_position_embeddings", None)
    if longest is not None and length > longest:
        raise torchtpu_rows.refuse(f"--max-length {length}: model {name} reads at most {longest} tokens")
    return config


def tokenizer(folder: Path, name: str) -> Any:
    """The tokenizer of a model. Raises Ended with INPUT_REFUSED when there is none, or it has no end-of-text token."""
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(folder)
    except Exception as error:  # As above.
        raise torchtpu_rows.refuse(f"model {name}: its tokenizer cannot be read ({_line(error)})") from None
    if found.eos_token_id is None:
        raise torchtpu_rows.refuse(f"model {name}: its tokenizer has no end-of-text token, so the model could not learn where a text ends")
    return found


def load(folder: Path, name: str, config: Any, dtype: str, device: Any) -> Any:
    """The model on ``device``, without vision and audio towers. Raises Ended with INPUT_REFUSED when its weights cannot be read."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    # Its report of weights without a use lists every one of the towers, on every rank.
    logging.set_verbosity_error()
    for tower in _TOWERS:
        # Text is all that is trained. Only Gemma's classes can do without.
        if config.model_type.startswith("gemma4") and getattr(config, tower, None) is not None:
            setattr(config, tower, None)
    try:
        model, found = AutoModelForCausalLM.from_pretrained(
            folder, config=config, dtype=getattr(torch, dtype), attn_implementation="eager", output_loading_info=True
        )
    except Exception as error:  # As above.
        raise torchtpu_rows.refuse(f"model {name}: its weights cannot be read ({_line(error)})") from None
    if found["missing_keys"]:
        # Transformers would make them up and go on.
        missing = sorted(found["missing_keys"])
        raise torchtpu_rows.refuse(f"model {name}: {len(missing)} weights are not in its files, {missing[0]} among them")
    model.config.get_text_config().use_cache = False
    return model.to(device)


def shard(model: Any, mesh: Any) -> None:
    """Freezes what is not trained and divides all else over the mesh: parameters, gradients, and so optimizer state.

    Computes in bfloat16 on a TPU and adds gradients up in float32. Gemma's feed-forward blocks are gathered one by one and the rest
    together, since its layers share keys and values; other models are gathered layer by layer.
    """
    import torch
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    compute = torch.bfloat16 if mesh.device_type == "tpu" else None
    policy = MixedPrecisionPolicy(param_dtype=compute, reduce_dtype=torch.float32)
    frozen: set[Any] = set()
    for path, module in model.named_modules():
        if path.rsplit(".", 1)[-1] == _PER_LAYER_EMBEDDINGS:
            module.requires_grad_(False)
            frozen.update(module.parameters())
    layers = set(model._no_split_modules or ())
    for module in [module for module in model.modules() if type(module).__name__ in layers]:
        # Only text layers are left of the models with towers.
        fully_shard(module.mlp if frozen else module, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy, ignored_params=frozen or None)


def whole_tensors(model: Any) -> Iterator[tuple[str, Any]]:
    """(name, whole tensor on the CPU) of each parameter and stored buffer, one at a time. All ranks must take part."""
    import torch
    from torch.distributed.tensor import DTensor

    parameters = dict(model.named_parameters())
    stored = model.state_dict(keep_vars=True)
    buffers = {name: buffer for name, buffer in model.named_buffers() if name in stored}
    with torch.no_grad():
        for name, tensor in {**parameters, **buffers}.items():
            whole = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
            yield name, whole.detach().cpu()


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}"[:300]
