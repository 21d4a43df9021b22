"""Everything that must be right is checked before anything is created, all at once."""

from __future__ import annotations

import os
from pathlib import Path

from lab import Lab, expect, one_line


def test_permissions_and_billing_are_named_together(lab: Lab) -> None:
    with lab.world("multislice-explicit") as world:
        world.cloud.billing = False
        world.cloud.permissions_denied = {"container.clusters.create", "compute.networks.create"}
        result = expect(world.run("preflight.sh"), 3)
        one_line(result, "preflight", "project my-project", "billing is off", "next: ")
        one_line(result, "preflight", "container.clusters.create", "for the cluster", "roles/container.admin")
        one_line(result, "preflight", "compute.networks.create", "for the networks", "roles/compute.networkAdmin")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_the_access_token_is_not_an_argument(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        log = world.folder / "curl-arguments"
        real = next(Path(folder) / "curl" for folder in os.environ["PATH"].split(os.pathsep) if (Path(folder) / "curl").exists())
        world.stub("curl", f'printf "%s\\n" "$@" >>{log}\nexec {real} "$@"\n')
        result = expect(world.run("preflight.sh"), 0)
        assert "test-access-token" not in log.read_text() + result.text
        assert world.cloud.matching(r"^POST cloudresourcemanager.*:testIamPermissions$")


def test_a_project_that_is_not_there_stops(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        world.edit("id=my-project", "id=my-projekt")
        result = expect(world.run("up.sh"), 3)
        one_line(result, "preflight", "project my-projekt", "next: correct project in platform.yaml")
        assert world.cloud.changes() == [], world.cloud.changes()


def test_missing_tools_are_named(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        # A PATH with the shell's own tools and gcloud, but without kubectl and its plugin.
        tools = world.folder / "tools"
        tools.mkdir()
        for name in ("bash", "env", "awk", "cat", "cut", "date", "dirname", "grep", "head", "mktemp", "mv", "rm", "sed", "sort", "tail", "touch", "tr", "wc", "sleep"):
            real = next((Path(folder) / name for folder in ("/usr/bin", "/bin") if (Path(folder) / name).exists()))
            (tools / name).symlink_to(real)
        (tools / "gcloud").symlink_to("/bin/true")
        result = expect(world.run("preflight.sh", PATH=str(tools)), 3)
        one_line(result, "preflight", "tools", "kubectl, gke-gcloud-auth-plugin", "next: install")


def test_every_mistake_of_the_table_is_named_with_its_line(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        world.edit("mode=standard", "mode=standart")
        world.edit("topology=4x4", "topologie=4x4")
        world.edit("location=us-east5-b", "location=")
        table = world.directory / "infrastructure.tsv"
        table.write_text(table.read_text() + "nodepool\tname=x\n")
        lines = table.read_text().splitlines()
        number = {word: 1 + next(i for i, line in enumerate(lines) if word in line) for word in ("standart", "topologie", "nodepool")}
        result = expect(world.run("up.sh"), 2)
        assert f'infrastructure.tsv:{number["standart"]}: cluster: mode is "standart": allowed are standard,autopilot' in result.err, result.err
        assert f'infrastructure.tsv:{number["standart"]}: cluster: key "location" has no value' in result.err, result.err
        assert f'infrastructure.tsv:{number["topologie"]}: node-pool: key "topologie" is unknown: allowed are name, role' in result.err, result.err
        assert f'infrastructure.tsv:{number["nodepool"]}: kind "nodepool" is unknown' in result.err, result.err
        assert world.cloud.records == []


def test_an_unknown_option_and_a_missing_directory_are_wrong_usage(lab: Lab) -> None:
    with lab.world("quick-start") as world:
        expect(world.run("down.sh", "--force"), 2, "--force: unknown option")
        (world.directory / "infrastructure.tsv").unlink()
        expect(world.run("up.sh"), 2, "infrastructure.tsv: not found", "npm run synth")
