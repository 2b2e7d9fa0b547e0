"""Signatures and help from the library's own table of options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core

Function = TypeVar("Function", bound=Callable[..., Any])


def documented(function: str) -> Callable[[Function], Function]:
    """Writes the options of `function`, with their defaults, into a function's signature and help."""

    def decorate(target: Function) -> Function:
        signature = inspect.signature(target)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        named = {parameter.name for parameter in own}
        options = [option for option in _core.option_table(function) if option["name"] not in named]
        keywords = [
            inspect.Parameter(option["name"], inspect.Parameter.KEYWORD_ONLY, default=option["default"])
            for option in options
        ]
        target.__signature__ = signature.replace(parameters=own + keywords)  # type: ignore[attr-defined]
        target.__doc__ = inspect.cleandoc(target.__doc__ or "") + "\n\nOptions\n-------\n" + _help(options)
        return target

    return decorate


def _help(options: list[dict[str, Any]]) -> str:
    lines = []
    for option in options:
        kind = ", ".join(map(repr, option["choices"])) or option["kind"]
        group = "; protocol='paper' only" if option["group"] == "paper" else ""
        lines.append(f"{option['name']} : {kind}, default {option['default']!r}{group}\n    {option['help']}")
    return "\n".join(lines) + "\n"
