"""The API server of the cluster, as far as kubectl needs it to create, read and delete objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "kubernetes"
# group/version -> plural -> (kind, namespaced)
RESOURCES: dict[str, dict[str, tuple[str, bool]]] = {
    "v1": {
        "namespaces": ("Namespace", False),
        "nodes": ("Node", False),
        "secrets": ("Secret", True),
        "serviceaccounts": ("ServiceAccount", True),
        "configmaps": ("ConfigMap", True),
        "pods": ("Pod", True),
        "persistentvolumeclaims": ("PersistentVolumeClaim", True),
        "persistentvolumes": ("PersistentVolume", False),
    },
    "batch/v1": {"jobs": ("Job", True)},
    "ray.io/v1": {"rayclusters": ("RayCluster", True)},
    "rbac.authorization.k8s.io/v1": {"roles": ("Role", True), "rolebindings": ("RoleBinding", True)},
    "resource.k8s.io/v1": {"resourceclaimtemplates": ("ResourceClaimTemplate", True)},
}


class KubernetesError(ApiError):
    """An answer in the error form of Kubernetes."""

    def __init__(self, code: int, reason: str, message: str):
        super().__init__(code, message)
        self.body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code}


def _field(message: bytes, wanted: int) -> bytes:
    """The first length-delimited field of that number in a protobuf message."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        if key & 7 == 0:
            _value, position = _varint(message, position)
            continue
        length, position = _varint(message, position)
        if key >> 3 == wanted:
            return message[position : position + length]
        position += length
    return b""


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return value, position


def _from_protobuf(version: str, raw: bytes) -> dict[str, Any]:
    """What `kubectl create namespace` sends: runtime.Unknown {1: TypeMeta {2: kind}, 2: object {1: ObjectMeta {1: name}}}."""
    if not raw.startswith(b"k8s\0"):
        raise KubernetesError(400, "BadRequest", "the body is neither JSON nor protobuf")
    unknown = raw[4:]
    kind = _field(_field(unknown, 1), 2).decode()
    name = _field(_field(_field(unknown, 2), 1), 1).decode()
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


