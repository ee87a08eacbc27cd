"""Group layers into modules by the scopes in their names, for pictures and sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LARGEST_SHARE = 0.3
"""A module with more than this share of the layers is taken apart, if its names allow it."""

MAX_MODULES, N_STRETCHES = 60, 30
"""More modules than the first are joined to so many stretches of neighbours."""

SMALLEST_GRAPH = 20
"""Graphs of up to this many layers are not grouped: each layer is its own module."""


def module_names(layer_names: Sequence[str]) -> tuple[str, ...]:
    """Module of each layer as in `scopes`; more than MAX_MODULES are joined to stretches."""
    modules = scopes(layer_names)
    return _in_stretches(modules) if len(set(modules)) > MAX_MODULES else modules


def scopes(layer_names: Sequence[str]) -> tuple[str, ...]:
    """Scope of each layer: the first parts of its name, up to a `/`.

    The shortest prefix is taken that leaves no scope with more than LARGEST_SHARE of the layers.

    Example:
        >>> scopes(["stem/conv", "stem/norm", "head"])
        ('stem/conv', 'stem/norm', 'head')
    """
    if len(layer_names) <= SMALLEST_GRAPH:
        return tuple(layer_names)
    depths = dict.fromkeys(layer_names, 1)
    while True:
        modules = [_prefix(name, depths[name]) for name in layer_names]
        counts = Counter(modules)
        large = [
            name
            for name, module in zip(layer_names, modules, strict=True)
            if counts[module] > LARGEST_SHARE * len(layer_names) and module != name
        ]
        if not large:
            return tuple(modules)
        for name in large:
            depths[name] += 1


def _in_stretches(modules: Sequence[str]) -> tuple[str, ...]:
    """Join neighbours where names have no scopes, so that a picture has few boxes."""
    names = list(dict.fromkeys(modules))
    length = -(-len(names) // N_STRETCHES)
    stretches = [names[start : start + length] for start in range(0, len(names), length)]
    title = {
        name: stretch[0] if len(stretch) == 1 else f"{stretch[0]} … {stretch[-1]}"
        for stretch in stretches
        for name in stretch
    }
    return tuple(title[module] for module in modules)


def _prefix(name: str, depth: int) -> str:
    return "/".join(name.split("/")[:depth])
