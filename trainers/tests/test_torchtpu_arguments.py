"""The command lines of both TorchTPU trainers, as lib/training/torchtpu writes them."""

import pytest

from tpu_trainers import torchtpu_collectives_arguments, torchtpu_finetune_arguments
from tpu_trainers.torchtpu_slice import Shape

SLICE = [
    "--run", "gemma4", "--topology", "2x2x2", "--accelerator-type", "TPU-V7X", "--workers", "16", "--hosts", "2", "--tpu-per-worker", "1",
]  # fmt: skip
COLLECTIVES = [*SLICE, "--matrix-size", "1024", "--start-deadline", "3600"]
FINETUNE = [
    *SLICE, "--model", "google/gemma-4-E2B-it", "--dataset", "databricks/databricks-dolly-15k", "--storage-path", "gs://bucket/out/",
    "--epochs", "3", "--per-device-batch-size", "4", "--learning-rate", "0.00002", "--max-length", "512", "--rows", "1024",
    "--max-failures", "3", "--start-deadline", "3600",
]  # fmt: skip


def refused(capsys, parse, argv):
    with pytest.raises(SystemExit) as ended:
        parse(argv)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_collectives_check():
    options = torchtpu_collectives_arguments.parse([*COLLECTIVES, "--env", "A=b"])
    assert options.shape == Shape("2x2x2", "TPU-V7X", 16, 2)
    assert (options.backend, options.matrix_size, options.start_deadline, options.env) == ("tpu_dist", 1024, 3600, {"A": "b"})


def test_a_finetune():
    options = torchtpu_finetune_arguments.parse([*FINETUNE, "--template=Q: {question}\\nA: {answer}", "--checkpoint-every=10"])
    training = options.training
    assert options.shape == Shape("2x2x2", "TPU-V7X", 16, 2)
    assert (training.epochs, training.batch, training.learning_rate, training.length, training.rows) == (3, 4, 2e-5, 512, 1024)
    assert (training.storage_path, training.template, training.checkpoint_every) == ("gs://bucket/out", "Q: {question}\nA: {answer}", 10)
    assert (training.weight_dtype, training.backend, training.hosts, options.keep, options.max_failures) == ("bfloat16", "tpu_dist", 2, 1, 3)


@pytest.mark.parametrize("parse, argv", [(torchtpu_collectives_arguments.parse, COLLECTIVES), (torchtpu_finetune_arguments.parse, FINETUNE)])
class TestBoth:
    @pytest.mark.parametrize("workers", ["4", "12", "32"])
    def test_workers_that_do_not_fill_one_slice(self, capsys, parse, argv, workers):
        message = refused(capsys, parse, [*argv, "--workers", workers])
        assert f"--workers {workers}: must be 8 or, with two devices a chip, 16: topology 2x2x2 has 8 chips" in message

    def test_hosts_that_do_not_divide(self, capsys, parse, argv):
        assert "--hosts 3: must divide --workers 16" in refused(capsys, parse, [*argv, "--hosts", "3"])

    def test_more_than_one_device_a_process(self, capsys, parse, argv):
        assert "--tpu-per-worker 4: must be 1, TorchTPU binds a process to one device" in refused(capsys, parse, [*argv, "--tpu-per-worker", "4"])

    def test_no_topology(self, capsys, parse, argv):
        assert "--topology sixteen: must be chips per dimension" in refused(capsys, parse, [*argv, "--topology", "sixteen"])

    @pytest.mark.parametrize("name", ["HF_TOKEN", "hf_api_token", "MY_SECRET"])
    def test_a_token_literal_is_refused_and_not_repeated(self, capsys, parse, argv, name):
        message = refused(capsys, parse, [*argv, "--env", f"{name}=hf_abcdefgh"])
        assert f"--env {name}: looks like a credential; give it to the pods from a Secret" in message
        assert "hf_abcdefgh" not in message

    def test_what_the_webhook_sets(self, capsys, parse, argv):
        assert "--env TPU_WORKER_ID: is set for each worker" in refused(capsys, parse, [*argv, "--env", "TPU_WORKER_ID=0"])


def test_matrices_that_do_not_divide(capsys):
    message = refused(capsys, torchtpu_collectives_arguments.parse, [*COLLECTIVES, "--matrix-size", "10"])
    assert "--matrix-size 10: 4 x 10 columns must be divisible by 16 workers" in message


def test_every_problem_of_a_finetune_at_once(capsys):
    argv = [*FINETUNE, "--epochs", "0", "--rows", "-1", "--max-length", "1", "--storage-path", "out", "--step-timeout", "0", "--workers", "9"]
    message = refused(capsys, torchtpu_finetune_arguments.parse, argv)
    for part in (
        "--epochs 0: must be more than 0",
        "--rows -1: must be at least 0",
        "--max-length 1: must be at least 2",
        "--storage-path out: must be gs://BUCKET/… or an absolute path that all hosts mount",
        "--step-timeout 0: must be more than 0",
        "--workers 9: must be 8 or",
    ):
        assert part in message


@pytest.mark.parametrize("seed", [-1, 2**31])
@pytest.mark.parametrize(
    ("parse", "argv"), [(torchtpu_collectives_arguments.parse, COLLECTIVES), (torchtpu_finetune_arguments.parse, FINETUNE)]
)
def test_a_seed_torch_would_not_take(capsys, parse, argv, seed):
    assert f"--seed {seed}: must be 0 to 2147483647" in refused(capsys, parse, [*argv, f"--seed={seed}"])
