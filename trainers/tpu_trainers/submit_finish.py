"""What becomes of the RayCluster when a submitter ends with ``--on-finish delete-cluster``.

It goes when the run is over, and when the run never began, so that nothing waits that costs. It stays whenever a run may be active on it.
The table, outcome by outcome, is in docs/submitter.md.
"""

import time
from dataclasses import dataclass

from tpu_trainers import (
    submit_arguments,
    submit_cluster,
    submit_current,
    submit_exit_codes,
    submit_http,
    submit_output,
    submit_ray,
    submit_session,
)

# Outcomes that a submitter can have before its run began. Whether it did begin, only Ray or the operator can say.
BEFORE_THE_BEGINNING = (
    submit_exit_codes.DASHBOARD_NEVER_CAME,
    submit_exit_codes.SLICES_NEVER_COMPLETE,
    submit_exit_codes.REFUSED,
    submit_exit_codes.WRONG_CREDENTIALS,
    submit_exit_codes.INTERNAL_ERROR,
)


class Kept(Exception):
    """The RayCluster stays; the message says why."""


@dataclass(frozen=True)
class Finish:
    """``arguments`` may hold placeholders except where the RayCluster, its head and the Kubernetes API are named."""

    arguments: submit_arguments.Arguments
    api: submit_ray.RayApi
    output: submit_output.Output
    current: submit_current.Current

    def run(
        self, ended: submit_exit_codes.Ended, followed: bool, seen_at_refusal: submit_cluster.ClusterState | None = None
    ) -> submit_exit_codes.Ended:
        """Does what ``--on-finish`` says and returns the verdict.

        ``followed`` says that this submitter saw its run in the job table. ``seen_at_refusal`` is the RayCluster when the head first refused
        the credentials. A verdict that another pod would try to better becomes ``given-up`` once the cluster is gone; every other one stands.
        """
        arguments = self.arguments
        if arguments.on_finish != "delete-cluster":
            return ended
        cluster = submit_session.ray_cluster(arguments)
        never_began = not followed and ended.outcome in BEFORE_THE_BEGINNING
        try:
            superseded = ended.outcome is submit_exit_codes.SUPERSEDED
            newer = self.current.newer() if superseded else self.current.needs_the_cluster()
            if superseded or newer is not None:
                raise Kept(f"{newer or 'a newer version of the run'} was applied since and may wait for it")
            if not ended.run_is_over and not never_began:
                raise Kept("the run is not known to be over")
            uid = None if ended.run_is_over else self._must_be_idle(cluster, ended, seen_at_refusal)
            if ended.run_is_over:
                self._nobody_else_is_active()
            done = self._delete(cluster, uid)
        except Kept as reason:
            self.output.say(f"finish: RayCluster {cluster.name} is kept, since {reason}")
        except (submit_cluster.NotDeleted, submit_cluster.Unreadable) as error:
            self.output.say(f"finish: RayCluster {cluster.name} was not deleted and still costs: {error}")
        else:
            self.output.say(f"finish: {done}")
            if ended.outcome.retry:
                reason = f"{ended.outcome.name}: {ended.reason}; {done}, so nothing is left to try again on"
                return submit_exit_codes.Ended(submit_exit_codes.GIVEN_UP, reason)
        return ended

    def _nobody_else_is_active(self) -> None:
        """Raises Kept when Ray says so. A head that no longer answers is no obstacle: it said that the run is over."""
        try:
            others = [job for job in self._active() if job.submission_id != self.arguments.submission_id]
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused):
            return
        if others:
            raise Kept(f"{others[0].submission_id} is active on it")

    def _must_be_idle(
        self, cluster: submit_cluster.RayCluster, ended: submit_exit_codes.Ended, seen_at_refusal: submit_cluster.ClusterState | None
    ) -> str | None:
        """The uid of a RayCluster on which nothing runs, None where the Kubernetes API did not tell. Raises Kept, NotDeleted and Unreadable."""
        deadline = time.monotonic() + self.arguments.stop_deadline
        while True:
            try:
                active = self._active()
            except submit_http.WrongCredentials:
                return self._idle_behind_a_refusal(seen_at_refusal or cluster.read())
            except (submit_http.Unusable, submit_ray.Refused) as error:
                silence = str(error)
            else:
                if active:
                    raise Kept(f"{active[0].submission_id} is active on it")
                return None
            if time.monotonic() >= deadline:
                break
            time.sleep(self.arguments.poll_interval)
        state = cluster.read()
        if state is not None and state.head_ready:
            # The kubelet reaches the head and this pod does not: it says nothing about what runs there.
            raise Kept(
                f"its head is ready but does not answer here ({silence}), so a run may be active on it; "
                f"if none is: kubectl delete raycluster {self.arguments.cluster} -n {self.arguments.namespace}"
            )
        return None if state is None else state.uid

    def _idle_behind_a_refusal(self, state: submit_cluster.ClusterState | None) -> str | None:
        """A head that refuses the credentials cannot be asked; a cluster that never had the hosts of a run never had one."""
        if state is None:
            return None
        if state.provisioned or state.ready_workers >= self.arguments.slices * self.arguments.hosts_per_slice:
            raise Kept(
                "it had all its hosts before the head refused the credentials, so a run may be active on it; "
                f"if none is: kubectl delete raycluster {self.arguments.cluster} -n {self.arguments.namespace}"
            )
        return state.uid

    def _active(self) -> list[submit_ray.Job]:
        return [job for job in self.api.jobs() if job.active]

    def _delete(self, cluster: submit_cluster.RayCluster, uid: str | None) -> str:
        deadline = time.monotonic() + self.arguments.stop_deadline
        while True:
            try:
                return cluster.delete(uid)
            except submit_cluster.Unreadable:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(self.arguments.poll_interval)
