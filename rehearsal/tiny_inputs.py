"""What a fine-tune is rehearsed and tested with: models, a tokenizer and rows small enough for any machine, made on the spot from the
real classes. Nothing is downloaded."""

import json
import random
from pathlib import Path

# Tokens the models read at most.
LONGEST = 64
_WORDS = "the a tpu host slice chip ring mesh loss step ray pod head trains waits sums fails fast slowly twice then".split()


def gemma4(folder: Path) -> Path:
    """A Gemma 4 with per-layer embeddings, shared keys and values, sliding and full attention, and a vision tower, in some 50,000 weights."""
    import torch
    from transformers import Gemma4Config, Gemma4ForConditionalGeneration, Gemma4TextConfig, Gemma4VisionConfig

    text = Gemma4TextConfig(
        vocab_size=320, vocab_size_per_layer_input=320, hidden_size=32, hidden_size_per_layer_input=8, intermediate_size=64,
        num_hidden_layers=4, num_attention_heads=2, num_key_value_heads=1, head_dim=16, global_head_dim=16, num_kv_shared_layers=2,
        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"], sliding_window=16,
        max_position_embeddings=LONGEST, pad_token_id=0, eos_token_id=1, bos_token_id=2,
    )  # fmt: skip
    vision = Gemma4VisionConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=1, num_key_value_heads=1, head_dim=16)
    torch.manual_seed(1)
    model = Gemma4ForConditionalGeneration(Gemma4Config(text_config=text, vision_config=vision, audio_config=None))
    model.save_pretrained(folder)
    _tokenizer(folder, padding="<pad>")
    return folder


def llama(folder: Path) -> Path:
    """A Llama whose padding token is its end-of-text token, as with many models."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=320, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
        max_position_embeddings=LONGEST, eos_token_id=1, bos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(1)
    LlamaForCausalLM(config).save_pretrained(folder)
    _tokenizer(folder, padding="<eos>")
    return folder


def _tokenizer(folder: Path, padding: str) -> None:
    """Bytes as tokens, and pairs of them that are frequent in what is trained."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "<eos>", "<bos>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([" ".join(_WORDS)] * 3, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", bos_token="<bos>", pad_token=padding)
    fast.save_pretrained(folder)


def rows(file: Path, count: int, seed: int = 0) -> Path:
    """A JSON-lines dataset of sentences with the fields of dolly-15k, of different lengths."""
    draw = random.Random(seed)
    with file.open("w", encoding="utf-8") as lines:
        for _ in range(count):
            words = [draw.choice(_WORDS) for _ in range(draw.randint(2, 8))]
            lines.write(json.dumps({"instruction": " ".join(words[:1]), "response": " ".join(words[1:])}) + "\n")
    return file
