"""Training data and a tokenizer, made on the spot: nothing is downloaded. Needs the environment of maxtext-environment.sh."""

from pathlib import Path

# Words of the made texts; none of them means anything.
_WORDS = ("slice", "host", "chip", "mesh", "shard", "step", "batch", "token", "layer", "head")
_SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
# Tokens of the tokenizer: one for each byte, and the special ones.
VOCABULARY = 256 + len(_SPECIAL)


def texts(count: int, words: int = 40) -> list[str]:
    """``count`` different texts of ``words`` words each, the same ones every time."""
    return [" ".join(_WORDS[(number * 7 + place * (number % 9 + 1)) % len(_WORDS)] for place in range(words)) for number in range(count)]


def tokenizer(folder: Path) -> Path:
    """A Hugging Face tokenizer with one token a byte."""
    import tokenizers
    import transformers

    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {sign: index for index, sign in enumerate((*_SPECIAL, *alphabet))}
    model = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    pad, bos, eos, unk = _SPECIAL
    wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=model, pad_token=pad, bos_token=bos, eos_token=eos, unk_token=unk)
    wrapped.save_pretrained(folder)
    return folder


def parquet(folder: Path, rows: int, files: int = 2) -> str:
    """Parquet files with a column ``text``, ``rows`` rows in all; gives the pattern that finds them."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir(parents=True)
    made = texts(rows)
    for index in range(files):
        pyarrow.parquet.write_table(pyarrow.table({"text": made[index::files]}), folder / f"made-{index}.parquet")
    return f"{folder}/*.parquet"
