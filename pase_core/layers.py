"""A layer as data: dimensions, tensor accesses, work and messages.

Nothing here knows an operation by name. Cost models read only this data, so an operation that
nobody foresaw can be described in a JSON file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from pase_core.axes import Axis
from pase_core.checks import check_name, check_number, check_one_of, check_size
from pase_core.errors import GraphError
from pase_core.messages import Component, Halo, Message, Relayout

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)

MAX_DIMENSIONS = 20
"""Of one layer; it keeps products of sizes inside float64's range."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a layer's iteration space.

    Attributes:
        name: an identifier, unique in the layer, such as `b` or `vocabulary`.
        size: number of points.
        splittable: False if no configuration may split it.
    """

    name: str
    size: int
    splittable: bool = True

    def __post_init__(self) -> None:
        """Check name and size."""
        if not isinstance(self.name, str) or not _IDENTIFIER.fullmatch(self.name):
            raise GraphError(
                f"dimension name {self.name!r} is not allowed; use a letter or _, then letters, "
                "digits or _ (64 at most)"
            )
        check_size(f"dimension {self.name!r}", self.size)


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor that layers write or read.

    Attributes:
        name: unique in the graph.
        sizes: one size per axis; () for a scalar.
    """

    name: str
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check name and sizes."""
        check_name("a tensor", self.name)
        for size in self.sizes:
            check_size(f"an axis of tensor {self.name!r}", size)

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return math.prod(self.sizes)


@dataclass(frozen=True, slots=True)
class Reduction:
    """An all-reduce that follows from how a layer reads or writes a tensor.

    Each device holds `scale * product of local sizes of tile` words; devices that differ in the
    splits of `over` only add theirs up. With `prototype` only the paper's prototype counts it so:
    other cost models use what follows from the axes.
    """

    tile: tuple[str, ...]
    over: tuple[str, ...]
    scale: float = 1.0
    prototype: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """How a layer reads or writes a tensor.

    Attributes:
        tensor: the tensor's name.
        axes: one Axis per axis of the tensor.
        reduction: the all-reduce of the tensor (output) or of its gradient (input, parameter).
            None means what follows from the axes: the tile that they cut, summed over the
            dimensions that they lack.
    """

    tensor: str
    axes: tuple[Axis, ...]
    reduction: Reduction | None = None

    @property
    def real_reduction(self) -> Reduction | None:
        """The reduction that is given, unless only the prototype counts it so."""
        return None if self.reduction is None or self.reduction.prototype else self.reduction

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The layer's dimensions that cut this tensor, in the order of its axes."""
        return tuple(name for axis in self.axes for name in axis.dimensions)


WorkUnit = Literal["multiply_add", "flop"]


@dataclass(frozen=True, slots=True)
class Work:
    """Arithmetic per local point of a sub-space, forward and backward together.

    Attributes:
        over: the dimensions that span the sub-space.
        count: operations per point.
        unit: `multiply_add` (priced by the cost model's FLOP per multiply-add) or `flop`.
        prototype: whether only the paper's prototype counts it, as the product of a table with
            one-hot vectors; no kernel computes it.
    """

    over: tuple[str, ...]
    count: float
    unit: WorkUnit = "flop"
    prototype: bool = False


