"""The Hugging Face token reaches the Secret, and nothing else."""

from __future__ import annotations

import base64
import os
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
        assert "annotations" not in world.cloud.kubernetes[KEY]["metadata"]


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
