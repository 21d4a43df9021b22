"""Watches the slices of a run: names those that are lost or torn with the remedy, and applies it where ``--repair-slices`` allows it.

A slice is lost when it was whole before, and torn when its hosts are here and do not make up a slice: an operator without whole-slice handling
replaces pods one by one, and the TPU webhook numbers them by what it sees at that moment. No waiting heals a torn slice; deleting all worker
pods of the run at once does (docs/multislice.md).
"""

import time

from tpu_trainers import submit_arguments, submit_cluster, submit_hosts, submit_http, submit_output, submit_pods, submit_ray

# Enough to get over a repair that an eviction spoiled, few enough that a cluster that cannot be healed does not loop.
MAX_REPAIRS = 3


class SliceWatch:
    def __init__(self, arguments: submit_arguments.Arguments, api: submit_ray.RayApi, output: submit_output.Output) -> None:
        self._arguments = arguments
        self._api = api
        self._output = output
        self._wanted = submit_hosts.WantedSlices(
            arguments.slices, arguments.hosts_per_slice, arguments.pod_type, arguments.tpu_per_host, arguments.most_slices
        )
        self._were_whole = False
        self._torn_since: float | None = None
        self._repairs = 0
        self._looked_at = 0.0
        self._lost = ""

    @property
    def lost(self) -> str:
        """``; slices lost: …`` for a line about the run, empty while they are whole."""
        return self._lost

    def look(self) -> submit_hosts.SlicesState:
        """Judges the slices now, and repairs torn ones. Raises what a request to the head raises."""
        state = submit_hosts.judge(self._api.nodes(), self._wanted)
        self._looked_at = time.monotonic()
        if state.complete:
            self._were_whole = True
            self._torn_since = None
            self._lost = ""
            return state
        torn = [*state.torn, *self._torn_pods()]
        if torn:
            state = submit_hosts.SlicesState(False, f"{state.summary}; torn, which no waiting heals: {'; '.join(torn)}. {self._remedy()}", state.torn)
            self._torn_since = self._torn_since or self._looked_at
            if self._looked_at - self._torn_since >= self._arguments.repair_delay:
                self._repair()
        else:
            self._torn_since = None
        self._lost = f"; slices lost: {state.summary}" if self._were_whole else ""
        return state

    def look_now_and_then(self) -> None:
        """While a run goes on: a listing of thousands of hosts is no small answer. What the head does not say is left for the next time."""
        if time.monotonic() - self._looked_at < self._arguments.slices_interval:
            return
        self._looked_at = time.monotonic()
        # The run was started on whole slices.
        self._were_whole = True
        try:
            self.look()
        except (submit_http.Unusable, submit_http.WrongCredentials, submit_ray.Refused):
            return

    def _pods(self) -> submit_pods.WorkerPods:
        given = self._arguments
        return submit_pods.WorkerPods(given.kubernetes_api, given.service_account_folder, given.namespace or "", given.cluster or "")

    def _torn_pods(self) -> list[str]:
        # A pod with an id of another slice stays pending: Ray never sees it, only Kubernetes does.
        if not self._arguments.repair_slices:
            return []
        try:
            return submit_pods.torn(self._pods().read(), self._arguments.hosts_per_slice)
        except (submit_cluster.Unreadable, submit_cluster.NotDeleted, submit_http.Unusable):
            return []

    def _remedy(self) -> str:
        given = self._arguments
        if given.repair_slices and self._repairs < MAX_REPAIRS:
            return "All worker pods are deleted at once if it lasts"
        if given.cluster is None or given.namespace is None:
            return "Delete all worker pods of the RayCluster at once"
        return f"Delete all worker pods at once: kubectl delete pods -n {given.namespace} -l {self._pods().selector}"

    def _repair(self) -> None:
        if not self._arguments.repair_slices or self._repairs >= MAX_REPAIRS:
            return
        self._repairs += 1
        self._torn_since = None
        pods = self._pods()
        try:
            found = pods.read()
            pods.delete(found)
        except (submit_cluster.Unreadable, submit_cluster.NotDeleted, submit_http.Unusable) as error:
            self._output.say(f"repair: {self._repairs} of {MAX_REPAIRS}: {error}")
        else:
            self._output.say(f"repair: {self._repairs} of {MAX_REPAIRS}: {len(found)} worker pods of {pods.selector} are being deleted at once")
