"""Compiles one MaxText training step for a TPU slice that is not there, and reports its memory.

    python compile_step.py REQUEST REPORT

REQUEST is a JSON file with ``topology`` (see aot_topology.register), ``podType``, ``slices``, ``arguments`` (MaxText's
``key=value``), ``outputDirectory`` and ``environment`` (variables the compiler reads). REPORT is the number of an open
file descriptor; every step is one JSON object on a line of it:

    {"phase": "loading"}, {"phase": "building"}, {"phase": "compiling"}
    {"result": {"argumentBytes": …, "temporaryBytes": …, "codeBytes": …, "outputBytes": …, "sharedBytes": …}}
    {"refused": "the compiler's message: out of memory"}
    {"failed": "any other message"}

The exit code is 0 whenever the last line is one of the last three. MaxText's own output goes where the process's does.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import aot_topology


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    with open(int(sys.argv[2]), "w", encoding="utf-8") as report:

        def say(**event: Any) -> None:
            print(json.dumps(event), file=report, flush=True)

        os.environ.update(request["environment"])
        aot_topology.prepare_process(request["podType"])
        say(phase="loading")
        try:
            say(result=compile_step(request, say))
        except Exception as error:  # noqa: BLE001, every failure of the compiler or of MaxText is a verdict
            text = f"{type(error).__name__}: {error}"
            if "RESOURCE_EXHAUSTED" in text:
                say(refused=text)
            else:
                say(failed=text)


def compile_step(request: dict[str, Any], say: Any) -> dict[str, int]:
    """Compiles and returns the compiler's figures, bytes per device.

    The entry is MaxText's own; what it compiles is caught on the way, since it only prints the figures.
    """
    from maxtext.trainers.pre_train import train_compile

    say(phase="building")
    compiled: list[Any] = []
    jit_and_compile = train_compile.jit_and_compile

    def catch(*arguments: Any, **options: Any) -> Any:
        say(phase="compiling")
        compiled.append(jit_and_compile(*arguments, **options))
        return compiled[0]

    train_compile.jit_and_compile = catch
    train_compile.main(
        [
            "train_compile",
            *request["arguments"],
            f"base_output_directory={request['outputDirectory']}",
            f"compile_topology={aot_topology.register(request['topology'])}",
            f"compile_topology_num_slices={request['slices']}",
        ]
    )
    memory = compiled[0].memory_analysis()
    return {
        "argumentBytes": memory.argument_size_in_bytes,
        "temporaryBytes": memory.temp_size_in_bytes,
        "codeBytes": memory.generated_code_size_in_bytes,
        "outputBytes": memory.output_size_in_bytes,
        "sharedBytes": memory.alias_size_in_bytes,
    }


if __name__ == "__main__":
    main()
