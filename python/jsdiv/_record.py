"""Nested read-only results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn


class Record(Mapping[str, Any]):
    """A read-only dictionary whose keys are also attributes; lists in it are tuples."""

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", {key: freeze(value) for key, value in values.items()})

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; available: {', '.join(self._values)}") from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("results cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("results cannot be changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return "Record(" + ", ".join(f"{key}={value!r}" for key, value in self._values.items()) + ")"

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self._values,)


def freeze(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value if isinstance(value, Record) else Record(value)
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    return value
