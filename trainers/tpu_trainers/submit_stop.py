"""Stops a run and waits until the job table confirms it."""

from tpu_trainers import submit_http, submit_ray, submit_session


class NotConfirmed(Exception):
    """The stop may or may not have happened; the message says what was seen last."""


def stop_and_wait(session: submit_session.Session, submission_id: str, unknown_grace: float = 0.0) -> submit_ray.Job | None:
    """Stops an active job within ``--stop-deadline`` and returns its final row, None for a job that does not exist.

    For ``unknown_grace`` seconds an unknown id is looked up again, since a submission may be on its way. Raises NotConfirmed.
    """
    deadline = submit_session.Deadline(session.arguments.stop_deadline)
    grace = submit_session.Deadline(unknown_grace)
    seen = "nothing"
    while True:
        try:
            job = session.api.job(submission_id)
            if job is None and grace.passed:
                return None
            if job is not None and job.terminal:
                return job
            if job is not None:
                seen = f"status {job.status}"
                session.api.stop(submission_id)
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused) as error:
            seen = str(error)
        if deadline.passed:
            raise NotConfirmed(f"the stop of {submission_id} was not confirmed within {deadline.seconds:g} s (last seen: {seen})")
        session.pause()
