import pytest

from tpu_trainers import train_metrics, train_outcome
from tpu_trainers.train_progress import Limits, Progress, Step, describe

LIMITS = Limits(start_deadline=100, step_timeout=60)


def started(at=0.0, workers=4, slices=1):
    progress = Progress(LIMITS, at)
    enter(progress, at, "a", workers, slices)
    return progress


def enter(progress, now, attempt, workers=4, slices=1):
    for rank in range(workers):
        progress.enter(now, attempt, rank, workers, slices, workers * 4)


def step(progress, now, attempt, number, seconds=1.0):
    progress.step(now, attempt, Step(number, seconds, 10.0, 100.0, 5.0 - number))


class TestVerdict:
    def test_no_worker_group(self):
        progress = Progress(LIMITS, 0)
        assert progress.verdict(100) is None
        outcome, reason = progress.verdict(101)
        assert outcome is train_outcome.START_DEADLINE
        assert reason.startswith("no completed step within 1.66667 minutes of the start: no worker group was started")

    def test_some_workers_did_not_begin(self):
        progress = Progress(LIMITS, 0)
        for rank in (0, 2):
            progress.enter(5, "a", rank, 4, 1, 16)
        assert "2 of 4 workers began; ranks 1, 3 did not" in progress.verdict(101)[1]

    def test_the_first_step_does_not_end(self):
        assert "all 4 workers began, but compilation, restoring or the first step did not end" in started().verdict(101)[1]

    def test_hang_between_steps(self):
        progress = started()
        step(progress, 50, "a", 0)
        assert progress.verdict(110) is None
        assert progress.verdict(111) == (
            train_outcome.NO_STEP,
            "no step for 1 minutes after step 0: training hangs on 1 slice(s), 16 devices",
        )

    def test_the_start_deadline_begins_again_at_a_loss(self):
        progress = started()
        step(progress, 90, "a", 0)
        progress.fail(100, "lost the worker of rank 3")
        assert progress.verdict(199) is None
        outcome, reason = progress.verdict(201)
        assert outcome is train_outcome.START_DEADLINE
        assert "of the restart: no worker group came back after: lost the worker of rank 3" in reason

    def test_groups_that_fail_before_a_step_do_not_move_the_deadline(self):
        progress = started()
        for now in (20, 40, 60, 80):
            progress.fail(now, "raised")
            enter(progress, now + 5, f"again-{now}")
        assert progress.verdict(101) is not None

    def test_a_step_of_an_earlier_group_counts_for_nothing(self):
        progress = started()
        step(progress, 10, "a", 0)
        enter(progress, 20, "b")
        step(progress, 21, "a", 1)
        assert progress.highest == 0
        assert progress.verdict(121) is not None


class TestSummary:
    def test_rates(self):
        progress = started()
        step(progress, 9.5, "a", 0, seconds=8)
        for number in range(1, 4):
            step(progress, 9.5 + number * 0.5, "a", number, seconds=0.5)
        summary = progress.summary(20)
        assert (summary.last_step, summary.steps, summary.restarts) == (3, 4, 0)
        assert summary.steps_per_second == pytest.approx(2.0)
        assert summary.tokens_per_second == pytest.approx(1600.0)
        assert summary.tflops_per_device == pytest.approx(10.0)
        assert summary.seconds_lost_to_restarts == 0
        assert summary.seconds_total == 20

    def test_time_lost_counts_waiting_and_repeated_steps(self):
        progress = started()
        for number in range(6):
            step(progress, 10 + number, "a", number)
        progress.fail(16, "lost")
        enter(progress, 40, "b", workers=2)
        # Restored from step 3: 4 and 5 are repeated, 6 is new.
        for number in (4, 5, 6):
            step(progress, 46 + number, "b", number)
        summary = progress.summary(60)
        assert summary.restarts == 1
        # From the end of step 5 at 15 to the end of step 6 at 52, less the second that step 6 takes anyway.
        assert summary.seconds_lost_to_restarts == pytest.approx(36)

    def test_an_open_gap_counts_so_far(self):
        progress = started()
        step(progress, 10, "a", 0)
        progress.fail(12, "lost")
        assert progress.summary(30).seconds_lost_to_restarts == pytest.approx(20)

    def test_growth_is_a_restart_without_a_failure(self):
        progress = started()
        step(progress, 10, "a", 0)
        enter(progress, 30, "b", workers=8, slices=2)
        step(progress, 35, "b", 1)
        summary = progress.summary(40)
        assert (summary.restarts, summary.slices, summary.devices) == (1, 2, 32)
        assert summary.seconds_lost_to_restarts == pytest.approx(24)

    def test_line(self):
        progress = started()
        step(progress, 9, "a", 0)
        step(progress, 10, "a", 1)
        assert describe("r", train_outcome.FINISHED, progress.summary(12)) == (
            "summary run=r outcome=finished exit_code=0 steps_asked=none last_step=1 steps=2 restarts=0 slices=1 devices=16 steps_per_second=1 "
            "tokens_per_second=1600 tflops_per_device=10 loss=4 seconds_lost_to_restarts=0 seconds_total=12"
        )

    def test_line_before_the_first_step(self):
        line = describe("r", train_outcome.START_DEADLINE, Progress(LIMITS, 0).summary(3))
        assert "last_step=none" in line and "steps_per_second=none" in line

    def test_metrics_leave_out_what_has_no_value(self):
        assert set(train_metrics.values(Progress(LIMITS, 0).summary(3))) == {
            "tpu_train_slices",
            "tpu_train_restarts",
            "tpu_train_restart_seconds",
        }
        progress = started()
        step(progress, 10, "a", 0)
        step(progress, 11, "a", 1)
        assert set(train_metrics.values(progress.summary(12))) == set(train_metrics.GAUGES)
