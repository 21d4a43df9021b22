"""What the rehearsal sees on paper, before it starts anything."""

import pytest

from rehearsal import manifests
from rehearsal.findings import Report
from rehearsal.rehearse import _check


def found(project) -> list[str]:
    report = Report()
    _check(manifests.read(project.folder, None), report)
    return [str(finding) for finding in report.findings]


def replace(words: list[str], name: str, value: str | None) -> None:
    at = words.index(name)
    words[at : at + 2] = [] if value is None else [name, value]


def test_the_quick_start_fits(project):
    assert found(project) == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("--max-workers", "8", "--max-workers 8: expected 4: 4 workers in each of 1 slices"),
        ("--topology", "2x4", "--topology 2x4: expected 4x4: nodeSelector of tpu-group"),
        ("--accelerator-type", "TPU-V5P", "--accelerator-type TPU-V5P: expected TPU-V6E"),
        ("--pod-type", "v6e-32", "--pod-type v6e-32: expected v6e-16"),
        ("--hosts-per-slice", "2", "--hosts-per-slice 2: expected 4: numOfHosts of tpu-group"),
        ("--slices", "2", "--slices 2: the cluster has 1 slices (minReplicas 1), so the submitter would wait for ever"),
        ("--tpu-per-host", "8", "--tpu-per-host 8: expected 4: TPU resource of a host in Ray"),
        ("--address", "http://other-head-svc.default.svc:8265", "the head's service is llama3-8b-head-svc.default.svc"),
        ("--address", "http://llama3-8b-head-svc.default.svc:9000", "the head's container has the ports 6379, 8265, 10001"),
        ("--slices", None, "missing argument --slices"),
        ("--topology", None, "missing argument --topology"),
        ("--address", None, "missing argument --address"),
        ("--tpu-per-worker", None, "missing argument --tpu-per-worker"),
    ],
)
def test_an_argument_that_does_not_fit_the_cluster(project, name, value, expected):
    project.arguments(lambda words: replace(words, name, value))
    assert len(found(project)) == 1
    assert expected in found(project)[0]


def test_hosts_that_do_not_make_the_topology(project):
    project.worker(lambda group, container: group.update(numOfHosts=2))
    findings = found(project)
    assert findings[0] == (
        "RayCluster group tpu-group: numOfHosts 2: topology 4x4 has 16 chips, 4 a host, so a slice has 4 hosts; the TPU webhook refuses it"
    )


def test_a_topology_that_is_none(project):
    project.worker(lambda group, container: group["template"]["spec"]["nodeSelector"].pop("cloud.google.com/gke-tpu-topology"))
    assert any("nodeSelector cloud.google.com/gke-tpu-topology: None: must be a topology" in finding for finding in found(project))


def test_request_and_limit_of_chips(project):
    project.worker(lambda group, container: container["resources"]["requests"].update({"google.com/tpu": "2"}))
    assert any("google.com/tpu: request 2 and limit 4 must be equal" in finding for finding in found(project))


def secret(container, name, key):
    container.setdefault("env", []).append({"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": name, "key": key}}})


def test_a_secret_that_nobody_creates(project):
    project.worker(lambda group, container: secret(container, "hf-secret", "hf_api_token"))
    assert found(project) == [
        "RayCluster group tpu-group: env HF_TOKEN: Secret hf-secret with key hf_api_token is not among the secrets of infrastructure.tsv, "
        "so nobody creates it"
    ]


def test_a_secret_with_another_key(project):
    with (project.folder / "infrastructure.tsv").open("a") as file:
        file.write("secret\tname=hf-secret\tkey=token\tnamespace=default\n")
    project.worker(lambda group, container: secret(container, "hf-secret", "hf_api_token"))
    assert len(found(project)) == 1
    project.worker(lambda group, container: container["env"].pop())
    project.worker(lambda group, container: secret(container, "hf-secret", "token"))
    assert found(project) == []


def test_a_secret_reference_without_a_key(project):
    project.worker(lambda group, container: secret(container, "hf-secret", ""))
    assert "a Secret reference needs a name and a key" in found(project)[0]


def test_a_path_that_is_not_mounted(project):
    project.arguments(lambda words: words.extend(["jax_cache_dir=/cache/jax", "base_output_directory_is_not=/data/x"]))
    assert found(project) == [
        "Job: jax_cache_dir=/cache/jax: /cache/jax is under no mount of the workers (/dev/shm, /data), so it is lost with the pod and no other host sees it"
    ]


def test_a_mount_without_a_volume_and_a_volume_without_a_mount(project):
    project.worker(lambda group, container: container["volumeMounts"][1].update(name="other"))
    findings = found(project)
    assert "RayCluster group tpu-group: container ray-worker mounts volume other, which the pod does not have" in findings
    assert "RayCluster group tpu-group: volume llama3-8b-gcs-fuse-0 is mounted by no container" in findings


def test_a_missing_config_map(project):
    def rename(item):
        item["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] = "trainer-maxtext-00000000"

    project.change("Job", rename)
    assert found(project) == ["Job: volume sources: ConfigMap trainer-maxtext-00000000 is not in dist/"]


def test_two_ports_that_are_one(project):
    project.worker(lambda group, container: container.update(ports=[{"containerPort": 8471}, {"containerPort": 8471, "name": "b"}]))
    assert "both use 8471" in found(project)[0]


def test_a_port_of_ray(project):
    project.worker(lambda group, container: container["env"].append({"name": "MEGASCALE_PORT", "value": "8080"}))
    assert found(project) == ["RayCluster group tpu-group: env MEGASCALE_PORT uses 8080, which is Ray's metrics"]


def test_a_fixed_number_of_slices_in_a_pod(project):
    project.worker(lambda group, container: container["env"].append({"name": "MEGASCALE_NUM_SLICES", "value": "2"}))
    assert "env MEGASCALE_NUM_SLICES: Ray sets it for each worker" in found(project)[0]


def test_a_start_parameter_ray_does_not_know(project):
    project.worker(lambda group, container: group.update(rayStartParams={"num-cpus": "8", "block": "true", "num-tpus": "4"}))
    assert found(project) == ["RayCluster group tpu-group: rayStartParams num-tpus: ray start has no such option"]


def test_no_output(tmp_path):
    with pytest.raises(manifests.Unusable, match=r"no \*\.k8s\.yaml; run npm run synth"):
        manifests.read(tmp_path, None)


def test_a_run_that_is_not_there(project):
    with pytest.raises(manifests.Unusable, match="has the runs llama3-8b; there is no other"):
        manifests.read(project.folder, "other")
