"""The MaxText trainer on a real Ray whose nodes pose as TPU hosts, training the stand-in: real JAX, real checkpoints, no TPU.

Ordered so that hosts are started once: first one small slice, then one large slice, then two.
"""

import os
import re

import psutil
import pytest
from posed_runs import V5P_2X2X2, V6E_4X4, Run, Slices, last_line, steps, summary, wait

from rehearsal.sandbox import MARK, processes


def train_workers() -> list[psutil.Process]:
    """The live worker processes of Ray Train in this cluster."""
    found = []
    for identity in processes(os.environ[MARK]):
        try:
            process = psutil.Process(identity)
            if "RayTrainWorker" in process.name() or any("RayTrainWorker" in word for word in process.cmdline()):
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def workers_began(log: str, group: int) -> list[str]:
    return re.findall(rf"worker of {group}, rank .*", log)


class TestFaultsOnOneSmallSlice:
    def test_a_killed_worker_is_replaced_and_training_resumes_at_its_checkpoint(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(
            V5P_2X2X2, "killed", ["steps=10", "checkpoint_period=3"], workers=2, faults=f"kill:8:{slices.folder}/killed"
        )
        code, log = run.end()
        assert code == 0, log
        # Checkpoints at 0, 3, 6: the killed group was at 8, the next one begins after 6.
        assert "restoring from this run's directory step 6" in log
        figures = summary(log)
        assert (figures["last_step"], figures["restarts"], figures["outcome"]) == ("9", "1", "finished")
        assert float(figures["seconds_lost_to_restarts"]) > 0
        assert last_line(log).startswith("maxtext run killed finished: ")

    def test_an_error_that_comes_back_spends_the_retries(self, slices: Slices):
        run = slices.start(V5P_2X2X2, "raises", ["steps=10"], workers=2, options={"max-failures": 1}, faults="raise:2")
        code, log = run.end()
        assert code == 40, log
        assert re.fullmatch(
            r"maxtext run raises failed \(training-failed, exit code 40\): rank \d raised .*the stand-in was told to fail before step 2; all 1 restarts are spent",
            last_line(log),
        ), last_line(log)
        assert summary(log)["restarts"] == "1"

    def test_a_lost_worker_without_retries(self, slices: Slices):
        run = slices.start(V5P_2X2X2, "lost", ["steps=10"], workers=2, options={"max-failures": 0}, faults=f"kill:2:{slices.folder}/lost")
        code, log = run.end()
        assert code == 41, log
        assert "maxtext run lost failed (workers-lost, exit code 41): lost the worker of rank 1" in last_line(log)

    def test_a_parameter_maxtext_refuses_is_not_retried(self, slices: Slices):
        run = slices.start(V5P_2X2X2, "refused", ["steps=10", "per_device_bach_size=2"], workers=2)
        code, log = run.end()
        assert code == 42, log
        assert "configuration-refused, exit code 42): MAXTEXT CONFIG ERROR: per_device_bach_size: extra inputs are not permitted" in last_line(log)

    @pytest.mark.parametrize(
        ("fault", "code", "reason"),
        [
            ("out-of-data:4", 60, "4 of 10 steps trained, then MaxText stopped on rank 0: You may have run out of training data"),
            ("data-error:0", 61, "0 of 10 steps trained, then MaxText stopped on rank"),
            ("target:5", 62, "6 of 10 steps trained, then MaxText stopped on rank"),
            ("return:4", 65, "4 of 10 steps trained, then MaxText returned without a reason; the newest checkpoint in"),
        ],
    )
    def test_A1_a_normal_return_before_the_last_step_is_an_end_of_its_own(self, slices: Slices, fault: str, code: int, reason: str):
        slices.have(V5P_2X2X2, 1)
        name = fault.replace(":", "-")
        run = slices.start(V5P_2X2X2, name, ["steps=10", "checkpoint_period=3"], workers=2, faults=fault)
        ended, log = run.end()
        assert ended == code, log
        assert reason.rsplit(" rank", 1)[0] in last_line(log), last_line(log)
        figures = summary(log)
        assert (figures["steps_asked"], figures["restarts"]) == ("10", "0")

    def test_A1_data_that_ends_on_one_host_ends_the_run_though_the_others_wait(self, slices: Slices):
        run = slices.start(V5P_2X2X2, "one-ends", ["steps=10", "checkpoint_period=3"], workers=2, faults="out-of-data-of-one:5")
        code, log = run.end()
        assert code == 60, log
        assert "5 of 10 steps trained, then MaxText stopped on rank 1: You may have run out of training data" in last_line(log)

    def test_A2_a_run_whose_checkpoint_has_the_last_step_trains_nothing_and_says_so(self, slices: Slices):
        parameters = ["steps=3", "run_name=shared"]
        code, log = slices.start(V5P_2X2X2, "first", parameters, workers=2).end()
        assert code == 0, log
        assert "3 of 3 steps trained, the last is 2; the newest checkpoint in" in last_line(log)
        # E13: the configuration of one rank.
        assert len(re.findall(r"Config param steps: 3", log)) == 1
        code, log = slices.start(V5P_2X2X2, "second", parameters, workers=2).end()
        assert code == 63, log
        assert "no step was trained: 3 steps are asked for, and the newest checkpoint in" in last_line(log)
        assert (summary(log)["steps_asked"], summary(log)["steps"]) == ("3", "0")

    def test_A0_the_flags_are_parsed_before_data_is_read(self, slices: Slices):
        code, log = slices.start(V5P_2X2X2, "flags", ["steps=3", "dataset_type=grain"], workers=2).end()
        assert code == 0, log

    def test_missing_devices_are_found_before_the_first_step(self, slices: Slices):
        # The given environment wins over what the trainer sets for this platform: each worker sees two devices instead of four.
        run = slices.start(V5P_2X2X2, "fewer", ["steps=10"], workers=2, options={"devices-per-worker": "4 --env JAX_NUM_CPU_DEVICES=2"})
        code, log = run.end()
        assert code == 44, log
        assert re.search(r"rank \d: 2 local devices, must be 4; rank \d: 4 devices in all, must be 4 x 2 workers = 8$", last_line(log)), last_line(log)
        assert steps(log) == []

    def test_A9_the_same_hang_again_ends_the_run_names_the_host_and_leaves_nothing(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(V5P_2X2X2, "hangs", ["steps=10", "checkpoint_period=2"], workers=2, options={"step-timeout": 15}, faults="hang:4")
        run.wait_for(r"completed step: 3,")
        assert train_workers()
        code, log = run.end()
        assert code == 47, log
        assert re.search(
            r"\(no-step, exit code 47\): no step for 15 s after step 3: training hangs on 1 slice\(s\), 2 devices; "
            r".*rank 1 \(slice v5p-16-0, worker \d, [^)]*\) is in threading\.py:\d+ in wait.*; a restart did not help$",
            last_line(log),
        ), last_line(log)
        assert summary(log)["restarts"] == "1"
        # Where every worker stood, in the log before the end.
        assert "most recent call first" in log and "faults.py" in log
        wait(lambda: not train_workers(), "end of the hanging workers", lambda: str(train_workers()))

    def test_A9_a_hang_that_a_restart_heals(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(
            V5P_2X2X2, "hangs-once", ["steps=8", "checkpoint_period=1"], workers=2, options={"step-timeout": 15},
            faults=f"hang-once:4:{slices.folder}/hung",
        )  # fmt: skip
        code, log = run.end()
        assert code == 0, log
        assert "ending its workers, so that the group starts again" in log
        assert (summary(log)["restarts"], summary(log)["last_step"]) == ("1", "7")

    def test_A9_a_hang_without_a_restart_left_is_told_as_one(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(
            V5P_2X2X2, "hangs-last", ["steps=8"], workers=2, options={"step-timeout": 15, "max-failures": 0}, faults="hang:4"
        )
        code, log = run.end()
        assert code == 47, log
        assert "no step for 15 s after step 3" in last_line(log) and last_line(log).endswith("; no restart is left")

    def test_A7_an_announced_preemption_with_a_checkpoint_spends_no_restart(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(
            V5P_2X2X2, "announced", ["steps=100000", "checkpoint_period=100000"], workers=2,
            options={"max-failures": 0, "checkpoint-on-preemption": ""}, faults="pace:0.2",
        )  # fmt: skip
        run.wait_for(r"completed step: 3,")
        slices.drain_host(V5P_2X2X2, 0, 1, 300)
        run.wait_for(r"saved a checkpoint at step [1-9]")
        # No other slice is there, so the next group waits for the hosts, which is not the end of the run.
        for worker in range(V5P_2X2X2.hosts):
            slices.lose_host(V5P_2X2X2, 0, worker)
        slices.have(V5P_2X2X2, 1)
        resumed = int(run.wait_for(r"restoring from this run's directory step (\d+)")[1])
        run.wait_for(rf"completed step: {resumed + 2},")
        stop(slices, run)

    def test_A8_an_announced_preemption_waits_for_the_start_deadline(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        run = slices.start(
            V5P_2X2X2, "drained", ["steps=100000", "checkpoint_period=1"], workers=2,
            options={"max-failures": 0, "step-timeout": 10, "start-deadline": 45}, faults="pace:0.2",
        )  # fmt: skip
        run.wait_for(r"completed step: 3,")
        slices.drain_host(V5P_2X2X2, 0, 1, 5)
        code, log = run.end()
        for worker in range(V5P_2X2X2.hosts):
            slices.lose_host(V5P_2X2X2, 0, worker)
        assert code == 45, log
        assert "no completed step within 45 s of the restart" in last_line(log), last_line(log)

    def test_a_group_that_can_never_start_ends_by_its_deadline(self, slices: Slices):
        run = slices.start(V5P_2X2X2, "never", ["steps=10"], workers=4, options={"start-deadline": 15})
        code, log = run.end()
        assert code == 45, log
        assert "start-deadline, exit code 45): no completed step within 15 s of the start: no worker group was started" in last_line(log)

    def test_a_group_that_can_never_start_ends_by_its_attempts(self, slices: Slices):
        run = slices.start(
            V5P_2X2X2, "attempts", ["steps=10"], workers=4, options={"group-start-timeout": 3, "controller-failure-limit": 1}
        )
        code, log = run.end()
        assert code == 46, log
        assert "start-retries-spent, exit code 46): the worker group could not be started, 1 further attempts are spent" in last_line(log)

    def test_two_hosts_with_one_worker_id(self, slices: Slices):
        slices.have(V5P_2X2X2, 1)
        for worker in range(V5P_2X2X2.hosts):
            slices.lose_host(V5P_2X2X2, 0, worker)
        slices.add_host(V5P_2X2X2, 1, 0)
        slices.add_host(V5P_2X2X2, 1, 1, worker_id=0)
        run = slices.start(V5P_2X2X2, "twins", ["steps=10"], workers=2)
        code, log = run.end()
        assert code == 44, log
        assert "wrong-hardware, exit code 44): slice v5p-16-1: TPU_WORKER_ID 0 is on ranks 0, 1, must be unique in a slice" in last_line(log)


class TestLargeSlices:
    def test_single_slice_of_four_hosts(self, slices: Slices):
        slices.have(V6E_4X4, 1)
        run = slices.start(V6E_4X4, "single", ["steps=5", "ici_tensor_parallelism=2"], workers=4)
        code, log = run.end()
        assert code == 0, log
        began = workers_began(log, 4)
        assert sorted(re.findall(r"TPU_WORKER_ID (\d)", " ".join(began))) == ["0", "1", "2", "3"]
        assert "slice 0 of" not in " ".join(began), "a single slice must have no MEGASCALE_NUM_SLICES"
        figures = summary(log)
        assert (figures["last_step"], figures["steps"], figures["slices"], figures["devices"]) == ("4", "5", "1", "4")
        assert all(float(figures[name]) > 0 for name in ("steps_per_second", "tokens_per_second"))

    def test_two_slices_of_four_hosts(self, slices: Slices):
        slices.have(V6E_4X4, 2)
        run = slices.start(V6E_4X4, "double", ["steps=5"], workers=8)
        code, log = run.end()
        assert code == 0, log
        began = workers_began(log, 8)
        assert sorted(re.findall(r"slice (\d of \d)", " ".join(began))) == ["0 of 2"] * 4 + ["1 of 2"] * 4
        assert (summary(log)["slices"], summary(log)["devices"]) == ("2", "8")

    def test_a_lost_host_shrinks_an_elastic_run_and_its_return_grows_it(self, slices: Slices):
        run = slices.start(
            V6E_4X4, "elastic", ["steps=100000", "checkpoint_period=5"], workers=(4, 8),
            options={"group-start-timeout": 20}, faults="pace:0.2",
        )  # fmt: skip
        # Steady stepping on two slices, well past the first checkpoints.
        run.wait_for(r"completed step: 12,")
        assert len(workers_began(run.log, 8)) == 8
        slices.lose_host(V6E_4X4, 1, 2)
        run.wait_for(r"worker of 4, rank 3")
        resumed = int(run.wait_for(r"restoring from this run's directory step (\d+)")[1])
        run.wait_for(rf"completed step: {resumed + 6},")
        log = run.log
        before, after = log.split("worker of 4, rank", 1)
        assert resumed % 5 == 0 and resumed >= 10
        assert f"saved a checkpoint at step {resumed}" in before
        assert steps(after)[0] == resumed + 1
        survivors = " ".join(workers_began(log, 4))
        assert len(workers_began(log, 4)) == 4 and "slice 0 of" not in survivors, "a survivor still has MEGASCALE_NUM_SLICES"
        # The slice comes back.
        slices.add_host(V6E_4X4, 1, 2)
        wait(lambda: len(workers_began(run.log, 8)) == 16, "a second group of 8 workers", lambda: run.log[-6000:])
        grown = wait(lambda: re.findall(r"restoring from this run's directory step (\d+)", run.log)[1:], "a restored checkpoint", lambda: run.log[-6000:])
        run.wait_for(rf"completed step: {int(grown[0]) + 6},")
        assert int(grown[0]) > resumed
        assert sorted(re.findall(r"slice (\d of \d)", " ".join(workers_began(run.log, 8)[8:]))) == ["0 of 2"] * 4 + ["1 of 2"] * 4
        # The agents of Ray report figures every few seconds.
        for name in ("tpu_train_restarts", "tpu_train_slices"):
            wait(lambda name=name: slices.metrics().get((name, "elastic")) == 2, f"{name} of 2", lambda: str(slices.metrics()))
        assert metric(slices, "tpu_train_restart_seconds", "elastic") > 0
        stop(slices, run)


def stop(slices: Slices, run: Run) -> None:
    slices.client.stop_job(run.identity)
    run.end()


def metric(slices: Slices, name: str, run: str) -> float:
    """A figure of a run as Prometheus would read it from the head."""
    return wait(lambda: slices.metrics().get((name, run)), f"metric {name} of {run}", lambda: str(slices.metrics()))
