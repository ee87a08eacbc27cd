"""Operations of recurrent networks that a plain matrix product does not describe."""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.errors import GraphError
from pase_core.layers import Layer, Reduction, Tensor, Work
from pase_core.messages import AllReduce, Relayout
from pase_core.ops.build import Operation, access, check_rank, dimensions, sized_tensor
from pase_core.ops.matrix import LSTM_POINTWISE


def lstm_layer(name: str, inputs: Sequence[Tensor], *, width: int) -> Operation:
    """One LSTM layer, whose input may be wider than its state; dimensions b s d k e.

    A step multiplies its input, d wide, and the state before it, k wide, by the weights of four
    gates, 4 e wide, and fetches of the step before what it does not hold. The gradient of that
    state is summed over the splits of e, as that of the input is. Time is never split.

    Raises:
        GraphError: if the input is no b x s x d.
    """
    (x,) = inputs
    check_rank("LSTM layer", name, x, (3,))
    sizes = {"b": x.sizes[0], "s": x.sizes[1], "d": x.sizes[2], "k": width, "e": width}
    out = sized_tensor(f"{name}.out", "b s e", sizes)
    of_input = Tensor(f"{name}.weight", (sizes["d"], 4, width))
    of_state = Tensor(f"{name}.state_weight", (width, 4, width))
    shift = Tensor(f"{name}.bias", (4, width))
    layer = Layer(
        name,
        "LSTM",
        dimensions(sizes, unsplittable=("s",)),
        inputs=(access(x, "b s d", Reduction(("b", "s", "d"), ("e",))),),
        outputs=(access(out, "b s e", Reduction(("b", "s", "e"), ("d", "k"), 4)),),
        parameters=(
            access(of_input, "d - e", Reduction(("d", "e"), ("b",), 4)),
            access(of_state, "k - e", Reduction(("k", "e"), ("b",), 4)),
            access(shift, "- e", Reduction(("e",), ("b",), 4)),
        ),
        work=(
            Work(("b", "s", "d", "e"), 3 * 4, "multiply_add"),
            Work(("b", "s", "k", "e"), 3 * 4, "multiply_add"),
            Work(("b", "s", "e"), 3 * 4 * LSTM_POINTWISE),
        ),
        messages=(
            Relayout(times=("s",), held=("b", "e"), needed=("b", "k")),
            AllReduce(("b", "s", "k"), over=("e",), component="input_gradient"),
        ),
    )
    return Operation(layer, (out,), (of_input, of_state, shift))


def additive_scores(name: str, inputs: Sequence[Tensor]) -> Operation:
    """Scores of additive attention, `score[s, t] = v . tanh(query[s] + key[t])`.

    Dimensions b s t a; queries b s a and keys b t a come projected, and v is trained. Three
    multiply-adds per point, as a matrix product of these sizes, and three passes over the sum and
    its tanh. (Bahdanau et al., 2015.)

    Raises:
        GraphError: if queries and keys are no b x s x a and b x t x a.
    """
    queries, keys = inputs
    for x in inputs:
        check_rank("additive scores", name, x, (3,))
    batch, steps, width = queries.sizes
    if (keys.sizes[0], keys.sizes[2]) != (batch, width):
        raise GraphError(
            f"additive scores {name!r}: queries of sizes {queries.sizes} and keys of "
            f"{keys.sizes} do not go together; only their steps may differ"
        )
    sizes = {"b": batch, "s": steps, "t": keys.sizes[1], "a": width}
    out = sized_tensor(f"{name}.out", "b s t", sizes)
    vector = Tensor(f"{name}.vector", (width,))
    layer = Layer(
        name,
        "additive attention",
        dimensions(sizes),
        inputs=(access(queries, "b s a"), access(keys, "b t a")),
        outputs=(access(out, "b s t"),),
        parameters=(access(vector, "a"),),
        work=(Work(tuple(sizes), 3, "multiply_add"), Work(tuple(sizes), 3 * 2)),
    )
    return Operation(layer, (out,), (vector,))
