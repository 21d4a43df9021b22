"""Prints what the installed MaxText takes, as JSON: its keys with the kinds, values and default of each, its models, and what each model's file sets.

Read from MaxText's own types (configs/types.py), its base.yml and its model files; nothing is copied by hand. A model that MaxText refuses with
nothing but its name is tried with the completions below, and the first that it takes is noted.
"""

import ast
import inspect
import itertools
import json
import os
import textwrap
import typing
from importlib.metadata import version

os.environ |= {"JAX_PLATFORMS": "cpu", "HF_HUB_OFFLINE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}

import logging

logging.disable(logging.WARNING)

import omegaconf
from maxtext.configs import pyconfig, types
from maxtext.utils import max_utils
from pydantic import TypeAdapter

CONFIGS = os.path.dirname(pyconfig.__file__)
KINDS = {"boolean": "bool", "integer": "int", "number": "float", "string": "str", "array": "list", "object": "map", "null": "null"}
BOUNDS = {"minimum": "minimum", "exclusiveMinimum": "above", "maximum": "maximum", "exclusiveMaximum": "below"}
# What a model may need besides its name, simplest first; where several would do each is tried alone before two together.
COMPLETIONS = ("scan_layers=false", "attention=dot_product", "use_tokamax_splash=true")


def main() -> None:
    # A configuration alone needs no other process.
    max_utils.maybe_initialize_jax_distributed_system = lambda *_: None
    base = omegaconf.OmegaConf.to_container(omegaconf.OmegaConf.load(os.path.join(CONFIGS, "base.yml")))
    keys = {}
    for name, field in types.MaxTextConfig.model_fields.items():
        nested = getattr(field.annotation, "model_fields", None)
        if nested is None:
            keys[name] = describe(field)
            if name in base and not isinstance(base[name], (dict, list)):
                keys[name]["default"] = base[name]
        else:
            keys |= {f"{name}.{inner}": describe(inner_field) for inner, inner_field in nested.items()}
    # MaxText checks the policy when it builds the model, by these names.
    keys["remat_policy"]["values"] = remat_policies()
    models = {name: model(name) for name in typing.get_args(types.ModelName) if name != "default"}
    print(
        json.dumps(
            {
                "generatedFrom": f"maxtext {version('maxtext')}: configs/types.py, configs/base.yml and configs/models, by scripts/maxtext/write_options.py",
                "maxtext": version("maxtext"),
                "inBaseFile": sorted(base),
                "converts": convertible(),
                "keys": dict(sorted(keys.items())),
                "models": models,
            }
        )
    )


def remat_policies() -> list[str]:
    """The names that the decoder compares the policy with; none of them is in a type."""
    from maxtext.layers import nnx_decoders

    source = textwrap.dedent(inspect.getsource(nnx_decoders.NNXDecoder.get_remat_policy))
    names = {
        constant.value
        for comparison in ast.walk(ast.parse(source))
        if isinstance(comparison, ast.Compare) and getattr(comparison.left, "id", None) == "remat_policy"
        for constant in ast.walk(comparison)
        if isinstance(constant, ast.Constant)
    }
    return sorted(names)


def convertible() -> list[str]:
    """Models whose weights MaxText's converter brings from the Hugging Face hub: it has a name there, a mapping and shapes for them."""
    from maxtext.checkpoint_conversion.utils.hf_shape import HF_SHAPE
    from maxtext.checkpoint_conversion.utils.param_mapping import HOOK_FNS, PARAM_MAPPING
    from maxtext.utils.globals import HF_IDS

    return sorted(set(HF_IDS) & set(PARAM_MAPPING) & set(HOOK_FNS) & set(HF_SHAPE))


def describe(field: typing.Any) -> dict[str, typing.Any]:
    """The kinds of value that a field takes, with their values and bounds; no kinds where any value will do."""
    annotated = typing.Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    schema = TypeAdapter(annotated).json_schema()
    definitions = schema.get("$defs", {})
    described: dict[str, typing.Any] = {"kinds": []}
    for alternative in schema.get("anyOf", [schema]):
        if "$ref" in alternative:
            alternative = definitions[alternative["$ref"].rsplit("/", 1)[-1]]
        if "type" not in alternative:
            return {"kinds": []}
        described["kinds"].append(KINDS[alternative["type"]])
        values = alternative.get("enum", [alternative["const"]] if "const" in alternative else None)
        if values is not None:
            described["values"] = described.get("values", []) + values
        for bound, name in BOUNDS.items():
            if bound in alternative:
                described[name] = alternative[bound]
    return described


def model(name: str) -> dict[str, typing.Any]:
    """What the model's file sets, and what else MaxText needs to take the model; without ``sets`` the model has no file."""
    path = os.path.join(CONFIGS, "models", f"{name.replace('-Instruct', '')}.yml")
    if not os.path.isfile(path):
        return {}
    described: dict[str, typing.Any] = {"sets": omegaconf.OmegaConf.to_container(omegaconf.OmegaConf.load(path))}
    if takes(name) is None:
        return described
    for count in range(1, len(COMPLETIONS) + 1):
        enough = [list(some) for some in itertools.combinations(COMPLETIONS, count) if takes(name, *some) is None]
        if enough:
            return described | {"needs": enough}
    reason = takes(name) or ""
    # Pydantic puts its own words around the reason.
    return described | {"refused": reason.split("Value error, ")[-1].split(" [type=")[0]}


def takes(name: str, *arguments: str) -> str | None:
    """Why MaxText's configuration refuses the arguments, None where it takes them. On 16 devices of one slice, which nothing is asked of."""
    given = [
        "train", os.path.join(CONFIGS, "base.yml"), f"model_name={name}", "base_output_directory=/tmp/unused", "run_name=unused",
        "log_config=false", "dataset_type=synthetic", "internal_compile=true", "internal_compile_num_devices=16", "compile_topology_num_slices=1",
        *arguments,
    ]  # fmt: skip
    try:
        pyconfig._initialize_pydantic(given)
    except Exception as error:
        return str(error)
    return None


if __name__ == "__main__":
    main()
