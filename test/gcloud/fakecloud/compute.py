"""Networks, subnets, firewall rules and resource policies."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes, need

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "compute.googleapis.com"
BASE = r"/compute/(?P<version>v1|beta|alpha)/projects/{project}/(?P<scope>global|regions/[^/]+|zones/[^/]+)"
COLLECTIONS = "networks|subnetworks|firewalls|resourcePolicies"


def register(routes: Routes, cloud: FakeCloud) -> None:
    def link(project: str, scope: str, collection: str, name: str) -> str:
        return f"https://www.googleapis.com/compute/v1/projects/{project}/{scope}/{collection}/{name}"

    def operation(project: str, scope: str, name: str, target: str = "", kind: str = "insert") -> dict[str, Any]:
        state = cloud.operations[name]
        body: dict[str, Any] = {
            "kind": "compute#operation",
            "id": name.rsplit("-", 1)[1],
            "name": name,
            "operationType": kind,
            "status": "DONE" if state["done"] else "RUNNING",
            "progress": 100 if state["done"] else 0,
            "targetLink": target,
            "selfLink": link(project, scope, "operations", name),
        }
        if scope != "global":
            body[scope.split("/")[0][:-1]] = f"https://www.googleapis.com/compute/v1/projects/{project}/{scope}"
        if state["done"] and state["fault"]:
            body["error"] = {"errors": [{"code": "QUOTA_EXCEEDED", "message": state["fault"].message}]}
            body["httpErrorStatusCode"] = 403
            body["httpErrorMessage"] = "FORBIDDEN"
        return body

    @routes.on("POST", HOST, BASE + f"/(?P<collection>{COLLECTIONS})")
    def insert(request: Request, version: str, project: str, scope: str, collection: str) -> Any:
        item = dict(request.json)
        key = (scope, collection, item["name"])
        if key in cloud.compute:
            raise ApiError(409, f"The resource 'projects/{project}/{scope}/{collection}/{item['name']}' already exists", "alreadyExists")
        _validate(cloud, scope, collection, item)
        item["selfLink"] = link(project, scope, collection, item["name"])
        item["id"] = cloud.number()
        item["creationTimestamp"] = "2026-01-01T00:00:00Z"
        if scope != "global":
            item["region"] = f"https://www.googleapis.com/compute/v1/projects/{project}/{scope}"

        def effect(fault: Any) -> None:
            if not fault:
                cloud.compute[key] = item

        return operation(project, scope, cloud.begin(request, effect), item["selfLink"])

    @routes.on("GET", HOST, BASE + f"/(?P<collection>{COLLECTIONS})")
    def list_items(request: Request, version: str, project: str, scope: str, collection: str) -> Any:
        return {"kind": "compute#list", "items": [v for k, v in cloud.compute.items() if k[:2] == (scope, collection)]}

    @routes.on("GET", HOST, r"/compute/(?:v1|beta|alpha)/projects/{project}/aggregated/{collection}")
    def list_all(request: Request, project: str, collection: str) -> Any:
        scopes: dict[str, Any] = {}
        for (scope, kind, _name), item in cloud.compute.items():
            if kind == collection:
                scopes.setdefault(scope, {}).setdefault(collection, []).append(item)
        return {"items": scopes}

    @routes.on("GET", HOST, BASE + f"/(?P<collection>{COLLECTIONS})/{{name}}")
    def get(request: Request, version: str, project: str, scope: str, collection: str, name: str) -> Any:
        return need(cloud.compute, (scope, collection, name), f"The resource 'projects/{project}/{scope}/{collection}/{name}' was not found")

    @routes.on("DELETE", HOST, BASE + f"/(?P<collection>{COLLECTIONS})/{{name}}")
    def delete(request: Request, version: str, project: str, scope: str, collection: str, name: str) -> Any:
        key = (scope, collection, name)
        item = need(cloud.compute, key, f"The resource 'projects/{project}/{scope}/{collection}/{name}' was not found")
        if collection == "networks":
            for other, user in cloud.compute.items():
                if user.get("network", "").endswith(f"/{name}"):
                    raise ApiError(400, f"The network resource 'projects/{project}/global/networks/{name}' is already being used by 'projects/{project}/{'/'.join(other)}'", "resourceInUseByAnotherResource")
        for pool, config in cloud.pools.items():
            used = [n["subnetwork"] for n in config.get("networkConfig", {}).get("additionalNodeNetworkConfigs", [])]
            used.append(config.get("placementPolicy", {}).get("policyName", ""))
            if name in used and collection in ("subnetworks", "resourcePolicies"):
                raise ApiError(400, f"The {collection} resource '{name}' is already being used by node pool '{pool[2]}'", "resourceInUseByAnotherResource")

        def effect(fault: Any) -> None:
            if not fault:
                cloud.compute.pop(key, None)

        return operation(project, scope, cloud.begin(request, effect), item["selfLink"], "delete")

    @routes.on("GET", HOST, BASE + r"/operations/{name}")
    @routes.on("POST", HOST, BASE + r"/operations/{name}/wait")
    def poll(request: Request, version: str, project: str, scope: str, name: str) -> Any:
        need(cloud.operations, name, f"operation {name} was not found")
        return operation(project, scope, name)

    @routes.on("GET", HOST, r"/compute/(?:v1|beta|alpha)/projects/{project}/zones/{zone}")
    def zone(request: Request, project: str, zone: str) -> Any:
        return {"name": zone, "status": "UP", "selfLink": f"https://www.googleapis.com/compute/v1/projects/{project}/zones/{zone}"}

    @routes.on("GET", HOST, r"/compute/(?:v1|beta|alpha)/projects/{project}/regions/{region}")
    def region(request: Request, project: str, region: str) -> Any:
        return {"name": region, "status": "UP", "selfLink": f"https://www.googleapis.com/compute/v1/projects/{project}/regions/{region}"}


def _validate(cloud: FakeCloud, scope: str, collection: str, item: dict[str, Any]) -> None:
    """What the real API would refuse of what the scripts send."""

    def refuse(field: str, message: str) -> None:
        raise ApiError(400, f"Invalid value for field 'resource.{field}': {message}", "invalid")

    if collection == "networks":
        if item.get("autoCreateSubnetworks") is not False:
            refuse("autoCreateSubnetworks", "expected a custom-mode network")
        if not 1300 <= int(item.get("mtu", 1460)) <= 8896:
            refuse("mtu", f"'{item['mtu']}'. Must be between 1300 and 8896.")
        return
    if collection in ("subnetworks", "firewalls"):
        network = item.get("network", "").rsplit("/", 1)[-1]
        if ("global", "networks", network) not in cloud.compute:
            raise ApiError(404, f"The resource 'projects/{cloud.project}/global/networks/{network}' was not found", "notFound")
    if collection == "subnetworks":
        wanted = ipaddress.ip_network(item["ipCidrRange"])
        for (_scope, kind, name), other in cloud.compute.items():
            if kind == "subnetworks" and other["network"] == item["network"] and wanted.overlaps(ipaddress.ip_network(other["ipCidrRange"])):
                refuse("ipCidrRange", f"'{wanted}' overlaps with the range of subnetwork '{name}'")
    if collection == "firewalls":
        if not item.get("sourceRanges"):
            refuse("sourceRanges", "a rule without source ranges is open to the whole internet")
        for rule in item.get("allowed", []):
            if rule.get("IPProtocol") not in ("tcp", "udp", "icmp"):
                refuse("allowed", f"unknown protocol {rule}")
    if collection == "resourcePolicies":
        policy = item.get("workloadPolicy")
        if not policy or policy.get("type") != "HIGH_THROUGHPUT" or not policy.get("acceleratorTopology"):
            refuse("workloadPolicy", f"type HIGH_THROUGHPUT with acceleratorTopology is needed, got {policy}")
