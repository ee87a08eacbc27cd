"""How transformers are split by hand today, on every mesh of d x t = p devices.

The batch is cut d ways everywhere. What the t devices of a group share:

    Megatron-LM             Heads, hidden units and vocabulary. Of a pair of products the first
                            splits its columns, the second its rows: one sum of b s d over the
                            group behind the pair, and one of its input's gradient, backward.
                            (M. Shoeybi et al., Megatron-LM: Training Multi-Billion Parameter
                            Language Models Using Model Parallelism, 2019.)
    Megatron-LM + sequence  The same, and norms, sums and dropouts, otherwise done t times over,
                            split positions. (V. Korthikanti et al., Reducing Activation
                            Recomputation in Large Transformer Models, 2022.)
    context parallel        Positions, in every layer that has them; attention splits those of the
                            queries, and reads the keys and values of all. (S. Li et al., Sequence
                            Parallelism: Long Sequence Training from System Perspective, 2021.)

A dimension is cut into as many equal parts as divide t: of 12 heads and t = 8 each device does 3,
every two the same. Fewer heads of keys and values than t are split as far as they go, and the
heads of queries that share one then take the rest. A vocabulary that t does not divide (50,257 is
29 x 1733) would be padded in practice; a graph has no padding, so positions take the rest there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice

from pase_core.axes import BATCH
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.recipes import Expert, Variants, Wish, meshes
from pase_core.transformer_roles import Roles, transformer_roles

_Share = Callable[[Layer, Roles, int], Wish]
"""What a group of t devices splits of a layer."""


def _share(layer: Layer, names: tuple[str, ...], t: int) -> dict[str, int]:
    """Parts of the dimensions in their order: of each as many as divide what is left of t."""
    sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    parts: dict[str, int] = {}
    for name in names:
        parts[name] = math.gcd(sizes[name], t)
        t //= parts[name]
    return parts


def _positions(layer: Layer, roles: Roles, t: int) -> Wish:
    return _share(layer, (roles.positions,) if roles.positions else (), t)


def _tensor(layer: Layer, roles: Roles, t: int) -> Wish:
    """Heads, hidden units, vocabulary; beside the vocabulary positions, with what is left of t."""
    rest = (roles.positions,) if roles.words and roles.positions else ()
    return _share(layer, (*roles.inner, *roles.words, *rest), t)


def _tensor_and_positions(layer: Layer, roles: Roles, t: int) -> Wish:
    share = _tensor if roles.inner or roles.words else _positions
    return share(layer, roles, t)


def _every_mesh(share: _Share, graph: Graph, n_devices: int) -> Variants:
    roles = transformer_roles(graph)
    for d, t in meshes(n_devices):
        yield f" {d} x {t}", partial(_wish, share, roles, d, t)


def _wide_meshes(share: _Share, graph: Graph, n_devices: int) -> Variants:
    """Those with t > 1, as one column is data parallelism, which Megatron-LM has already."""
    first = 1 if n_devices > 1 else 0
    return islice(_every_mesh(share, graph, n_devices), first, None)


def _wish(share: _Share, roles: Mapping[str, Roles], d: int, t: int, layer: Layer) -> Wish:
    return {BATCH: d, **share(layer, roles[layer.name], t)}


def _is_transformer(graph: Graph) -> bool:
    return bool(transformer_roles(graph))


TRANSFORMER_EXPERTS = tuple(
    Expert(name, note, _is_transformer, partial(variants, share))
    for name, note, variants, share in (
        (
            "Megatron-LM",
            "The batch d ways; heads, hidden units and vocabulary t ways (Shoeybi et al. 2019).",
            _every_mesh,
            _tensor,
        ),
        (
            "Megatron-LM + sequence",
            "As Megatron-LM; norms and sums split the sequence t ways (Korthikanti et al. 2022).",
            _wide_meshes,
            _tensor_and_positions,
        ),
        (
            "context parallel",
            "Every layer splits the batch d ways and the sequence t ways (Li et al. 2021).",
            _wide_meshes,
            _positions,
        ),
    )
)
