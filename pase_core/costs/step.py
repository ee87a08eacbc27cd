"""How a training step is carried out: number formats, optimizer, what is kept or made anew.

Cost models and memory both read this, so that seconds and bytes belong to the same step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pase_core.checks import did_you_mean
from pase_core.errors import OptionError
from pase_core.graph import ELEMENT_BYTES
from pase_core.layers import Access

Optimizer = Literal["adam", "momentum", "sgd"]
Reduce = Literal["all_reduce", "reduce_scatter", "reduce_scatter_all"]

MOMENTS: Mapping[Optimizer, int] = {"adam": 2, "momentum": 1, "sgd": 0}
"""Numbers that an optimizer keeps per parameter, in float32 or wider."""

ZERO_STAGES = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class Precision:
    """Bytes per number of what a training step holds and sends.

    Attributes:
        weight: a parameter as the layers read it.
        gradient: the gradient of a parameter, held and reduced.
        activation: a tensor between layers, or its gradient.
        master: a wider copy of a parameter that the optimizer updates; 0 if there is none.
        moment: a number that the optimizer keeps.
    """

    weight: int
    gradient: int
    activation: int
    master: int
    moment: int


PRECISIONS: Mapping[str, Precision] = {
    "float64": Precision(8, 8, 8, 0, 8),
    "float32": Precision(4, 4, 4, 0, 4),
    "float16": Precision(2, 2, 2, 4, 4),
    "bfloat16": Precision(2, 2, 2, 4, 4),
    "float8": Precision(1, 2, 1, 4, 4),
}
"""By element type. Mixed precision keeps float32 master weights and moments (Micikevicius et al.,
Mixed precision training, 2018), so bfloat16 with Adam takes 2 + 2 + 4 + 8 = 16 bytes a parameter
(Rajbhandari et al., ZeRO, 2020). float8 reduces its gradients in 16 bits."""


@dataclass(frozen=True, slots=True)
class StepOptions:
    """How a training step is carried out.

    Attributes:
        element_type: a key of PRECISIONS; None for the graph's own.
        optimizer: decides the numbers kept per parameter.
        zero_stage: what is shared out over the devices that hold the same parameters: 1 the
            optimizer's state, 2 gradients as well, 3 parameters as well (ZeRO, 2020).
        recompute: drop what cheap layers write, and make it anew in the backward pass
            (see `pase_core.costs.surroundings`).
        overlap: hide the reduction of a layer's weight gradients behind its backward compute.
        reduce: `reduce_scatter` replaces the all-reduce of an input's gradient of which the
            producer needs a slice only, as DTensor does; `reduce_scatter_all` that of outputs as
            well, as Megatron-LM's sequence parallelism does.
        use_all_devices: allow only configurations that keep every device busy.
        batch_inside: parts of the batch are neighbours inside a node; otherwise they lie in
            different nodes as far as possible, and everything else lies inside.
    """

    element_type: str | None = None
    optimizer: Optimizer = "adam"
    zero_stage: int = 0
    recompute: bool = False
    overlap: bool = False
    reduce: Reduce = "all_reduce"
    use_all_devices: bool = False
    batch_inside: bool = False

    def __post_init__(self) -> None:
        """Check every choice."""
        self._check("element type", self.element_type, (None, *ELEMENT_BYTES))
        self._check("optimizer", self.optimizer, tuple(MOMENTS))
        self._check("ZeRO stage", self.zero_stage, ZERO_STAGES)
        self._check("reduce", self.reduce, get_args(Reduce))

    @staticmethod
    def _check(what: str, value: object, allowed: tuple[object, ...]) -> None:
        if value in allowed and not isinstance(value, bool):
            return
        names = [str(each) for each in allowed if each is not None]
        raise OptionError(
            f"unknown {what} {value!r}; known: {', '.join(names)}{did_you_mean(str(value), names)}"
        )

    def precision(self, element_type: str) -> Precision:
        """Bytes per number for a graph of an element type."""
        return PRECISIONS[self.element_type or element_type]

    def state_bytes(self, precision: Precision) -> int:
        """Bytes per parameter that the optimizer keeps: a master copy and its moments."""
        return precision.master + MOMENTS[self.optimizer] * precision.moment

    def update_bytes(self, precision: Precision) -> int:
        """Bytes per parameter that an update reads and writes.

        The gradient is read, the state read and written; so is the parameter, or it is only
        written where a master copy is read instead.
        """
        weights = 1 if precision.master else 2
        read_and_written = 2 * self.state_bytes(precision)
        return precision.gradient + read_and_written + weights * precision.weight

    def takes_apart(self, access: Access, *, is_output: bool) -> bool:
        """Whether an all-reduce is taken apart: only one that follows from the tensor's axes."""
        allowed = ("reduce_scatter_all",) if is_output else ("reduce_scatter", "reduce_scatter_all")
        return self.reduce in allowed and access.real_reduction is None

    @property
    def needs_seconds(self) -> tuple[str, ...]:
        """The options taken that cost or save time in a way that FLOP cannot say."""
        taken = {
            "--zero": self.zero_stage > 0,
            "--recompute": self.recompute,
            "--overlap": self.overlap,
            "--reduce": self.reduce != "all_reduce",
            "--batch-inside": self.batch_inside,
        }
        return tuple(name for name, is_taken in taken.items() if is_taken)
