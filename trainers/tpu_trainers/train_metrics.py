"""A run's figures as Ray metrics: exported by Ray's metrics agent for Prometheus with the prefix ``ray_`` and the tag ``run``."""

from tpu_trainers.train_progress import Summary

GAUGES = {
    "tpu_train_step": "highest completed step",
    "tpu_train_steps_per_second": "completed steps per second, mean of the run",
    "tpu_train_tokens_per_second": "tokens per second over all devices, mean of the run",
    "tpu_train_tflops_per_device": "TFLOP/s of one device, mean of the run",
    "tpu_train_loss": "loss of the last completed step",
    "tpu_train_slices": "slices of the current worker group",
    "tpu_train_restarts": "worker groups started after the first",
    "tpu_train_restart_seconds": "seconds lost to restarts: waiting, starting, restoring and repeating steps",
}


def values(summary: Summary) -> dict[str, float]:
    """The gauges that have a value."""
    figures = {
        "tpu_train_step": summary.last_step,
        "tpu_train_steps_per_second": summary.steps_per_second,
        "tpu_train_tokens_per_second": summary.tokens_per_second,
        "tpu_train_tflops_per_device": summary.tflops_per_device,
        "tpu_train_loss": summary.loss,
        "tpu_train_slices": summary.slices,
        "tpu_train_restarts": summary.restarts,
        "tpu_train_restart_seconds": summary.seconds_lost_to_restarts,
    }
    return {name: float(value) for name, value in figures.items() if value is not None}


class Metrics:
    """The gauges of one run. Must be made in a Ray process."""

    def __init__(self, run: str) -> None:
        from ray.util.metrics import Gauge

        self._gauges = {name: Gauge(name, description=text, tag_keys=("run",)) for name, text in GAUGES.items()}
        self._tags = {"run": run}

    def set(self, summary: Summary) -> None:
        for name, value in values(summary).items():
            self._gauges[name].set(value, tags=self._tags)
