"""Cloud Build: a build succeeds and pushes its image when its account may, and its log can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes, need
from fakecloud.artifacts import push
from fakecloud.storage import put_object

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "cloudbuild.googleapis.com"
BASE = r"/v1/projects/{project}(?:/locations/{location})?"
BUILDER = "roles/cloudbuild.builds.builder"


def register(routes: Routes, cloud: FakeCloud) -> None:
    account = f"{cloud.PROJECT_NUMBER}-compute@developer.gserviceaccount.com"

    @routes.on("GET", HOST, r"/v1/projects/{project}/locations/{location}/defaultServiceAccount")
    def default_account(request: Request, project: str, location: str) -> Any:
        email = f"projects/{cloud.PROJECT_NUMBER}/serviceAccounts/{account}"
        return {"name": f"projects/{project}/locations/{location}/defaultServiceAccount", "serviceAccountEmail": email}

    @routes.on("POST", HOST, BASE + r"/builds")
    def create(request: Request, project: str, location: str | None = None) -> Any:
        members = [m for b in cloud.project_policy["bindings"] if b["role"] == BUILDER for m in b["members"]]
        if f"serviceAccount:{account}" not in members:
            raise ApiError(403, f"{account} does not have {BUILDER} on {project}")
        source = request.json["source"]["storageSource"]
        need(cloud.objects, (source["bucket"], source["object"]), "the source of the build does not exist")
        identity = f"00000000-0000-0000-0000-{int(cloud.number()):012d}"
        logs = f"{cloud.PROJECT_NUMBER}.cloudbuild-logs.googleusercontent.com"
        build = dict(
            request.json,
            id=identity,
            name=f"projects/{cloud.PROJECT_NUMBER}/locations/global/builds/{identity}",
            projectId=project,
            status="QUEUED",
            createTime="2026-01-01T00:00:00Z",
            logsBucket=f"gs://{logs}",
            logUrl=f"https://console.cloud.google.com/cloud-build/builds/{identity}",
        )
        build.setdefault("options", {})["logging"] = "GCS_ONLY"
        failed = request.fault is not None
        log = b"Step 1: building\nno space left on device\n" if failed else b"Step 1: building\nPUSH\nDONE\n"
        put_object(cloud, logs, f"log-{identity}.txt", log)
        cloud.builds[identity] = build

        def effect(fault: Any) -> None:
            build["status"] = "FAILURE" if fault else "SUCCESS"
            if not fault:
                for image in build.get("images", []):
                    push(cloud, image)

        cloud.begin(request, effect)
        kind = "type.googleapis.com/google.devtools.cloudbuild.v1.BuildOperationMetadata"
        return {"name": f"operations/build/{project}/{identity}", "metadata": {"@type": kind, "build": build}}

    @routes.on("GET", HOST, BASE + r"/builds/{identity}")
    def describe(request: Request, project: str, identity: str, location: str | None = None) -> Any:
        return need(cloud.builds, identity, "NOT_FOUND")
