"""Operations of today's sequence models, counted as kernels compute them.

`embedding` and `softmax` follow the prototype's counts: a table is multiplied by one-hot vectors,
and the gradient of a softmax takes a whole row per element. Both would outweigh the rest of a
model with a large vocabulary or long sequences. The operations here count what is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.errors import GraphError
from pase_core.layers import Layer, Reduction, Tensor, Work
from pase_core.messages import AllReduce
from pase_core.ops.build import Operation, access, dimensions, sized_tensor


def lookup(name: str, inputs: Sequence[Tensor], *, vocabulary: int, width: int) -> Operation:
    """Read rows of a vocabulary x width table; dimensions b s d v.

    Forward a copy; backward one addition per element of the result, into the gradient of its row.
    A part of the vocabulary yields zeros for the words that it lacks, so the result is reduced
    over the splits of v. Word numbers have no gradient.
    """
    (ids,) = inputs
    sizes = {"b": ids.sizes[0], "s": ids.sizes[1], "d": width, "v": vocabulary}
    table = Tensor(f"{name}.table", (vocabulary, width))
    out = sized_tensor(f"{name}.out", "b s d", sizes)
    layer = Layer(
        name,
        "embedding",
        dimensions(sizes),
        inputs=(access(ids, "b s", _NO_GRADIENT),),
        outputs=(access(out, "b s d"),),
        parameters=(access(table, "v d"),),
        work=(Work(("b", "s", "d"), 1),),
    )
    return Operation(layer, (out,), (table,))


def row_softmax(name: str, inputs: Sequence[Tensor], *, along: str, axes: str) -> Operation:
    """Softmax along one dimension: 9 FLOP per element.

    Forward maximum, difference, exponential, sum, quotient; backward y (dy - sum of y dy). If rows
    are split, each exchanges two words forward (maximum, sum) and one backward.

    Raises:
        GraphError: if the dimension is not among the axes, or the axes do not fit the tensor.
    """
    (x,) = inputs
    names = axes.split()
    if len(names) != len(x.sizes) or along not in names:
        raise GraphError(
            f"softmax {name!r}: axes {axes!r} must name the {len(x.sizes)} axes of {x.name!r}, "
            f"{along!r} among them"
        )
    sizes = dict(zip(names, x.sizes, strict=True))
    others = tuple(d for d in names if d != along)
    out = sized_tensor(f"{name}.out", axes, sizes)
    layer = Layer(
        name,
        "softmax",
        dimensions(sizes),
        inputs=(access(x, axes),),
        outputs=(access(out, axes),),
        work=(Work(tuple(names), 9),),
        messages=(AllReduce(tile=others, over=(along,), scale=3),),
    )
    return Operation(layer, (out,))


def dispatch(name: str, inputs: Sequence[Tensor], *, experts: int, chosen: int) -> Operation:
    """Send every token b s d to the experts chosen for it: slots b x k d, k for each expert.

    The second input holds the router's weights b s x. Loads are taken as balanced: a sequence of s
    tokens fills k = s * chosen / x slots of each of the x experts. Tokens are sorted within their
    sequence, so sequences stay whole here, and so do the slots; experts that are split read their
    slots from every device, the all-to-all of expert parallelism. Backward one addition per slot.

    Raises:
        GraphError: if the slots do not spread evenly over the experts.
    """
    x, weights = inputs
    b, s, d = x.sizes
    n_slots, rest = divmod(s * chosen, experts)
    if rest:
        raise GraphError(
            f"dispatch {name!r}: {s} tokens to {chosen} of {experts} experts each do not spread "
            "evenly; use a sequence length that does"
        )
    sizes = {"b": b, "s": s, "d": d}
    out = Tensor(f"{name}.out", (b, experts, n_slots, d))
    layer = Layer(
        name,
        "dispatch to experts",
        dimensions(sizes, unsplittable=("s",)),
        inputs=(access(x, "b s d"), access(weights, "b s -", _NO_GRADIENT)),
        outputs=(access(out, "b - - d"),),
        work=(Work(("b", "s", "d"), chosen),),
    )
    return Operation(layer, (out,))


def combine(name: str, inputs: Sequence[Tensor], *, chosen: int) -> Operation:
    """Bring the experts' slots b x k d back to their tokens, weighted by the router's b s x.

    Three multiply-adds per slot and element: the result, and the gradients of slot and weight.
    Sequences and slots stay whole, as in `dispatch`.
    """
    slots, weights = inputs
    b, s, _experts = weights.sizes
    sizes = {"b": b, "s": s, "d": slots.sizes[3]}
    out = sized_tensor(f"{name}.out", "b s d", sizes)
    gradient = Reduction(("b", "s"), over=("d",), scale=chosen)
    layer = Layer(
        name,
        "combine experts",
        dimensions(sizes, unsplittable=("s",)),
        inputs=(access(slots, "b - - d"), access(weights, "b s -", gradient)),
        outputs=(access(out, "b s d"),),
        work=(Work(("b", "s", "d"), 6 * chosen),),
    )
    return Operation(layer, (out,))


_NO_GRADIENT = Reduction(tile=(), over=())
