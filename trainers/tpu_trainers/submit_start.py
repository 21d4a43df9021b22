"""From nothing to a run that the cluster has accepted: dashboard, claim, slices, sources, submission."""

import math
import time

from tpu_trainers import (
    submit_cluster,
    submit_exit_codes,
    submit_http,
    submit_ray,
    submit_session,
    submit_sources,
    submit_stop,
)


class Start:
    """Starts the run under its fixed id, or attaches to it when the id is known.

    Each phase may be interrupted by a head that stops answering; then everything begins again with the dashboard, within one start deadline.
    ``submitting`` is true while a submission may be on its way whose answer was not seen.
    """

    def __init__(self, session: submit_session.Session, sources: submit_sources.Sources) -> None:
        self._session = session
        self._arguments = session.arguments
        self._sources = sources
        self._deadline = submit_session.Deadline(session.arguments.start_deadline)
        self._progress = session.progress()
        self._phase = "dashboard"
        self._refused_since = self._refused_last = -math.inf
        self.submitting = False
        # The RayCluster when the head first refused the credentials.
        self.seen_at_refusal: submit_cluster.ClusterState | None = None

    def run(self) -> bool:
        """Returns true when the run was submitted here, false when it was known before.

        Raises Ended for every other outcome, WrongCredentials and Refused.
        """
        while True:
            try:
                self._wait_for_dashboard()
                return self._start()
            except submit_http.WrongCredentials as error:
                self._wait_for_credentials(error)
            except submit_http.Unusable as error:
                if self._deadline.passed:
                    raise self._never_came(f"{self._phase}: {error}") from None
                self._progress.report(self._phase, f"no usable answer ({error}), trying again")
            self._session.pause()

    def _start(self) -> bool:
        arguments = self._arguments
        api = self._session.api
        self._phase = "lookup"
        job = api.job(arguments.submission_id)
        if job is not None:
            # Known after a submission without an answer: it was accepted.
            submitted_here = self.submitting
            self.submitting = False
            self._session.output.say(f"lookup: {arguments.submission_id} is known with status {job.status}, attaching")
            if job.sources != self._sources.digest:
                self._session.output.say(f"lookup: it keeps what it was submitted with: {job.origin}")
            return submitted_here
        self._claim()
        self._wait_for_slices()
        # Hours may have passed.
        self._claim()
        self._provide_sources()
        self._wait_to_be_current()
        self._phase = "submit"
        self.submitting = True
        fresh = api.submit(
            arguments.submission_id,
            arguments.run,
            arguments.entrypoint,
            self._sources.uri,
            self._sources.digest,
            self._session.clock.elapsed,
        )
        self.submitting = False
        if fresh:
            self._session.output.say(f"submit: {arguments.submission_id} accepted: {arguments.entrypoint}")
        else:
            self._session.output.say(f"submit: {arguments.submission_id} is known already, attaching")
        return fresh

    def _wait_for_dashboard(self) -> None:
        self._phase = "dashboard"
        while True:
            self._session.current.go_on()
            try:
                version = self._session.api.version()
            except submit_http.Unusable as error:
                if self._deadline.passed:
                    raise self._never_came(str(error)) from None
                self._progress.report("dashboard", f"waiting for {self._arguments.address} ({error})")
                self._session.pause()
            else:
                self._progress.report("dashboard", f"Ray {version.ray} at {self._arguments.address}, {version.session}")
                return

    def _never_came(self, detail: str) -> submit_exit_codes.Ended:
        return submit_exit_codes.Ended(
            submit_exit_codes.DASHBOARD_NEVER_CAME,
            f"no usable answer from {self._arguments.address} within {self._deadline.seconds:g} s (last: {detail})",
        )

    def _wait_for_credentials(self, error: submit_http.WrongCredentials) -> None:
        """Tokens are renewed on both sides, not at the same moment: only a refusal that lasts is final."""
        now = time.monotonic()
        if now - self._refused_last > self._arguments.refusal_deadline:
            self._refused_since = now
            self.seen_at_refusal = self._ray_cluster_state()
        self._refused_last = now
        if now - self._refused_since >= self._arguments.refusal_deadline:
            raise error
        self._progress.report(self._phase, f"the head refuses the credentials ({error}), trying again")

    def _ray_cluster_state(self) -> submit_cluster.ClusterState | None:
        if self._arguments.on_finish != "delete-cluster":
            return None
        try:
            return submit_session.ray_cluster(self._arguments).read()
        except (submit_cluster.Unreadable, submit_cluster.NotDeleted):
            return None

    def _wait_to_be_current(self) -> None:
        """Returns when no newer version of the run is applied, as far as can be told. Raises Ended when one is."""
        self._phase = "current"
        while newer := self._session.current.go_on():
            text = f"{newer} was applied last, by a file that may lag {self._session.current.delay:g} s behind: nothing is submitted meanwhile"
            self._progress.report("current", text)
            self._session.pause()

    def _claim(self) -> None:
        """Returns when no other run of the name is active, after what ``--on-active-run`` says."""
        self._phase = "active run"
        policy = self._arguments.on_active_run
        waiting = submit_session.Deadline(self._arguments.active_run_deadline)
        began = time.monotonic()
        while other := active_rival(self._session):
            self._session.current.go_on()
            found = f"run {self._arguments.run} is active as {other.submission_id} with status {other.status}"
            if policy == "fail" and self._may_be_taken_back(other):
                text = f"{found} since {other.age:.0f} s; if it is an older version, its submitter takes it back: waiting for that"
                self._progress.report("active run", text)
                self._session.pause()
                continue
            if policy == "fail":
                raise submit_exit_codes.Ended(
                    submit_exit_codes.ANOTHER_RUN_ACTIVE, f"{found}: wait for it, stop it, or choose --on-active-run wait or replace"
                )
            if policy == "replace":
                self._session.output.say(f"active run: {found}, stopping it")
                try:
                    submit_stop.stop_and_wait(self._session, other.submission_id)
                except submit_stop.NotConfirmed as error:
                    raise submit_exit_codes.Ended(submit_exit_codes.ANOTHER_RUN_ACTIVE, str(error)) from None
                continue
            if waiting.passed:
                raise submit_exit_codes.Ended(
                    submit_exit_codes.ANOTHER_RUN_ACTIVE, f"{found}, still after {waiting.seconds:g} s of waiting"
                )
            self._progress.report("active run", f"{found}, waiting for its end")
            self._session.pause()
        if policy == "wait":
            # The start deadline is about this run's own cluster, not about the time another run takes.
            self._deadline.extend(time.monotonic() - began)

    def _may_be_taken_back(self, other: submit_ray.Job) -> bool:
        """Whether a submitter of an older version may not have known yet, when it submitted, that this one was applied."""
        window = self._session.current.delay + self._arguments.stop_deadline
        return self._session.current.known and other.age is not None and other.age < window

    def _wait_for_slices(self) -> None:
        self._phase = "slices"
        while True:
            self._session.current.go_on()
            state = self._session.slices.look()
            self._progress.report("slices", state.summary)
            if state.complete:
                return
            if self._deadline.passed:
                raise submit_exit_codes.Ended(
                    submit_exit_codes.SLICES_NEVER_COMPLETE, f"after {self._deadline.seconds:g} s {state.summary}"
                )
            self._session.pause()

    def _provide_sources(self) -> None:
        self._phase = "sources"
        sources = self._sources
        size = f"{sources.files} files, {len(sources.archive)} bytes"
        if self._session.api.has_package(sources.package):
            self._progress.report("sources", f"{sources.uri} is there ({size})")
            return
        self._session.api.upload_package(sources.package, sources.archive)
        self._session.output.say(f"sources: {sources.uri} uploaded ({size})")


def active_rival(session: submit_session.Session) -> submit_ray.Job | None:
    """The first other active run of the same name by start time, None when there is none."""
    arguments = session.arguments
    rivals = [
        job for job in session.api.jobs() if job.run == arguments.run and job.active and job.submission_id != arguments.submission_id
    ]
    return min(rivals, key=precedence, default=None)


def precedence(job: submit_ray.Job) -> tuple[float, str]:
    """Of two runs that were submitted at the same time, the smaller one stays."""
    return (job.start_time or 0.0, job.submission_id)
