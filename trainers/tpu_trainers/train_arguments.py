"""Parts of the command line that all trainers have."""

import re
from collections.abc import Sequence

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CREDENTIAL = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIALS?|PRIVATE_KEY|ACCESS_KEY)$")
# Set per worker by Ray, GKE or the TPU webhook; a fixed value would be wrong on all workers but one, or after a change of size.
_OWNED = re.compile(r"MEGASCALE_(?!PORT$).*|TPU_(NAME|WORKER_ID|WORKER_HOSTNAMES|TOPOLOGY|ACCELERATOR_TYPE|VISIBLE_CHIPS|PROCESS_.*)")


def environment(pairs: Sequence[str], problems: list[str]) -> dict[str, str]:
    """The variables of ``--env NAME=VALUE``; adds what is refused to ``problems``."""
    env: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not _NAME.fullmatch(name):
            # The value is left out of the message: it may be a secret that was misplaced.
            problems.append(f"--env {name}: must be NAME=VALUE")
        elif _OWNED.fullmatch(name):
            problems.append(f"--env {name}: is set for each worker by Ray, GKE or the TPU webhook; leave it out")
        elif _CREDENTIAL.search(name.upper()):
            problems.append(f"--env {name}: looks like a credential; give it to the pods from a Secret, command lines can be read by everyone")
        else:
            env[name] = value
    return env
