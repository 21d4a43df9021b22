"""GKE clusters and node pools, with the rules by which GKE refuses them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes, need

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "container.googleapis.com"
BASE = r"/(?:v1|v1beta1|v1alpha1)/projects/{project}/locations/{location}"
VERSIONS = ["1.36.0-gke.1000000", "1.35.3-gke.1737000", "1.35.2-gke.1842000", "1.34.1-gke.3084001"]

# Chips of a TPU machine; any other machine type is a CPU machine.
TPU_CHIPS = {
    "ct4p-hightpu-4t": 4,
    "ct5lp-hightpu-1t": 1,
    "ct5lp-hightpu-4t": 4,
    "ct5lp-hightpu-8t": 8,
    "ct5p-hightpu-4t": 4,
    "ct6e-standard-1t": 1,
    "ct6e-standard-4t": 4,
    "ct6e-standard-8t": 8,
    "tpu7x-standard-1t": 1,
    "tpu7x-standard-4t": 4,
}
CPU_FAMILIES = ("e2-", "n1-", "n2-", "n2d-", "n4-", "c3-", "c3d-", "c4-")
ADDONS = {
    "rayOperatorConfig",
    "gcsFuseCsiDriverConfig",
    "horizontalPodAutoscaling",
    "httpLoadBalancing",
    "gcePersistentDiskCsiDriverConfig",
    "dnsCacheConfig",
}


def register(routes: Routes, cloud: FakeCloud) -> None:
    def operation(project: str, location: str, name: str, kind: str = "CREATE_NODE_POOL", target: str = "") -> dict[str, Any]:
        state = cloud.operations[name]
        base = f"https://{HOST}/v1/projects/{cloud.PROJECT_NUMBER}/locations/{location}"
        body = {
            "name": name,
            "operationType": kind,
            "status": "DONE" if state["done"] else "RUNNING",
            "selfLink": f"{base}/operations/{name}",
            "targetLink": f"{base}/{target}",
            "startTime": "2026-01-01T00:00:00Z",
            "zone": location,
        }
        if state["done"] and state["fault"]:
            body["statusMessage"] = state["fault"].message
            body["error"] = {"code": state["fault"].code, "message": state["fault"].message}
        return body

    def name_of(project: str, location: str, cluster: str) -> str:
        return f"projects/{project}/locations/{location}/clusters/{cluster}"

    def refuse_when_busy(cluster: str) -> None:
        running = [name for name, state in cloud.operations.items() if state["cluster"] == cluster and not state["done"]]
        if len(running) < cloud.operations_at_once:
            return
        # GKE has three ways to say it; each in its turn.
        turn = len([record for record in cloud.records if record.code in (400, 429)]) % 3
        if turn == 0:
            raise ApiError(400, f"Cluster is running incompatible operation {running[0]}.", "failedPrecondition", "FAILED_PRECONDITION")
        if turn == 1:
            raise ApiError(400, f"Operation {running[0]} is currently creating a node pool for cluster {cluster}. Please wait and try again once it is done.", "failedPrecondition", "FAILED_PRECONDITION")
        raise ApiError(400, f"Too many operations: cluster \"{cluster}\" hits the concurrent operations quota {cloud.operations_at_once}, please try again later.", "rateLimitExceeded", "RESOURCE_EXHAUSTED")

    def whole(location: str, cluster: str) -> dict[str, Any]:
        body = dict(cloud.clusters[(location, cluster)])
        body["nodePools"] = [pool for key, pool in cloud.pools.items() if key[:2] == (location, cluster)]
        body["endpoint"] = f"127.0.0.1:{cloud.kubernetes_port}"
        body["masterAuth"] = {"clusterCaCertificate": cloud.certificate_base64}
        return body

    @routes.on("GET", HOST, BASE + r"/clusters")
    def list_clusters(request: Request, project: str, location: str) -> Any:
        return {"clusters": [whole(*key) for key in cloud.clusters if location in ("-", key[0])]}

    @routes.on("GET", HOST, BASE + r"/clusters/{cluster}")
    def get_cluster(request: Request, project: str, location: str, cluster: str) -> Any:
        need(cloud.clusters, (location, cluster), f"Not found: {name_of(project, location, cluster)}.")
        return whole(location, cluster)

    @routes.on("POST", HOST, BASE + r"/clusters")
    def create_cluster(request: Request, project: str, location: str) -> Any:
        body = dict(request.json["cluster"])
        name = body["name"]
        if (location, name) in cloud.clusters:
            raise ApiError(409, f"Already exists: {name_of(project, location, name)}.", "alreadyExists")
        _validate_cluster(cloud, body)
        pools = body.pop("nodePools", [])
        if body.get("autopilot", {}).get("enabled"):
            # gcloud sends a default pool here too; Autopilot makes its nodes by itself.
            pools = []
        version = body.get("initialClusterVersion", VERSIONS[0])
        body.update(
            status="PROVISIONING",
            location=location,
            zone=location,
            selfLink=f"https://{HOST}/v1/{name_of(project, location, name)}",
            currentMasterVersion=version,
            currentNodeVersion=version,
            locations=body.get("locations") or [location],
        )
        if body.get("autopilot", {}).get("enabled"):
            body.setdefault("networkConfig", {})["datapathProvider"] = "ADVANCED_DATAPATH"
            body["workloadIdentityConfig"] = {"workloadPool": f"{project}.svc.id.goog"}
        cloud.clusters[(location, name)] = body
        for pool in pools:
            cloud.pools[(location, name, pool["name"])] = dict(pool, status="RUNNING")

        def effect(fault: Any) -> None:
            body["status"] = "ERROR" if fault else "RUNNING"
            if fault:
                body["statusMessage"] = fault.message

        operation_name = cloud.begin(request, effect, cluster=name, seconds=cloud.operation_seconds)
        return operation(project, location, operation_name, "CREATE_CLUSTER", f"clusters/{name}")

    @routes.on("DELETE", HOST, BASE + r"/clusters/{cluster}")
    def delete_cluster(request: Request, project: str, location: str, cluster: str) -> Any:
        body = need(cloud.clusters, (location, cluster), f"Not found: {name_of(project, location, cluster)}.")
        refuse_when_busy(cluster)
        body["status"] = "STOPPING"

        def effect(fault: Any) -> None:
            if fault:
                body.update(status="ERROR", statusMessage=fault.message)
                return
            del cloud.clusters[(location, cluster)]
            for key in [key for key in cloud.pools if key[:2] == (location, cluster)]:
                del cloud.pools[key]
            cloud.kubernetes.clear()

        operation_name = cloud.begin(request, effect, cluster=cluster, seconds=cloud.operation_seconds)
        return operation(project, location, operation_name, "DELETE_CLUSTER", f"clusters/{cluster}")

    @routes.on("GET", HOST, BASE + r"/clusters/{cluster}/nodePools")
    def list_pools(request: Request, project: str, location: str, cluster: str) -> Any:
        need(cloud.clusters, (location, cluster), f"Not found: {name_of(project, location, cluster)}.")
        return {"nodePools": [pool for key, pool in cloud.pools.items() if key[:2] == (location, cluster)]}

    @routes.on("GET", HOST, BASE + r"/clusters/{cluster}/nodePools/{pool}")
    def get_pool(request: Request, project: str, location: str, cluster: str, pool: str) -> Any:
        return need(cloud.pools, (location, cluster, pool), f"Not found: {name_of(project, location, cluster)}/nodePools/{pool}.")

    @routes.on("POST", HOST, BASE + r"/clusters/{cluster}/nodePools")
    def create_pool(request: Request, project: str, location: str, cluster: str) -> Any:
        parent = need(cloud.clusters, (location, cluster), f"Not found: {name_of(project, location, cluster)}.")
        body = dict(request.json["nodePool"])
        name = body["name"]
        key = (location, cluster, name)
        if key in cloud.pools:
            raise ApiError(409, f"Already exists: {name_of(project, location, cluster)}/nodePools/{name}.", "alreadyExists")
        if parent["status"] not in ("RUNNING", "RECONCILING"):
            raise ApiError(400, f"Cluster {cluster} is in status {parent['status']}", "failedPrecondition", "FAILED_PRECONDITION")
        refuse_when_busy(cluster)
        _validate_pool(cloud, parent, body)
        body["status"] = "PROVISIONING"
        body["selfLink"] = f"https://{HOST}/v1/{name_of(project, location, cluster)}/nodePools/{name}"
        cloud.pools[key] = body

        def effect(fault: Any) -> None:
            body["status"] = "ERROR" if fault else "RUNNING"
            if fault:
                body["conditions"] = [{"code": "GCE_STOCKOUT", "message": fault.message}]

        operation_name = cloud.begin(request, effect, cluster=cluster, seconds=cloud.operation_seconds)
        return operation(project, location, operation_name, "CREATE_NODE_POOL", f"clusters/{cluster}/nodePools/{name}")

    @routes.on("POST", HOST, BASE + r"/clusters/{cluster}/nodePools/{pool}:setSize")
    def resize_pool(request: Request, project: str, location: str, cluster: str, pool: str) -> Any:
        body = need(cloud.pools, (location, cluster, pool), f"Not found: {name_of(project, location, cluster)}/nodePools/{pool}.")
        refuse_when_busy(cluster)
        if body.get("placementPolicy"):
            _refuse("Manual resize is not supported for multi-host TPU node pools.")
        before, after = body.get("initialNodeCount", 0), int(request.json.get("nodeCount", 0))
        body.update(status="RECONCILING", initialNodeCount=after)

        def effect(fault: Any) -> None:
            body["status"] = "RUNNING"
            if fault:
                body["initialNodeCount"] = before

        operation_name = cloud.begin(request, effect, cluster=cluster, seconds=cloud.operation_seconds)
        return operation(project, location, operation_name, "SET_NODE_POOL_SIZE", f"clusters/{cluster}/nodePools/{pool}")

    @routes.on("DELETE", HOST, BASE + r"/clusters/{cluster}/nodePools/{pool}")
    def delete_pool(request: Request, project: str, location: str, cluster: str, pool: str) -> Any:
        key = (location, cluster, pool)
        body = need(cloud.pools, key, f"Not found: {name_of(project, location, cluster)}/nodePools/{pool}.")
        refuse_when_busy(cluster)
        body["status"] = "STOPPING"

        def effect(fault: Any) -> None:
            if fault:
                body["status"] = "ERROR"
            else:
                cloud.pools.pop(key, None)

        operation_name = cloud.begin(request, effect, cluster=cluster, seconds=cloud.operation_seconds)
        return operation(project, location, operation_name, "DELETE_NODE_POOL", f"clusters/{cluster}/nodePools/{pool}")

    @routes.on("GET", HOST, BASE + r"/operations/{name}")
    def poll(request: Request, project: str, location: str, name: str) -> Any:
        need(cloud.operations, name, f"Not found: operation {name}.")
        return operation(project, location, name)

    @routes.on("GET", HOST, BASE + r"/serverConfig")
    def server_config(request: Request, project: str, location: str) -> Any:
        return {"defaultClusterVersion": VERSIONS[0], "validMasterVersions": VERSIONS, "validNodeVersions": VERSIONS}


def _refuse(message: str) -> None:
    raise ApiError(400, message, "badRequest")


def _validate_cluster(cloud: FakeCloud, body: dict[str, Any]) -> None:
    version = body.get("initialClusterVersion")
    if version and version not in VERSIONS:
        _refuse(f"No valid versions with the prefix \"{version}\" found.")
    networking = body.get("networkConfig", {})
    if body.get("autopilot", {}).get("enabled"):
        return
    if networking.get("enableMultiNetworking") and networking.get("datapathProvider") != "ADVANCED_DATAPATH":
        _refuse("Multi-networking requires Dataplane V2.")
    addons = body.get("addonsConfig", {})
    unknown = set(addons) - ADDONS - {"kubernetesDashboard", "networkPolicyConfig", "cloudRunConfig"}
    if unknown:
        _refuse(f"Unknown add-ons {sorted(unknown)}.")
    for pool in body.get("nodePools", []):
        if not pool["config"]["machineType"].startswith(CPU_FAMILIES):
            _refuse(f"The default pool must be of CPU machines, not {pool['config']['machineType']}.")


def _validate_pool(cloud: FakeCloud, cluster: dict[str, Any], body: dict[str, Any]) -> None:
    if cluster.get("autopilot", {}).get("enabled"):
        _refuse("Autopilot clusters do not take node pools.")
    config = body["config"]
    machine = config["machineType"]
    nodes = int(body.get("initialNodeCount", 0))
    placement = body.get("placementPolicy", {})
    scaling = body.get("autoscaling", {})
    if config.get("workloadMetadataConfig", {}).get("mode") == "GKE_METADATA" and not cluster.get("workloadIdentityConfig"):
        _refuse("GKE_METADATA needs a cluster with Workload Identity.")
    for extra in body.get("networkConfig", {}).get("additionalNodeNetworkConfigs", []):
        if not cluster.get("networkConfig", {}).get("enableMultiNetworking"):
            _refuse("Additional node networks need a cluster with multi-networking.")
        if not any(key[1:] == ("subnetworks", extra["subnetwork"]) for key in cloud.compute):
            _refuse(f"Subnetwork {extra['subnetwork']} does not exist.")
    affinity = config.get("reservationAffinity", {})
    if affinity.get("consumeReservationType") == "SPECIFIC_RESERVATION" and not affinity.get("values"):
        _refuse("A specific reservation needs a name.")
    if config.get("spot") and config.get("flexStart"):
        _refuse("Spot and flex-start exclude each other.")
    if config.get("flexStart"):
        if nodes != 0 or not scaling.get("enabled"):
            _refuse("Flex-start needs autoscaling and no nodes at creation.")
        if affinity.get("consumeReservationType") != "NO_RESERVATION":
            _refuse("Flex-start takes no reservation.")
        if body.get("management", {}).get("autoRepair"):
            _refuse("Flex-start nodes cannot be repaired.")
    if body.get("queuedProvisioning", {}).get("enabled") and not config.get("flexStart"):
        _refuse("Queued provisioning of TPUs needs flex-start.")
    if machine not in TPU_CHIPS:
        if not machine.startswith(CPU_FAMILIES):
            _refuse(f"Machine type {machine} does not exist.")
        if placement:
            _refuse("A CPU pool has no TPU placement.")
        return
    if len(body.get("locations", [])) != 1:
        _refuse("A TPU pool lies in one zone.")
    if scaling.get("totalMaxNodeCount"):
        _refuse("Multi-host pools are sized per zone, not in total.")
    topology = placement.get("tpuTopology")
    policy = placement.get("policyName")
    if policy:
        found = [item for key, item in cloud.compute.items() if key[1:] == ("resourcePolicies", policy)]
        if not found:
            _refuse(f"Placement policy {policy} does not exist.")
        if topology:
            _refuse("A placement policy carries the topology: give one of the two.")
        topology = found[0]["workloadPolicy"]["acceleratorTopology"]
    elif topology and machine.startswith("tpu7x-"):
        _refuse("Compact placement is not supported for tpu7x. Use workload policy instead.")
    hosts = math.prod(int(size) for size in topology.split("x")) // TPU_CHIPS[machine] if topology else 1
    if topology and hosts < 2:
        _refuse(f"Topology {topology} on {machine} is a single host: it takes no placement.")
    if scaling.get("enabled"):
        if int(scaling.get("maxNodeCount", 0)) != hosts or nodes not in (0, hosts):
            _refuse(f"A slice of topology {topology} has 0 or {hosts} nodes.")
    elif nodes != hosts:
        _refuse(f"Topology {topology} on {machine} needs {hosts} nodes, not {nodes}.")
