"""Writes the types of the keyword arguments from the module's own table of options, so that type checkers know them.

usage: generate_options.py FOLDER_OF_THE_MODULE OUTPUT
"""

import sys

sys.path.insert(0, sys.argv[1])
import _core  # noqa: E402

TYPES = {"text": "str", "texts": "str | Sequence[str]", "flag": "bool", "number": "float", "integer": "int"}


def type_of(option):
    if option["kind"] == "choice":
        return "Literal[" + ", ".join(repr(choice) for choice in option["choices"]) + "]"
    return TYPES[option["kind"]]


def class_of(name, function):
    options = _core.option_table(function)
    lines = [f"class {name}(TypedDict, total=False):", f'    """Keyword arguments of ``{function}``."""', ""]
    for option in options:
        if function in ("estimate", "score") and option["name"] == "families":
            continue  # declared where classifiers are accepted as well
        lines += [f"    {option['name']}: {type_of(option)} | None", f'    """{option["help"]}"""']
    return lines


with open(sys.argv[2], "w", encoding="utf-8") as output:
    lines = ['"""Generated from the library\'s table of options."""', "", "from collections.abc import Sequence"]
    lines += ["from typing import Literal, TypedDict", ""]
    for name, function in [
        ("EstimateOptions", "estimate"),
        ("ScoreOptions", "score"),
        ("MarginalOptions", "marginal"),
        ("GuideOptions", "guide"),
        ("SimulateOptions", "simulate"),
    ]:
        lines += ["", *class_of(name, function), ""]
    output.write("\n".join(lines))
