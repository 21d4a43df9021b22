"""The Hugging Face token reaches the Secret, and nothing else; nothing else of any Secret is touched."""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path
from typing import Any

from lab import Lab, expect, one_line
from world import World

TOKEN = "hf_TestTokenOfNobody"
KEY = ("secrets", "training", "hf-secret")


def stored(world: World) -> Any:
    return base64.b64decode(world.cloud.kubernetes[KEY]["data"]["hf_api_token"]).decode()


def watch_arguments(world: World) -> Path:
    """Records the arguments of kubectl and gcloud, then runs them."""
    log = world.folder / "arguments"
    for name in ("kubectl", "gcloud"):
        real = next(Path(folder) / name for folder in os.environ["PATH"].split(os.pathsep) if (Path(folder) / name).exists())
        world.stub(name, f'printf "%s\\n" "$@" >>{log}\nexec {real} "$@"\n')
    return log


def test_a_token_from_standard_input_or_a_file_is_stored_and_shown_nowhere(lab: Lab) -> None:
    with lab.world_after_up("tpu7x") as world:
        expect(world.run("credentials.sh"), 0)
        log = watch_arguments(world)
        result = expect(world.run("hf-secret.sh", stdin=TOKEN + "\n"), 0)
        one_line(result, "created", "secret training/hf-secret")
        assert stored(world) == TOKEN
        assert ("namespaces", "", "training") in world.cloud.kubernetes
        shown = result.text

        again = expect(world.run("hf-secret.sh", stdin=TOKEN), 0)
        one_line(again, "unchanged", "secret training/hf-secret")
        file = world.folder / "other-token"
        file.write_text(TOKEN + "2\n")
        changed = expect(world.run("hf-secret.sh", HF_TOKEN_FILE=str(file)), 0)
        one_line(changed, "changed", "secret training/hf-secret")
        assert stored(world) == TOKEN + "2"
        checked = expect(world.run("hf-secret.sh", "--check"), 0)
        one_line(checked, "unchanged", "secret training/hf-secret")

        shown += again.text + changed.text + checked.text + log.read_text()
        encoded = base64.b64encode(TOKEN.encode()).decode().rstrip("=")
        assert TOKEN not in shown and encoded[:20] not in shown
        # kubectl apply would have kept a copy in an annotation.
        metadata = world.cloud.kubernetes[KEY]["metadata"]
        assert "annotations" not in metadata
        # By it down.sh knows what it may delete.
        assert metadata["labels"] == {"cdk8s-tpu-ray/made-by": "hf-secret"}, metadata


def test_an_unusable_token_is_refused_without_being_shown(lab: Lab) -> None:
    with lab.world_after_up("tpu7x") as world:
        expect(world.run("credentials.sh"), 0)
        assert TOKEN not in expect(world.run("hf-secret.sh", stdin=f"{TOKEN} x\n"), 2, "the token holds white space").text
        expect(world.run("hf-secret.sh"), 2, "the token is empty")
        expect(world.run("hf-secret.sh", HF_TOKEN_FILE="/nonexistent"), 2, "HF_TOKEN_FILE: /nonexistent cannot be read")
        assert KEY not in world.cloud.kubernetes


def test_without_credentials_the_next_step_is_named(lab: Lab) -> None:
    with lab.world_after_up("tpu7x") as world:
        result = expect(world.run("hf-secret.sh", stdin=TOKEN), 1)
        one_line(result, "failed", "secret training/hf-secret", "next: run scripts/gcloud/credentials.sh")


def secret(name: str, **data: str) -> dict[str, Any]:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "training", "uid": f"uid-{name}"}, "data": encoded}


def test_the_token_goes_nowhere_else_and_other_keys_stay(lab: Lab) -> None:
    with lab.world("adopted-autopilot") as world:
        expect(world.run("credentials.sh"), 0)
        kubernetes = world.cloud.kubernetes
        kubernetes[("namespaces", "", "training")] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "training", "uid": "uid-1"}}
        kubernetes[("secrets", "training", "tokens")] = secret("tokens", **{"wandb.api.key": "theirs", "more": "kept"})
        world.cloud.forget_requests()
        result = expect(world.run("hf-secret.sh", stdin=TOKEN), 0)
        one_line(result, "changed", "secret training/tokens key hf_api_token")
        one_line(result, "unchanged", "secret training/tokens key wandb.api.key")
        line = one_line(result, "todo", "secret training/ray-auth key auth_token")
        assert kubernetes[("secrets", "training", "tokens")] == secret("tokens", **{"wandb.api.key": "theirs", "more": "kept", "hf_api_token": TOKEN})
        [record] = world.cloud.changes()
        assert record.line == "PATCH kubernetes/api/v1/namespaces/training/secrets/tokens", record
        assert record.body == {"data": {"hf_api_token": base64.b64encode(TOKEN.encode()).decode()}}, record

        # The command that is named does it, and takes nothing away either.
        file = world.folder / "value"
        file.write_text("secret of Ray")
        # The fake has no schema that kubectl could check against.
        command = line.split("with the value in FILE: ")[1].rstrip(")").replace("FILE", str(file)) + " --validate=false"
        for _turn in ("absent", "present"):
            done = subprocess.run(["bash", "-c", command], env=world.environment(), capture_output=True, text=True)
            assert done.returncode == 0, (command, done)
            data = kubernetes[("secrets", "training", "ray-auth")]["data"]
            assert base64.b64decode(data["auth_token"]) == b"secret of Ray", data
            data["more"] = "a2VwdA=="
        assert data["more"] == "a2VwdA==", data
        checked = expect(world.run("hf-secret.sh", "--check"), 0, ": no change")
        one_line(checked, "unchanged", "secret training/ray-auth key auth_token")


def test_without_a_run_that_reads_a_token_none_is_asked_for(lab: Lab) -> None:
    with lab.world("adopted-autopilot") as world:
        expect(world.run("credentials.sh"), 0)
        world.edit("hubToken=true", "hubToken=false")
        result = expect(world.run("hf-secret.sh"), 0, "no run reads a Hugging Face token")
        one_line(result, "todo", "secret training/tokens key hf_api_token", "create secret generic tokens")
        assert world.cloud.changes() == [], world.cloud.changes()
