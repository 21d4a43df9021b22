"""Follows an accepted run to its end: log, status, deadline, verdict."""

import signal
import time

from tpu_trainers import (
    submit_exit_codes,
    submit_http,
    submit_interruption,
    submit_logs,
    submit_ray,
    submit_session,
    submit_sources,
    submit_start,
    submit_stop,
)

# A followed run that goes on is worth a line less often than something that is waited for.
RUNNING_HEARTBEAT_FACTOR = 10.0
# How often a submission may be repeated because the cluster lost its sources before the run began.
MAX_REPEATS = 3
MESSAGE_LINES = 50


class Repeat(Exception):
    """The submission was taken back before the run began; start again."""


class Restart(Exception):
    """The head forgot the run or is gone, and only this process knows how much of the run's deadline is left: start it again from here."""


class Follow:
    """``fresh`` says that this submitter submitted the run itself, ``repeats`` how often it did so again."""

    def __init__(self, session: submit_session.Session, sources: submit_sources.Sources, fresh: bool, repeats: int) -> None:
        self._session = session
        self._arguments = session.arguments
        self._sources = sources
        self._repeats = repeats
        self._rival_check_due = fresh
        # Until then a newer version may have been applied before the submission, unseen.
        self._going_back = False
        self._may_be_older = submit_session.Deadline(session.current.delay if fresh else 0.0)
        self._progress = session.progress(RUNNING_HEARTBEAT_FACTOR)
        self._log = submit_logs.LogFollower(session.api, session.arguments.submission_id, session.output)
        self._session_name = ""
        self._silent_since: float | None = None

    def run(self) -> submit_exit_codes.Ended:
        """Returns the verdict after the rest of the log was written. Raises Repeat and Restart."""
        try:
            return self._watch()
        finally:
            self._log.stop()

    def _watch(self) -> submit_exit_codes.Ended:
        while True:
            try:
                if not self._session_name:
                    self._session_name = self._session.api.version().session
                job = self._session.api.job(self._arguments.submission_id)
                if job is not None and job.active and self._rival_check_due:
                    self._yield_to_rival(job)
                    self._rival_check_due = False
            except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused) as problem:
                ended = self._without_answer(problem)
            else:
                self._with_answer()
                ended = self._lost() if job is None else self._step(job)
            if ended is not None:
                return ended
            self._session.pause()

    def _without_answer(self, problem: Exception) -> submit_exit_codes.Ended | None:
        now = time.monotonic()
        if self._silent_since is None:
            self._silent_since = now
        if now - self._silent_since >= self._arguments.reconnect_deadline:
            return self._given_up(problem)
        self._progress.report("follow", f"no usable answer ({problem}), the run may go on")
        return None

    def _with_answer(self) -> None:
        if self._silent_since is not None:
            self._session.output.say(f"follow: the head answers again after {time.monotonic() - self._silent_since:.0f} s")
            self._silent_since = None

    def _step(self, job: submit_ray.Job) -> submit_exit_codes.Ended | None:
        if job.driver_node_id is not None and not self._log.started:
            self._log.start(job.driver_node_id)
        elapsed = self._session.clock.look(job)
        if job.active:
            self._yield_to_newer(job)
        if job.terminal:
            self._repeat_without_sources(job)
            return self.conclude(job)
        self._session.slices.look_now_and_then()
        self._progress.report("follow", f"{job.submission_id} is {job.status}{self._session.slices.lost}")
        limit = self._arguments.run_deadline
        if limit is not None and job.start_time is not None and elapsed >= limit:
            return self._stop_at_deadline()
        return None

    def conclude(self, job: submit_ray.Job, stopped_by: str = "on request") -> submit_exit_codes.Ended:
        """The verdict over an ended job, after the rest of its log."""
        self._drain(job)
        self._session.output.say(f"outcome: {job.submission_id} was submitted by {job.origin}")
        seconds = None
        if job.start_time is not None and job.end_time is not None:
            seconds = job.end_time - job.start_time
        if job.status == "SUCCEEDED":
            return submit_exit_codes.Ended(submit_exit_codes.SUCCEEDED, "the run's command ended with exit code 0", True, seconds)
        newer = self._session.current.newer()
        if job.status == "STOPPED" and newer is not None:
            return submit_exit_codes.Ended(submit_exit_codes.SUPERSEDED, f"the run was stopped and {newer} was applied since", True, seconds)
        if job.status == "STOPPED":
            return submit_exit_codes.Ended(submit_exit_codes.STOPPED, f"the run was stopped {stopped_by}", True, seconds)
        reason = failure(job) + self._session.slices.lost
        return submit_exit_codes.Ended(submit_exit_codes.FAILED, reason, True, seconds)

    def _drain(self, job: submit_ray.Job) -> None:
        self._log.stop()
        arguments = self._arguments
        try:
            node_id = job.driver_node_id or self._head_node_id()
            problem = (
                "the driver's node is not known"
                if node_id is None
                else self._log.drain(node_id, arguments.drain_deadline if job.driver_node_id else 0.0, arguments.poll_interval)
            )
        except submit_interruption.Terminated:
            # The verdict is known; only the rest of the log is given up.
            self._session.interruption.acknowledge()
            problem = f"cut short by {self._session.interruption.signal_name}"
        if problem is None:
            return
        self._session.output.say(f"log: not read to its end: {problem}")
        for line in job.message.splitlines()[-MESSAGE_LINES:]:
            self._session.output.say(f"message: {line}")

    def _head_node_id(self) -> str | None:
        # A job that failed before its driver started has no node; what Ray wrote about it lies on the head.
        try:
            nodes = self._session.api.nodes()
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused):
            return None
        return next((str(node.get("node_id")) for node in nodes if node.get("is_head_node") and node.get("state") == "ALIVE"), None)

    def _lost(self) -> submit_exit_codes.Ended:
        try:
            session = self._session.api.version().session
        except (submit_http.Unusable, submit_http.WrongCredentials):
            session = self._session_name
        cause = "its entry was deleted"
        if session != self._session_name:
            cause = f"the head was started anew without its state ({self._session_name} became {session})"
        reason = f"the cluster no longer knows {self._arguments.submission_id}: {cause}"
        if session != self._session_name:
            self._restart(reason)
        return submit_exit_codes.Ended(submit_exit_codes.LOST, reason)

    def _restart(self, reason: str) -> None:
        """With a deadline for the run, the next pod must not do it: it would count from the beginning."""
        limit = self._arguments.run_deadline
        if limit is not None:
            elapsed = self._session.clock.elapsed
            self._session.output.say(f"follow: {reason}; {elapsed:.0f} of {limit:g} s are used, starting the run again")
            raise Restart

    def _given_up(self, problem: Exception) -> submit_exit_codes.Ended:
        if isinstance(problem, submit_http.WrongCredentials):
            return submit_exit_codes.Ended(submit_exit_codes.WRONG_CREDENTIALS, f"the run may go on: {problem}")
        silence = f"no usable answer from {self._arguments.address} for {self._arguments.reconnect_deadline:g} s (last: {problem})"
        self._restart(silence)
        return submit_exit_codes.Ended(submit_exit_codes.LOST, f"{silence}, the run may go on")

    def _stop_at_deadline(self) -> submit_exit_codes.Ended:
        limit = f"the run went on for more than {self._arguments.run_deadline:g} s{self._session.slices.lost}"
        self._session.output.say(f"follow: {limit}, stopping it")
        try:
            job = submit_stop.stop_and_wait(self._session, self._arguments.submission_id)
        except submit_stop.NotConfirmed as error:
            return submit_exit_codes.Ended(submit_exit_codes.DEADLINE_EXCEEDED, f"{limit}; {error}")
        if job is None:
            return self._lost()
        verdict = self.conclude(job)
        if job.status != "STOPPED":
            return verdict
        return submit_exit_codes.Ended(submit_exit_codes.DEADLINE_EXCEEDED, f"{limit} and was stopped", True, verdict.run_seconds)

    def _yield_to_newer(self, job: submit_ray.Job) -> None:
        """Takes back what was submitted while the newer version was applied. A run that was up before that is nobody's to stop unasked."""
        newer = self._session.current.newer()
        if newer is None or (self._may_be_older.passed and not self._going_back):
            return
        self._going_back = True
        self._session.output.say(f"current: {newer} was applied when {job.submission_id} had just been submitted, taking it back")
        try:
            self._take_back()
        except Repeat:
            reason = f"{newer} was applied since, and the submission was taken back"
            raise submit_exit_codes.Ended(submit_exit_codes.SUPERSEDED, reason) from None
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused) as error:
            # Looked at again with the next answer.
            self._session.output.say(f"current: not taken back yet ({error})")

    def _yield_to_rival(self, job: submit_ray.Job) -> None:
        """Two submitters may have found nobody active at the same moment; the later of two submissions goes back."""
        rival = submit_start.active_rival(self._session)
        if rival is None or submit_start.precedence(job) < submit_start.precedence(rival):
            return
        self._session.output.say(f"active run: {rival.submission_id} was submitted before {job.submission_id}, going back")
        self._take_back()

    def _repeat_without_sources(self, job: submit_ray.Job) -> None:
        """A restarted head may have lost the sources between upload and start: no command ran, so it may be submitted again."""
        if job.error_type != "RUNTIME_ENV_SETUP_FAILURE" or job.driver_node_id is not None or self._repeats >= MAX_REPEATS:
            return
        try:
            if self._session.api.has_package(self._sources.package):
                return
            self._session.output.say(f"sources: {self._sources.uri} was lost before the run began, submitting again")
            self._take_back()
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused) as error:
            self._session.output.say(f"sources: cannot submit again ({error})")

    def _take_back(self) -> None:
        self._log.stop()
        try:
            submit_stop.stop_and_wait(self._session, self._arguments.submission_id)
        except submit_stop.NotConfirmed as error:
            raise submit_http.Unusable(str(error)) from None
        self._session.api.delete(self._arguments.submission_id)
        raise Repeat


def failure(job: submit_ray.Job) -> str:
    """Why a job failed, on one line."""
    code = job.driver_exit_code
    if code is None:
        lines = [line for line in job.message.splitlines() if line.strip()]
        cause = submit_http.excerpt(lines[-1]) if lines else "no message"
        return f"{job.error_type or 'no error type'}: {cause}"
    # Ray reports a killed command as -9 or, where a shell was between, as 137.
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if number in {int(known) for known in signal.Signals}:
        name = signal.Signals(number).name
        remark = " (killed: out of memory, or by hand)" if name == "SIGKILL" else ""
        return f"the run's command was ended by {name}{remark}, exit code {128 + number}"
    return f"the run's command ended with exit code {code}"
