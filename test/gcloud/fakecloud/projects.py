"""Projects, their billing, policies and APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

MANAGER = "cloudresourcemanager.googleapis.com"
USAGE = "serviceusage.googleapis.com"
BILLING = "cloudbilling.googleapis.com"


def register(routes: Routes, cloud: FakeCloud) -> None:
    def known(project: str) -> None:
        if project not in (cloud.project, cloud.PROJECT_NUMBER):
            # The real API does not tell a missing project from one that you may not see.
            raise ApiError(403, f"The caller does not have permission on project {project}")

    @routes.on("GET", MANAGER, r"/v\d(?:beta\d)?/projects/{project}")
    def describe(request: Request, project: str) -> Any:
        known(project)
        return {"projectId": project, "projectNumber": cloud.PROJECT_NUMBER, "name": project, "lifecycleState": "ACTIVE", "createTime": "2026-01-01T00:00:00.000Z"}

    @routes.on("POST", MANAGER, r"/v\d(?:beta\d)?/projects/{project}:testIamPermissions")
    def test_permissions(request: Request, project: str) -> Any:
        known(project)
        return {"permissions": [p for p in request.json.get("permissions", []) if p not in cloud.permissions_denied]}

    @routes.on("POST", MANAGER, r"/v\d(?:beta\d)?/projects/{project}:getIamPolicy")
    def get_policy(request: Request, project: str) -> Any:
        known(project)
        return cloud.project_policy

    @routes.on("POST", MANAGER, r"/v\d(?:beta\d)?/projects/{project}:setIamPolicy")
    def set_policy(request: Request, project: str) -> Any:
        known(project)
        cloud.project_policy = request.json["policy"]
        return cloud.project_policy

    @routes.on("GET", BILLING, r"/v1/projects/{project}/billingInfo")
    def billing(request: Request, project: str) -> Any:
        return {"name": f"projects/{project}/billingInfo", "projectId": project, "billingEnabled": cloud.billing}

    def service(name: str) -> dict[str, Any]:
        state = "ENABLED" if name in cloud.services else "DISABLED"
        parent = f"projects/{cloud.PROJECT_NUMBER}"
        return {"name": f"{parent}/services/{name}", "config": {"name": name}, "state": state, "parent": parent}

    @routes.on("GET", USAGE, r"/v1/projects/{project}/services")
    def list_services(request: Request, project: str) -> Any:
        return {"services": [service(name) for name in sorted(cloud.services)]}

    @routes.on("GET", USAGE, r"/v1/projects/{project}/services/{name}")
    def get_service(request: Request, project: str, name: str) -> Any:
        return service(name)

    @routes.on("POST", USAGE, r"/v1/projects/{project}/services:batchEnable")
    def enable_services(request: Request, project: str) -> Any:
        return _enable(request, request.json["serviceIds"])

    @routes.on("POST", USAGE, r"/v1/projects/{project}/services/{name}:enable")
    def enable_service(request: Request, project: str, name: str) -> Any:
        return _enable(request, [name])

    def _enable(request: Request, names: list[str]) -> Any:
        unknown = [name for name in names if not name.endswith(".googleapis.com")]
        if unknown:
            raise ApiError(400, f"Service '{unknown[0]}' not found or permission denied.")
        name = cloud.begin(request, lambda fault: cloud.services.update(names))
        return {"name": f"operations/{name}", "done": False}

    @routes.on("GET", USAGE, r"/v1/operations/{name}")
    def operation(request: Request, name: str) -> Any:
        kind = "type.googleapis.com/google.api.serviceusage.v1.BatchEnableServicesResponse"
        return {"name": f"operations/{name}", "done": cloud.operations[name]["done"], "response": {"@type": kind}}
