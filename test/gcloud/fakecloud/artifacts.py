"""Artifact Registry: repositories, their policies and images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes, need

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "artifactregistry.googleapis.com"
BASE = r"/v1(?:beta\d)?/projects/{project}/locations/{location}"
MISSING = "Requested entity was not found."


def register(routes: Routes, cloud: FakeCloud) -> None:
    def operation(project: str, location: str, name: str, response: dict[str, Any]) -> Any:
        return {"name": f"projects/{project}/locations/{location}/operations/{name}", "done": True, "response": response}

    @routes.on("GET", HOST, BASE + r"/repositories")
    def list_repositories(request: Request, project: str, location: str) -> Any:
        prefix = f"projects/{project}/locations/{location}/"
        return {"repositories": [item for name, item in cloud.repositories.items() if name.startswith(prefix)]}

    @routes.on("POST", HOST, BASE + r"/repositories")
    def create(request: Request, project: str, location: str) -> Any:
        name = f"projects/{project}/locations/{location}/repositories/{request.first('repositoryId')}"
        if name in cloud.repositories:
            raise ApiError(409, "the repository already exists", "alreadyExists")
        if request.json.get("format") != "DOCKER":
            raise ApiError(400, f"unknown format {request.json.get('format')}")
        item = {"name": name, "format": "DOCKER", "createTime": "2026-01-01T00:00:00Z"}

        def effect(fault: Any) -> None:
            cloud.repositories[name] = item

        done = cloud.begin(request, effect)
        return operation(project, location, done, dict(item, **{"@type": "type.googleapis.com/google.devtools.artifactregistry.v1.Repository"}))

    @routes.on("GET", HOST, BASE + r"/repositories/{repository}")
    def describe(request: Request, project: str, location: str, repository: str) -> Any:
        return need(cloud.repositories, f"projects/{project}/locations/{location}/repositories/{repository}", MISSING)

    @routes.on("DELETE", HOST, BASE + r"/repositories/{repository}")
    def delete(request: Request, project: str, location: str, repository: str) -> Any:
        name = f"projects/{project}/locations/{location}/repositories/{repository}"
        need(cloud.repositories, name, MISSING)

        def effect(fault: Any) -> None:
            del cloud.repositories[name]
            cloud.repository_policies.pop(name, None)
            cloud.images.clear()

        done = cloud.begin(request, effect)
        return operation(project, location, done, {"@type": "type.googleapis.com/google.protobuf.Empty"})

    @routes.on("GET", HOST, BASE + r"/operations/{name}")
    def poll(request: Request, project: str, location: str, name: str) -> Any:
        need(cloud.operations, name, MISSING)
        return operation(project, location, name, {"@type": "type.googleapis.com/google.protobuf.Empty"})

    @routes.on("GET", HOST, BASE + r"/repositories/{repository}:getIamPolicy")
    def policy(request: Request, project: str, location: str, repository: str) -> Any:
        name = f"projects/{project}/locations/{location}/repositories/{repository}"
        need(cloud.repositories, name, MISSING)
        return cloud.repository_policies.setdefault(name, {"version": 1, "etag": "BwX=", "bindings": []})

    @routes.on("POST", HOST, BASE + r"/repositories/{repository}:setIamPolicy")
    def set_policy(request: Request, project: str, location: str, repository: str) -> Any:
        name = f"projects/{project}/locations/{location}/repositories/{repository}"
        cloud.repository_policies[name] = request.json["policy"]
        return request.json["policy"]

    @routes.on("GET", HOST, BASE + r"/repositories/{repository}/dockerImages")
    def images(request: Request, project: str, location: str, repository: str) -> Any:
        need(cloud.repositories, f"projects/{project}/locations/{location}/repositories/{repository}", MISSING)
        return {"dockerImages": list(cloud.images.values())}


def push(cloud: FakeCloud, image: str) -> None:
    """Stores an image HOST/PROJECT/REPOSITORY/NAME:TAG, as a build would."""
    path, tag = image.rsplit(":", 1)
    host, project, repository, name = path.split("/")
    location = host[: -len("-docker.pkg.dev")]
    owner = f"projects/{project}/locations/{location}/repositories/{repository}"
    need(cloud.repositories, owner, MISSING)
    digest = "sha256:" + "0" * 64
    cloud.images[image] = {
        "name": f"{owner}/dockerImages/{name}@{digest}",
        "uri": f"{path}@{digest}",
        "tags": [tag],
        "imageSizeBytes": "1",
        "uploadTime": "2026-01-01T00:00:00Z",
        "buildTime": "2026-01-01T00:00:00Z",
        "updateTime": "2026-01-01T00:00:00Z",
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    }
