"""Cloud Storage: buckets, their policies, and objects as far as builds need them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from fakecloud.api import ApiError, Request, Routes, need

if TYPE_CHECKING:
    from fakecloud.cloud import FakeCloud

HOST = "storage.googleapis.com"
MISSING = "The specified bucket does not exist."


def register(routes: Routes, cloud: FakeCloud) -> None:
    @routes.on("POST", HOST, r"/storage/v1/b")
    def create(request: Request) -> Any:
        body = dict(request.json)
        name = body["name"]
        if name in cloud.buckets:
            raise ApiError(409, "Your previous request to create the named bucket succeeded and you already own it.", "conflict")
        uniform = body.get("iamConfiguration", {}).get("uniformBucketLevelAccess", {}).get("enabled")
        if body.get("hierarchicalNamespace", {}).get("enabled") and not uniform:
            raise ApiError(400, "Hierarchical namespace buckets must use uniform bucket-level access.", "invalid")
        body.update(
            kind="storage#bucket",
            id=name,
            selfLink=f"https://www.googleapis.com/storage/v1/b/{name}",
            projectNumber=cloud.PROJECT_NUMBER,
            metageneration="1",
            etag="CAE=",
            location=body.get("location", "US").upper(),
            locationType="region",
            storageClass=body.get("storageClass", "STANDARD"),
            timeCreated="2026-01-01T00:00:00.000Z",
            updated="2026-01-01T00:00:00.000Z",
        )
        cloud.buckets[name] = body
        owner = {"role": "roles/storage.legacyBucketOwner", "members": [f"projectOwner:{cloud.project}"]}
        cloud.bucket_policies.setdefault(name, {"kind": "storage#policy", "version": 1, "etag": "CAE=", "bindings": [owner]})
        return body

    @routes.on("GET", HOST, r"/storage/v1/b")
    def list_buckets(request: Request) -> Any:
        return {"kind": "storage#buckets", "items": list(cloud.buckets.values())}

    @routes.on("GET", HOST, r"/storage/v1/b/{bucket}")
    def describe(request: Request, bucket: str) -> Any:
        return need(cloud.buckets, bucket, MISSING)

    @routes.on("DELETE", HOST, r"/storage/v1/b/{bucket}")
    def delete(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        if any(key[0] == bucket for key in cloud.objects):
            raise ApiError(409, "The bucket you tried to delete is not empty.", "conflict")
        del cloud.buckets[bucket]
        del cloud.bucket_policies[bucket]

    @routes.on("GET", HOST, r"/storage/v1/b/{bucket}/iam")
    def policy(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        return cloud.bucket_policies[bucket]

    @routes.on("PUT", HOST, r"/storage/v1/b/{bucket}/iam")
    def set_policy(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        cloud.bucket_policies[bucket] = request.json
        return request.json

    @routes.on("GET", HOST, r"/storage/v1/b/{bucket}/storageLayout")
    def layout(request: Request, bucket: str) -> Any:
        body = need(cloud.buckets, bucket, MISSING)
        flat = {"enabled": False}
        return {"kind": "storage#storageLayout", "bucket": bucket, "location": body["location"], "locationType": "region", "hierarchicalNamespace": body.get("hierarchicalNamespace", flat)}

    @routes.on("GET", HOST, r"/storage/v1/b/{bucket}/(?:folders|managedFolders)")
    def folders(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        return {"items": []}

    @routes.on("GET", HOST, r"/storage/v1/b/{bucket}/o")
    def list_objects(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        prefix, delimiter = request.first("prefix"), request.first("delimiter")
        items, prefixes = [], set()
        for (owner, name), (meta, _data) in sorted(cloud.objects.items()):
            if owner != bucket or not name.startswith(prefix):
                continue
            rest = name[len(prefix) :]
            if delimiter and delimiter in rest:
                prefixes.add(prefix + rest[: rest.index(delimiter) + 1])
            else:
                items.append(meta)
        return {"kind": "storage#objects", "items": items, "prefixes": sorted(prefixes)}

    @routes.on("GET", HOST, r"/(?:download/)?storage/v1/b/{bucket}/o/{name}")
    def get_object(request: Request, bucket: str, name: str) -> Any:
        meta, data = need(cloud.objects, (bucket, name), f"No such object: {bucket}/{name}")
        return data if request.first("alt") == "media" else meta

    @routes.on("DELETE", HOST, r"/storage/v1/b/{bucket}/o/{name}")
    def delete_object(request: Request, bucket: str, name: str) -> Any:
        need(cloud.objects, (bucket, name), f"No such object: {bucket}/{name}")
        del cloud.objects[(bucket, name)]

    @routes.on("POST", HOST, r"/(?:upload|resumable/upload)/storage/v1/b/{bucket}/o")
    def upload(request: Request, bucket: str) -> Any:
        need(cloud.buckets, bucket, MISSING)
        kind = request.first("uploadType", "media")
        if kind == "resumable":
            name = f"upload-{cloud.number()}"
            cloud.uploads[name] = (bucket, request.first("name") or request.json["name"], request.json)
            request.response_headers["Location"] = f"https://{HOST}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&upload_id={name}"
            return {}
        if kind == "multipart":
            meta, data = _parts(request)
            return put_object(cloud, bucket, request.first("name") or meta["name"], data, meta)
        return put_object(cloud, bucket, request.first("name"), request.raw)

    @routes.on("PUT", HOST, r"/upload/storage/v1/b/{bucket}/o")
    def upload_rest(request: Request, bucket: str) -> Any:
        owner, name, meta = cloud.uploads.pop(request.first("upload_id"))
        return put_object(cloud, owner, name, request.raw, meta)

    # The log of a build is read by gcloud over the older interface, from where it stopped last.
    @routes.on("GET", HOST, r"/{bucket}/{name*}")
    def read_log(request: Request, bucket: str, name: str) -> Any:
        _meta, data = need(cloud.objects, (bucket, name), "NoSuchKey")
        match = re.match(r"bytes=(\d+)", request.headers.get("Range", "bytes=0"))
        rest = data[int(match.group(1)) if match else 0 :]
        if not rest:
            raise ApiError(416, "InvalidRange")
        return rest


def _parts(request: Request) -> tuple[dict[str, Any], bytes]:
    boundary = re.search(r"boundary=['\"]?([^'\";]+)", request.headers["Content-Type"])
    assert boundary is not None
    pieces = request.raw.split(b"--" + boundary.group(1).encode())[1:-1]
    bodies = [re.split(rb"\r?\n\r?\n", piece, maxsplit=1)[1] for piece in pieces]
    return json.loads(bodies[0]), re.sub(rb"\r?\n\Z", b"", bodies[1])


def put_object(cloud: FakeCloud, bucket: str, name: str, data: bytes, meta: dict[str, Any] | None = None) -> dict[str, Any]:
    """Stores an object and returns its metadata."""
    body = dict(
        meta or {},
        kind="storage#object",
        id=f"{bucket}/{name}/1",
        name=name,
        bucket=bucket,
        generation="1",
        metageneration="1",
        size=str(len(data)),
        md5Hash=base64.b64encode(hashlib.md5(data).digest()).decode(),
        timeCreated="2026-01-01T00:00:00.000Z",
        updated="2026-01-01T00:00:00.000Z",
        storageClass="STANDARD",
        selfLink=f"https://www.googleapis.com/storage/v1/b/{bucket}/o/{name}",
        mediaLink=f"https://{HOST}/download/storage/v1/b/{bucket}/o/{name}?alt=media",
    )
    cloud.objects[(bucket, name)] = (body, data)
    return body
