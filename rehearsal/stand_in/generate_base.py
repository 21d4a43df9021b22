"""Writes maxtext/configs/base.yml: the parameters of a real MaxText with their defaults, so that the stand-in refuses what MaxText would.

Run in an environment with the pinned MaxText (test/ray/trainer/maxtext-environment.sh prints one):
``JAX_PLATFORMS=cpu DECOUPLE_GCLOUD=TRUE python rehearsal/stand_in/generate_base.py``.
"""

import importlib.metadata
from pathlib import Path

import maxtext
import yaml
from maxtext.configs import types

base = yaml.safe_load((Path(maxtext.__file__).parent / "configs" / "base.yml").read_text())
# Only names and plain defaults: lists and tables (sharding rules and the like) mean nothing to the stand-in.
parameters = {name: None for name in types.MaxTextConfig.model_fields}
parameters |= {name: value if isinstance(value, (bool, int, float, str)) else None for name, value in base.items()}
header = f"# Parameters of MaxText {importlib.metadata.version('maxtext')} and their defaults; written by generate_base.py beside this package.\n"
target = Path(__file__).parent / "maxtext" / "configs" / "base.yml"
target.write_text(header + yaml.safe_dump(parameters, sort_keys=True, width=140, allow_unicode=True))
print(f"{len(parameters)} parameters")