def _nodes(cloud: FakeCloud) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The nodes of all pools, as many as GKE has noted or the test says."""
    names = [
        (pool, f"{pool}-{index}")
        for (_location, _cluster, pool), body in cloud.pools.items()
        for index in range(cloud.nodes_there.get(pool, int(body.get("initialNodeCount", 0))))
    ]
    return {
        ("nodes", "", name): {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name, "labels": {"cloud.google.com/gke-nodepool": pool}}}
        for pool, name in names
    }


def _merged(old: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """The object after a merge patch: a null removes."""
    new = dict(old)
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        elif isinstance(value, dict):
            new[key] = _merged(old.get(key) or {}, value)
        else:
            new[key] = value
    return new


def register(routes: Routes, cloud: FakeCloud) -> None:
    @routes.on("GET", HOST, r"/version")
    def version(request: Request) -> Any:
        return {"major": "1", "minor": "35", "gitVersion": "v1.35.2-gke.1842000"}

    @routes.on("GET", HOST, r"/api")
    def versions(request: Request) -> Any:
        return {"kind": "APIVersions", "versions": ["v1"]}

    @routes.on("GET", HOST, r"/apis")
    def groups(request: Request) -> Any:
        named = [version for version in RESOURCES if "/" in version]
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [
                {"name": v.split("/")[0], "versions": [{"groupVersion": v, "version": v.split("/")[1]}], "preferredVersion": {"groupVersion": v, "version": v.split("/")[1]}}
                for v in named
            ],
        }

    def resources(version: str) -> Any:
        if version not in RESOURCES:
            raise KubernetesError(404, "NotFound", "the server could not find the requested resource")
        verbs = ["create", "delete", "get", "list", "patch", "update", "watch"]
        return {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": version,
            "resources": [
                {"name": plural, "singularName": kind.lower(), "namespaced": namespaced, "kind": kind, "verbs": verbs}
                for plural, (kind, namespaced) in RESOURCES[version].items()
            ],
        }

    @routes.on("GET", HOST, r"/api/v1")
    def core(request: Request) -> Any:
        return resources("v1")

    @routes.on("GET", HOST, r"/apis/{group}/{version}")
    def group(request: Request, group: str, version: str) -> Any:
        return resources(f"{group}/{version}")

    @routes.on("GET", HOST, r"/api/v1/namespaces/{namespace}/services/{service*}/proxy/api/v0/nodes")
    def ray_nodes(request: Request, namespace: str, service: str) -> Any:
        key = ("dashboard", namespace, service.split(":")[0])
        if key not in cloud.kubernetes:
            raise KubernetesError(503, "ServiceUnavailable", f"no endpoints available for service \"{service}\"")
        return cloud.kubernetes[key]

    place = r"/(?:api|apis)/(?P<version>v1|(?!v1/)[^/]+/[^/]+)"

    def locate(version: str, plural: str) -> tuple[str, bool]:
        try:
            return RESOURCES[version][plural]
        except KeyError:
            raise KubernetesError(404, "NotFound", "the server could not find the requested resource") from None

    def fetch(plural: str, namespace: str, name: str) -> dict[str, Any]:
        key = (plural, namespace, name)
        if key not in cloud.kubernetes:
            raise KubernetesError(404, "NotFound", f"{plural} \"{name}\" not found")
        return cloud.kubernetes[key]

    def listing(request: Request, version: str, namespace: str, plural: str) -> Any:
        kind, _namespaced = locate(version, plural)
        wanted = dict(pair.split("=", 1) for pair in request.first("labelSelector").split(",") if "=" in pair)
        field = dict(pair.split("=", 1) for pair in request.first("fieldSelector").split(",") if "=" in pair)
        objects = _nodes(cloud) if plural == "nodes" else cloud.kubernetes
        items = [
            item
            for (kind_key, space, name), item in sorted(objects.items())
            if kind_key == plural
            and namespace in ("", space)
            and field.get("metadata.name", name) == name
            and wanted.items() <= item["metadata"].get("labels", {}).items()
        ]
        return {"kind": f"{kind}List", "apiVersion": version, "metadata": {"resourceVersion": "1"}, "items": items}

    def create(request: Request, version: str, namespace: str, plural: str) -> Any:
        locate(version, plural)
        item = request.json or _from_protobuf(version, request.raw)
        name = item["metadata"]["name"]
        if (plural, namespace, name) in cloud.kubernetes:
            raise KubernetesError(409, "AlreadyExists", f"{plural} \"{name}\" already exists")
        if namespace not in ("", "default") and ("namespaces", "", namespace) not in cloud.kubernetes:
            raise KubernetesError(404, "NotFound", f"namespaces \"{namespace}\" not found")
        item["metadata"].update(uid=f"uid-{cloud.number()}", resourceVersion="1", creationTimestamp="2026-01-01T00:00:00Z")
        if namespace:
            item["metadata"]["namespace"] = namespace
        cloud.kubernetes[(plural, namespace, name)] = item
        return item

    def delete(plural: str, namespace: str, name: str) -> Any:
        item = fetch(plural, namespace, name)
        del cloud.kubernetes[(plural, namespace, name)]
        if plural == "namespaces":
            for key in [key for key in cloud.kubernetes if key[1] == name]:
                del cloud.kubernetes[key]
        details = {"name": name, "kind": plural, "uid": item["metadata"].get("uid", "")}
        return {"kind": "Status", "apiVersion": "v1", "status": "Success", "details": details}

    namespaced = place + r"/namespaces/{namespace}/{plural}"

    @routes.on("GET", HOST, namespaced)
    def list_namespaced(request: Request, version: str, namespace: str, plural: str) -> Any:
        return listing(request, version, namespace, plural)

    @routes.on("POST", HOST, namespaced)
    def create_namespaced(request: Request, version: str, namespace: str, plural: str) -> Any:
        return create(request, version, namespace, plural)

    @routes.on("GET", HOST, namespaced + r"/{name}")
    def get_namespaced(request: Request, version: str, namespace: str, plural: str, name: str) -> Any:
        locate(version, plural)
        return fetch(plural, namespace, name)

    @routes.on("PUT", HOST, namespaced + r"/{name}")
    def replace_namespaced(request: Request, version: str, namespace: str, plural: str, name: str) -> Any:
        old = fetch(plural, namespace, name)
        cloud.kubernetes[(plural, namespace, name)] = dict(request.json, metadata=dict(old["metadata"], **request.json["metadata"]))
        return cloud.kubernetes[(plural, namespace, name)]

    @routes.on("PATCH", HOST, namespaced + r"/{name}")
    def patch_namespaced(request: Request, version: str, namespace: str, plural: str, name: str) -> Any:
        """A merge patch, or `kubectl apply --server-side`, which makes what is not there."""
        form = request.headers.get("Content-Type", "")
        if form.startswith("application/apply-patch") and (plural, namespace, name) not in cloud.kubernetes:
            return create(request, version, namespace, plural)
        if not form.startswith(("application/merge-patch+json", "application/apply-patch")):
            raise KubernetesError(415, "UnsupportedMediaType", f"the fake cloud knows no patch of the form {form}")
        cloud.kubernetes[(plural, namespace, name)] = _merged(fetch(plural, namespace, name), request.json)
        return cloud.kubernetes[(plural, namespace, name)]

    @routes.on("DELETE", HOST, namespaced + r"/{name}")
    def delete_namespaced(request: Request, version: str, namespace: str, plural: str, name: str) -> Any:
        return delete(plural, namespace, name)

    @routes.on("GET", HOST, place + r"/{plural}")
    def list_cluster(request: Request, version: str, plural: str) -> Any:
        return listing(request, version, "", plural)

    @routes.on("POST", HOST, place + r"/{plural}")
    def create_cluster(request: Request, version: str, plural: str) -> Any:
        return create(request, version, "", plural)

    @routes.on("GET", HOST, place + r"/{plural}/{name}")
    def get_cluster(request: Request, version: str, plural: str, name: str) -> Any:
        locate(version, plural)
        return fetch(plural, "", name)

    @routes.on("DELETE", HOST, place + r"/{plural}/{name}")
    def delete_cluster(request: Request, version: str, plural: str, name: str) -> Any:
        return delete(plural, "", name)
