"""Submits a run to a Ray cluster, follows it and ends with an exit code that tells the truth.

    python3 -m tpu_trainers.submit --address http://HEAD:8265 --run NAME --submission-id ID … -- ENTRYPOINT…

Needs Python 3.11 and its standard library. Phases, options and exit codes: docs/submitter.md.
"""

import sys
import time
import traceback
from collections.abc import Sequence

from tpu_trainers import (
    __version__,
    submit_arguments,
    submit_clock,
    submit_cluster,
    submit_current,
    submit_exit_codes,
    submit_finish,
    submit_follow,
    submit_http,
    submit_interruption,
    submit_output,
    submit_ray,
    submit_session,
    submit_slices,
    submit_sources,
    submit_start,
    submit_stop,
)

# The part of --stop-deadline in which an id that is unknown may still turn up from a submission whose answer was not seen.
ON_ITS_WAY_SHARE = 0.25


class Submitter:
    def __init__(self, session: submit_session.Session) -> None:
        self._session = session
        self._arguments = session.arguments
        self._sources: submit_sources.Sources | None = None
        self._start: submit_start.Start | None = None
        self._follow: submit_follow.Follow | None = None
        self._followed = False

    def run(self) -> submit_exit_codes.Ended:
        """Returns how it ended; never raises an Exception."""
        try:
            return self._start_and_follow()
        except submit_interruption.Terminated:
            self._session.interruption.acknowledge()
            return self._terminated()
        except submit_exit_codes.Ended as ended:
            return ended
        except submit_http.WrongCredentials as error:
            return submit_exit_codes.Ended(submit_exit_codes.WRONG_CREDENTIALS, str(error))
        except (submit_ray.Refused, submit_sources.SourcesRefused) as error:
            return submit_exit_codes.Ended(submit_exit_codes.REFUSED, str(error))
        except Exception as error:
            for line in traceback.format_exc().splitlines():
                self._session.output.say(line)
            return submit_exit_codes.Ended(submit_exit_codes.INTERNAL_ERROR, f"{type(error).__name__}: {error}, the run may go on")

    @property
    def followed(self) -> bool:
        """Whether the run was seen in the job table."""
        return self._followed

    @property
    def seen_at_refusal(self) -> submit_cluster.ClusterState | None:
        """The RayCluster when the head first refused the credentials."""
        return None if self._start is None else self._start.seen_at_refusal

    def _start_and_follow(self) -> submit_exit_codes.Ended:
        # Once: a mounted ConfigMap changes under a running pod.
        self._sources = sources = submit_sources.pack(self._arguments.sources)
        self._session.output.say(f"sources: cdk8s-tpu-ray {__version__}, sources {sources.digest} ({sources.files} files)")
        repeats = 0
        while True:
            self._start = submit_start.Start(self._session, sources)
            fresh = self._start.run()
            self._follow = submit_follow.Follow(self._session, sources, fresh, repeats)
            self._followed = True
            try:
                return self._follow.run()
            except submit_follow.Repeat:
                self._followed = False
                repeats += 1
            except submit_follow.Restart:
                pass
            self._follow = None

    def _terminated(self) -> submit_exit_codes.Ended:
        name = self._session.interruption.signal_name
        arguments = self._arguments
        on_its_way = self._start is not None and self._start.submitting
        if self._follow is None and not on_its_way:
            return submit_exit_codes.Ended(submit_exit_codes.DETACHED, f"{name} before anything was submitted")
        if arguments.on_sigterm == "detach":
            state = "the submission may have arrived" if self._follow is None else "the run goes on"
            return submit_exit_codes.Ended(submit_exit_codes.DETACHED, f"{name}: {state} and is left alone")
        self._session.output.say(f"stop: {name}, stopping {arguments.submission_id}")
        try:
            job = submit_stop.stop_and_wait(
                self._session, arguments.submission_id, ON_ITS_WAY_SHARE * arguments.stop_deadline if on_its_way else 0.0
            )
        except submit_stop.NotConfirmed as error:
            return submit_exit_codes.Ended(submit_exit_codes.DETACHED, f"{name}: {error}, the run may go on")
        if job is None:
            if self._follow is None:
                return submit_exit_codes.Ended(submit_exit_codes.DETACHED, f"{name}: the submission did not arrive")
            return submit_exit_codes.Ended(submit_exit_codes.LOST, f"{name}: the cluster no longer knows {arguments.submission_id}")
        assert self._sources is not None, "something was submitted"
        follow = self._follow or submit_follow.Follow(self._session, self._sources, True, 0)
        return follow.conclude(job, stopped_by=f"by {name}")


def main(argv: Sequence[str]) -> int:
    """Runs the submitter with the arguments after the program's name and returns its exit code."""
    began = time.monotonic()
    output = submit_output.Output()
    interruption = submit_interruption.Interruption()
    try:
        arguments = submit_arguments.parse(argv)
    except submit_arguments.ArgumentsRefused as refused:
        for problem in refused.problems:
            output.say(f"arguments: {problem}")
        count = len(refused.problems)
        ended = submit_exit_codes.Ended(submit_exit_codes.REFUSED, f"{count} problem{'' if count == 1 else 's'} in the arguments")
        if refused.arguments is not None:
            interruption.install()
            ended = _finish(refused.arguments, _current(refused.arguments), output, interruption, ended, None)
        return _close(output, ended, "-", "-", began)
    interruption.install()
    current = _current(arguments)
    head = _head(arguments)
    slices = submit_slices.SliceWatch(arguments, head, output)
    session = submit_session.Session(arguments, head, output, interruption, current, submit_clock.RunClock(), slices)
    submitter = Submitter(session)
    ended = submitter.run()
    ended = _finish(arguments, current, output, interruption, ended, submitter)
    return _close(output, ended, arguments.run, arguments.submission_id, began)


def _head(arguments: submit_arguments.Arguments) -> submit_ray.RayApi:
    return submit_ray.RayApi(submit_http.Connection(arguments.address, arguments.auth_token_file, arguments.request_timeout))


def _current(arguments: submit_arguments.Arguments) -> submit_current.Current:
    return submit_current.Current(arguments.current, arguments.submission_id, arguments.current_delay)


def _finish(
    arguments: submit_arguments.Arguments,
    current: submit_current.Current,
    output: submit_output.Output,
    interruption: submit_interruption.Interruption,
    ended: submit_exit_codes.Ended,
    submitter: Submitter | None,
) -> submit_exit_codes.Ended:
    """What --on-finish says about the RayCluster; whatever comes of it, what is known about the run stands."""
    try:
        ended = submit_finish.Finish(arguments, _head(arguments), output, current).run(
            ended, submitter is not None and submitter.followed, None if submitter is None else submitter.seen_at_refusal
        )
    except Exception as error:
        output.say(f"finish: {type(error).__name__}: {error}, check that RayCluster {arguments.namespace}/{arguments.cluster} is gone")
    except submit_interruption.Terminated:
        output.say(f"finish: cut short by {interruption.signal_name}, check that RayCluster {arguments.namespace}/{arguments.cluster} is gone")
    interruption.ignore()
    return ended


def _close(output: submit_output.Output, ended: submit_exit_codes.Ended, run: str, submission_id: str, began: float) -> int:
    seconds = time.monotonic() - began if ended.run_seconds is None else ended.run_seconds
    outcome = ended.outcome
    output.close(
        f"verdict={outcome.name} run={run} submission={submission_id} duration={seconds:.0f}s exit={outcome.code} reason={ended.reason}"
    )
    return outcome.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