@dataclass(frozen=True, slots=True)
class Layer:
    """One vertex of the graph.

    Attributes:
        name: unique in the graph; `/` separates module scopes, as in `encoder/1/attention`.
        operation: what it does, for people; no cost model reads it.
        dimensions: the iteration space.
        inputs: tensors read that may come from other layers.
        outputs: tensors written.
        parameters: trained tensors read.
        work: arithmetic.
        messages: communication inside the layer beyond what follows from the accesses.
        row_major: groups of dimensions that one tensor axis holds in row-major order, of which
            only contiguous pieces may be cut off: leading dimensions split completely, then one
            split in any way, the rest whole.
        fused: operations computed in the same pass, such as `relu`.
    """

    name: str
    operation: str
    dimensions: tuple[Dimension, ...]
    inputs: tuple[Access, ...] = ()
    outputs: tuple[Access, ...] = ()
    parameters: tuple[Access, ...] = ()
    work: tuple[Work, ...] = ()
    messages: tuple[Message, ...] = ()
    row_major: tuple[tuple[str, ...], ...] = ()
    fused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the layer by itself; the graph checks it against its tensors."""
        check_name("a layer", self.name)
        check_name(f"operation of layer {self.name!r}", self.operation)
        if len(self.dimensions) > MAX_DIMENSIONS:
            raise GraphError(
                f"layer {self.name!r} has {len(self.dimensions)} dimensions; "
                f"at most {MAX_DIMENSIONS} are allowed"
            )
        if len(set(self.dimension_names)) < len(self.dimensions):
            raise GraphError(
                f"layer {self.name!r} names a dimension twice: {' '.join(self.dimension_names)}"
            )
        for access in self.accesses:
            self._check_known(f"access to {access.tensor!r}", access.dimensions)
            if len(set(access.dimensions)) < len(access.dimensions):
                raise GraphError(
                    f"layer {self.name!r} cuts two axes of {access.tensor!r} with one dimension: "
                    f"{' '.join(map(str, access.axes))}; one of them must be -"
                )
            if access.reduction is not None:
                self._check_part("reduction", access.reduction)
        for work in self.work:
            self._check_known("work", work.over)
            self._check_distinct("work", work.over)
            check_number(f"work of layer {self.name!r}", work.count)
            check_one_of(f"unit of work of layer {self.name!r}", work.unit, get_args(WorkUnit))
        for message in self.messages:
            self._check_part(f"{message.kind} message", message)
        for group in self.row_major:
            self._check_known("row_major", group)
            self._check_distinct("row_major", group)

    def _check_part(self, what: str, part: Reduction | Message) -> None:
        """Check the names and numbers of a reduction or message."""
        self._check_known(what, part.tile + part.over)
        for field, names in _name_lists(part).items():
            self._check_distinct(f"{what}, {field}", names)
        check_number(f"scale of a {what} of layer {self.name!r}", getattr(part, "scale", 1.0))
        if not isinstance(part, Reduction):
            check_one_of(f"component of a {what}", part.component, get_args(Component))
        if isinstance(part, Relayout) and len(part.held) != len(part.needed):
            raise GraphError(
                f"layer {self.name!r}, {what}: held has {len(part.held)} dimensions and needed "
                f"{len(part.needed)}; they cut the same tensor, axis by axis"
            )
        for window in part.windows if isinstance(part, Halo) else ():
            check_size(f"window of layer {self.name!r}", window.extent)
            check_size(f"window of layer {self.name!r}", window.width)

    def _check_distinct(self, what: str, names: tuple[str, ...]) -> None:
        """Raise GraphError if a dimension stands twice: its splits would count twice."""
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise GraphError(
                f"layer {self.name!r}, {what}: dimension {twice[0]!r} stands twice in "
                f"{' '.join(names)}; name each dimension once"
            )

    def _check_known(self, what: str, names: Iterable[str]) -> None:
        """Raise GraphError if a name is no dimension of this layer."""
        unknown = [name for name in names if name not in self.dimension_names]
        if unknown:
            raise GraphError(
                f"layer {self.name!r}, {what}: unknown dimension {unknown[0]!r}; "
                f"its dimensions are: {' '.join(self.dimension_names) or 'none'}"
            )

    @property
    def dimension_names(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(d.name for d in self.dimensions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return tuple(d.size for d in self.dimensions)

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Inputs, outputs and parameters."""
        return self.inputs + self.outputs + self.parameters

    def columns(self, names: tuple[str, ...]) -> list[int]:
        """Positions of the named dimensions in `dimensions`."""
        return [self.dimension_names.index(name) for name in names]

    def reduction(self, access: Access) -> Reduction:
        """The all-reduce that belongs to an access, as given or as its axes imply it."""
        return access.reduction or self.implied_reduction(access)

    def implied_reduction(self, access: Access) -> Reduction:
        """The all-reduce that follows from the axes of an access alone."""
        tile = access.dimensions
        over = tuple(d.name for d in self.dimensions if d.name not in tile)
        return Reduction(tile, over)


def _name_lists(part: Reduction | Message) -> dict[str, tuple[str, ...]]:
    """The lists of dimensions that a reduction or message names."""
    match part:
        case Relayout():
            return {"times": part.times, "held": part.held, "needed": part.needed}
        case Halo():
            return {"tile": part.tile, "windows": part.over}
        case _:
            return {"tile": part.tile, "over": part.over}
