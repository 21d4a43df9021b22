from tpu_trainers.maxtext_step_line import parse
from tpu_trainers.train_progress import Step


def test_full_line_of_0_2_5():
    line = (
        "completed step: 7, seconds: 1.104, TFLOP/s/device: 179.700, Tokens/s/device: 3709.100, total_weights: 65536, loss: 9.123, "
        "lm_loss: 8.001, perplexity: 2983.0"
    )
    assert parse(line) == Step(7, 1.104, 179.7, 3709.1, 9.123)


def test_line_with_a_prefix_of_ray_and_a_timestamp():
    line = "(RayTrainWorker pid=12, ip=10.0.0.3) I1130 07:00:00.1 metric_logger.py:249] completed step: 12, seconds: 0.5, loss: 1.0"
    assert parse(line) == Step(12, 0.5, None, None, 1.0)


def test_profiler_step_without_seconds():
    assert parse("completed profiler activation/deactivation step: 3, total_weights: 1, loss: 2.5") == Step(3, None, None, None, 2.5)


def test_ramp_up_without_rates():
    assert parse("[Rampup Batch Size Phase], completed step: 3, seconds: 2.000, loss: 2.5") == Step(3, 2.0, None, None, 2.5)


def test_loss_that_is_not_a_number():
    step = parse("completed step: 3, seconds: 2.000, loss: nan")
    assert step is not None and step.loss != step.loss


def test_other_lines():
    for line in ("", "eval metrics after step: 3, loss=1", "saved a checkpoint at step 3", "completed steps: none"):
        assert parse(line) is None
