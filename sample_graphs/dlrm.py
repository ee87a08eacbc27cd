"""DLRM: recommendation by 26 embedding tables, their pairwise products, and two small networks."""

from collections.abc import Sequence
from dataclasses import replace

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Reduction, Tensor
from pase_core.ops import OPS

NUMBERS, WIDTH = 13, 128
"""Numeric features of an example, and the width of every table."""

BOTTOM, TOP = (512, 256, WIDTH), (1024, 1024, 512, 256, 1)
"""Outputs of the fully connected layers below and above the products."""

ROWS = (
    *(39_884_406, 39_043, 17_289, 7_420, 20_263, 3, 7_120, 1_543, 63, 38_532_951),
    *(2_953_546, 403_346, 10, 2_208, 11_938, 155, 4, 976, 14, 39_979_771),
    *(25_641_295, 39_664_984, 585_935, 12_972, 108, 36),
)
"""Rows of each table: the categories of the Criteo Terabyte data, capped at 40 million."""


def dlrm(batch: int = 65_536) -> Graph:
    """Build the graph for a batch of examples.

    A device that holds some of a table's rows or columns looks up what it has.
    """
    build = GraphBuilder("dlrm", note="Naumov et al. 2019, sizes of MLPerf Training, 26 tables")
    numbers = _dense(build, "bottom", build.input("numbers", (batch, NUMBERS)), BOTTOM, "relu")
    vectors = [build.layer("reshape", "interaction/row", numbers, sizes=(batch, 1, WIDTH))]
    for i, rows in enumerate(ROWS, 1):
        category = build.input(f"category{i}", (batch, 1))
        vectors.append(_look_up(build, f"tables/{_scope(rows)}/{i}", category, rows))
    x = build.layer("concat", "interaction/vectors", *vectors, axis=1)
    x = _pairs(build, x)
    x = build.layer("concat", "interaction/concat", numbers, x, axis=1)
    x = _dense(build, "top", x, TOP, "sigmoid")
    clicks = build.input("clicks", (batch, 1))
    build.layer("elementwise", "loss", x, clicks, kind="binary cross entropy", axes="b n")
    return build.graph()


def _scope(rows: int) -> str:
    """Tables of like size, so that a picture can show them as one box."""
    return "few" if rows < 1000 else "thousands" if rows < 1_000_000 else "millions"


def _look_up(build: GraphBuilder, name: str, category: Tensor, rows: int) -> Tensor:
    """Look up one row of a v x d table for each of n examples.

    Where q devices split the batch, they bring the gradient together in the cheaper of two ways:
    the whole table by a ring all-reduce, `2 v d (q - 1) / q` words, or only the rows looked up,
    each device gathering those of the others, `n d (q - 1) / q` words.
    """
    made = OPS["lookup"](name, (category,), vocabulary=rows, width=WIDTH)
    share = min(1.0, category.sizes[0] / (2 * rows))
    gradient = Reduction(tile=("v", "d"), over=("b",), scale=share)
    (table,) = made.layer.parameters
    layer = replace(made.layer, parameters=(replace(table, reduction=gradient),))
    (out,) = build.add(replace(made, layer=layer))
    return out


def _dense(build: GraphBuilder, scope: str, x: Tensor, widths: Sequence[int], last: str) -> Tensor:
    """Fully connected layers, rectified but for the last."""
    for i, n in enumerate(widths, 1):
        fused = ("relu",) if i < len(widths) else (last,)
        x = build.layer("fully_connected", f"{scope}/fc{i}", x, n=n, bias=True, fused=fused)
    return x


def _pairs(build: GraphBuilder, x: Tensor) -> Tensor:
    """Products of every two of the s vectors of an example, each pair once."""
    batch, n, _width = x.sizes
    x = build.layer(
        "einsum", "interaction/products", x, x, equation="b s d, b t d -> b s t", kind="products"
    )
    x = build.layer("reshape", "interaction/flatten", x, sizes=(batch, n * n))
    return build.layer(
        "resize_axes",
        "interaction/pairs",
        x,
        sizes=(batch, n * (n - 1) // 2),
        kind="lower triangle",
    )
