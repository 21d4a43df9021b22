"""The outcomes only TorchTPU runs have. ``docs/torchtpu-collectives.md`` and ``docs/torchtpu-finetune.md`` say what to do for each."""

from tpu_trainers import train_outcome
from tpu_trainers.train_outcome import Outcome

INPUT_REFUSED = Outcome("input-refused", 50, "model, dataset or sequence length cannot be trained with; not retried")
STORAGE_REFUSED = Outcome("storage-refused", 51, "not every host can write and read the storage path, or it holds another run; not retried")
BACKEND_MISSING = Outcome("backend-missing", 52, "the image lacks torch_tpu or another package the run needs; not retried")
WRONG_RESULT = Outcome("wrong-result", 53, "a rank computed or received a wrong value, or did not answer")

OUTCOMES = (*train_outcome.SHARED, INPUT_REFUSED, STORAGE_REFUSED, BACKEND_MISSING, WRONG_RESULT)
