import pytest

from tpu_trainers import maxtext_arguments

TUTORIAL_B = [
    "--run", "llama3-8b", "--topology", "4x4", "--accelerator-type", "TPU-V6E", "--min-workers", "4", "--max-workers", "8",
    "--workers-per-slice", "4", "--tpu-per-worker", "4", "--devices-per-worker", "4",
]  # fmt: skip
MAXTEXT = ["base_output_directory=gs://bucket/out", "steps=100"]


def refused(capsys, argv):
    with pytest.raises(SystemExit) as ended:
        maxtext_arguments.parse(argv)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_elastic_run():
    options = maxtext_arguments.parse([*TUTORIAL_B, "--env", "LIBTPU_INIT_ARGS=--a=b", "--", *MAXTEXT])
    assert options.elastic
    assert (options.min_workers, options.max_workers, options.workers_per_slice) == (4, 8, 4)
    assert options.env == {"LIBTPU_INIT_ARGS": "--a=b"}
    assert options.maxtext == ["run_name=llama3-8b", "base_output_directory=gs://bucket/out", "steps=100"]


def test_parameter_values_may_hold_anything():
    options = maxtext_arguments.parse([*TUTORIAL_B, "--", *MAXTEXT, "hf_path=a=b c", "run_name=other"])
    assert options.maxtext == ["run_name=other", "base_output_directory=gs://bucket/out", "steps=100", "hf_path=a=b c"]


def test_options_that_stand_for_parameters():
    given = ["--profile-steps", "10:5", "--checkpoint-on-preemption", "--platform", "cpu"]
    options = maxtext_arguments.parse([*TUTORIAL_B, *given, "--", *MAXTEXT])
    assert set(options.maxtext) == {
        "run_name=llama3-8b", "hardware=cpu", "profiler=xplane", "skip_first_n_steps_for_profiler=10",
        "profiler_steps=5", "enable_autocheckpoint=true", *MAXTEXT,
    }  # fmt: skip


def test_every_problem_at_once(capsys):
    argv = [*TUTORIAL_B, "--min-workers", "9", "--tpu-per-worker", "0", "--step-timeout", "0", "--profile-steps", "5", "--env", "X"]
    message = refused(capsys, [*argv, "--", "steps"])
    for part in (
        "--tpu-per-worker 0: must be at least 1",
        "--step-timeout 0: must be more than 0 seconds",
        "--min-workers 9: must not be above --max-workers 8",
        "--min-workers 9: must be a multiple of --workers-per-slice 4",
        "--profile-steps 5: must be SKIP:COUNT",
        "--env X: must be NAME=VALUE",
        "MaxText parameter 'steps': must be key=value",
    ):
        assert part in message


@pytest.mark.parametrize("name", ["MEGASCALE_NUM_SLICES", "MEGASCALE_COORDINATOR_ADDRESS", "TPU_WORKER_ID", "TPU_NAME"])
def test_environment_that_ray_or_the_webhook_owns(capsys, name):
    assert f"--env {name}: is set for each worker" in refused(capsys, [*TUTORIAL_B, "--env", f"{name}=1", "--", *MAXTEXT])


def test_megascale_port_is_the_users():
    assert maxtext_arguments.parse([*TUTORIAL_B, "--env", "MEGASCALE_PORT=9915", "--", *MAXTEXT]).env == {"MEGASCALE_PORT": "9915"}


def test_credentials_are_refused_without_being_repeated(capsys):
    message = refused(capsys, [*TUTORIAL_B, "--env", "HF_TOKEN=hf_abc", "--", *MAXTEXT, "hf_access_token=hf_def"])
    assert "--env HF_TOKEN: looks like a credential" in message
    assert "MaxText parameter hf_access_token: a credential" in message
    assert "hf_abc" not in message and "hf_def" not in message


def test_option_and_parameter_that_mean_the_same(capsys):
    message = refused(capsys, [*TUTORIAL_B, "--profile-steps", "10:5", "--", *MAXTEXT, "profiler=xplane"])
    assert "MaxText parameter profiler=xplane: --profile-steps stands for it" in message


class TestElasticParameters:
    def test_a_fixed_axis_between_slices(self, capsys):
        message = refused(capsys, [*TUTORIAL_B, "--", *MAXTEXT, "dcn_data_parallelism=2"])
        assert "needs exactly one automatic axis between slices, has 0 (none)" in message
        assert "the fixed axes between slices multiply to 2, which does not divide 1 slices" in message

    def test_two_automatic_axes(self, capsys):
        message = refused(capsys, [*TUTORIAL_B, "--", *MAXTEXT, "dcn_fsdp_parallelism=-1"])
        assert "has 2 (dcn_data_parallelism, dcn_fsdp_parallelism)" in message

    def test_another_automatic_axis_instead(self):
        options = maxtext_arguments.parse([*TUTORIAL_B, "--", *MAXTEXT, "dcn_fsdp_parallelism=-1", "dcn_data_parallelism=1"])
        assert "dcn_fsdp_parallelism=-1" in options.maxtext

    def test_without_checkpoints(self, capsys):
        message = refused(capsys, [*TUTORIAL_B, "--", "enable_checkpointing=false"])
        assert "enable_checkpointing=false begins again at step 0" in message
        assert "needs base_output_directory" in message

    def test_a_fixed_run_may_have_all_of_that(self):
        argv = [*TUTORIAL_B, "--min-workers", "8", "--", "enable_checkpointing=false", "dcn_data_parallelism=2"]
        assert not maxtext_arguments.parse(argv).elastic
