"""The sizes of a model's inputs: what the file leaves open, and what the user gives."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onnx import ModelProto

from pase_core.checks import check_size
from pase_core.errors import ImportFileError, OpenDimensions, OptionError

_SPATIAL_SIZE = 224
_SEQUENCE_SIZE = 128

Sizes = dict[str, tuple[int, ...]]
"""Sizes of tensors by name."""

Declared = Mapping[str, tuple[int | str, ...]]
"""Per input and axis its size, or the name by which an open size is bound."""


@dataclass(frozen=True)
class Bound:
    """Sizes of all inputs.

    Attributes:
        sizes: as the user wants them.
        other: the same at another batch size, to see how the batch runs through the model; None
            if the batch is the file's.
        frozen: the file's batch size that `sizes` override, or None.
    """

    sizes: Sizes
    other: Sizes | None = None
    frozen: int | None = None


def declared_sizes(model: ModelProto, inputs: Sequence[str], source: str) -> Declared:
    """Sizes of the inputs as the file gives them.

    Raises:
        ImportFileError: if an input is no tensor with a known number of axes.
    """
    declared = {}
    for value in model.graph.input:
        if value.name not in inputs:
            continue
        if not value.type.tensor_type.HasField("shape"):
            raise ImportFileError(
                f"{source}: input {value.name!r} is no tensor with a known number of axes; export "
                "the model with example inputs"
            )
        declared[value.name] = tuple(
            axis.dim_value if axis.dim_value > 0 else axis.dim_param or f"{value.name}[{i}]"
            for i, axis in enumerate(value.type.tensor_type.shape.dim)
        )
    return declared


def bind(
    declared: Declared, batch: int | None, bindings: Mapping[str, int] | None, source: str
) -> Bound:
    """Give every axis of every input its size.

    A batch binds the first axis of inputs where that is open; where no first axis is open, it
    replaces the file's batch size. What `bindings` name themselves comes before the batch.

    Raises:
        OptionError: if a binding names no open size, a size is out of range, or the batch
            contradicts the bindings.
        OpenDimensions: if sizes stay open.
    """
    values = dict(bindings or {})
    open_names = [n for axes in declared.values() for n in axes if isinstance(n, str)]
    _check_options(values, open_names, batch, source)
    first = {axes[0] for axes in declared.values() if axes and isinstance(axes[0], str)}
    frozen = None
    if batch is not None and first:
        _check_batch_matters(batch, {str(name): values.get(str(name)) for name in first}, source)
        values = dict.fromkeys((str(name) for name in first), batch) | values
    elif batch is not None:
        frozen = _file_batch(declared, source)
    _check_complete(declared, values, source)
    sizes = _filled(declared, values)
    if frozen is not None and frozen != batch:
        return Bound(_with_batch(sizes, frozen, int(batch or 1)), other=sizes, frozen=frozen)
    if not first:
        return Bound(sizes)
    doubled = {name: 2 * size if name in first else size for name, size in values.items()}
    return Bound(sizes, other=_filled(declared, doubled))


def _check_options(
    values: Mapping[str, int], open_names: Sequence[str], batch: int | None, source: str
) -> None:
    for name, size in values.items():
        if name not in open_names:
            known = ", ".join(dict.fromkeys(open_names))
            raise OptionError(
                f"{source} has no open size {name!r}; "
                + (f"open are: {known}" if known else "none of its sizes is open")
            )
        check_size(f"the size bound to {name!r}", size, OptionError)
    if batch is not None:
        check_size("the batch", batch, OptionError)


def _check_batch_matters(batch: int, first: Mapping[str, int | None], source: str) -> None:
    """Raise OptionError if every first axis is bound by name, and to another size."""
    if None in first.values() or batch in first.values():
        return
    given = ", ".join(f"{name}={size}" for name, size in first.items())
    raise OptionError(
        f"{source}: the batch size {batch} contradicts {given}, which bind every first axis; give "
        "one of them"
    )


def _file_batch(declared: Declared, source: str) -> int:
    """Batch size that is fixed in the file: the first axis of the first input that has two."""
    ranked = sorted(declared.values(), key=lambda axes: min(len(axes), 2), reverse=True)
    if not ranked or not ranked[0]:
        raise ImportFileError(
            f"{source}: no input has an axis for the batch; leave the batch size out"
        )
    return int(ranked[0][0])


def _check_complete(declared: Declared, values: Mapping[str, int], source: str) -> None:
    """Raise OpenDimensions that lists every open size with a suggestion."""
    where: dict[str, str] = {}
    suggestions: dict[str, str] = {}
    for tensor, axes in declared.items():
        for position, name in enumerate(axes):
            if isinstance(name, str) and name not in values and name not in where:
                where[name] = f"{name} (axis {position} of {tensor})"
                suggestions[name] = _suggestion(name, position, len(axes))
    if where:
        options = dict.fromkeys(suggestions.values())
        raise OpenDimensions(
            f"{source} leaves sizes open: {', '.join(where.values())}; bind them with --bind "
            f"NAME=SIZE, such as {' '.join(options)}",
            tuple(where),
        )


def _suggestion(name: str, position: int, n_axes: int) -> str:
    """An option that would bind an open size."""
    if position == 0:
        return "--batch 32"
    is_image = n_axes >= 4 and position >= 2
    size = 3 if n_axes >= 4 and position == 1 else _SPATIAL_SIZE if is_image else _SEQUENCE_SIZE
    return f"--bind {shlex.quote(f'{name}={size}')}"


def _filled(declared: Declared, values: Mapping[str, int]) -> Sizes:
    return {
        tensor: tuple(values[size] if isinstance(size, str) else size for size in axes)
        for tensor, axes in declared.items()
    }


def _with_batch(sizes: Sizes, frozen: int, batch: int) -> Sizes:
    """Replace the file's batch size by another in every input that has it in front."""
    return {
        tensor: (batch, *axes[1:]) if axes and axes[0] == frozen else axes
        for tensor, axes in sizes.items()
    }
