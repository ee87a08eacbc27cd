"""Operations that only rearrange: they cost nothing themselves, but limit how tensors are cut."""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.axes import Axis
from pase_core.errors import GraphError
from pase_core.layers import Access, Layer, Tensor
from pase_core.ops.build import Operation, access, axis_names, dimensions, sized_tensor


def _joined_sizes(
    names: Sequence[str], joined: int, total: int, others: Sequence[int]
) -> dict[str, int]:
    return dict(zip(names, (*others[:joined], total, *others[joined + 1 :]), strict=True))


def concat(name: str, inputs: Sequence[Tensor], *, axis: int, axes: str = "") -> Operation:
    """Join tensors along one axis, which is never split."""
    first = inputs[0].sizes
    for x in inputs:
        if len(x.sizes) != len(first) or any(
            a != b for i, (a, b) in enumerate(zip(x.sizes, first, strict=True)) if i != axis
        ):
            raise GraphError(
                f"concatenation {name!r}: {x.name!r} has sizes {x.sizes}, which do not go with "
                f"{first} along axis {axis}"
            )
    names = axes.split() or axis_names(len(first))
    sizes = _joined_sizes(names, axis, sum(x.sizes[axis] for x in inputs), first)
    out = sized_tensor(f"{name}.out", " ".join(sizes), sizes)
    read = " ".join("-" if i == axis else d for i, d in enumerate(names))
    layer = Layer(
        name,
        "concatenation",
        dimensions(sizes, unsplittable=(names[axis],)),
        inputs=tuple(access(x, read) for x in inputs),
        outputs=(access(out, " ".join(sizes)),),
    )
    return Operation(layer, (out,))


def split(
    name: str, inputs: Sequence[Tensor], *, axis: int, parts: Sequence[int], axes: str = ""
) -> Operation:
    """Take one tensor apart along an axis, which is never split."""
    (x,) = inputs
    if sum(parts) != x.sizes[axis]:
        raise GraphError(f"split {name!r}: parts {list(parts)} do not add up to {x.sizes[axis]}")
    names = axes.split() or axis_names(len(x.sizes))
    sizes = dict(zip(names, x.sizes, strict=True))
    written = " ".join("-" if i == axis else d for i, d in enumerate(names))
    outs = tuple(
        Tensor(f"{name}.out{i}", (*x.sizes[:axis], part, *x.sizes[axis + 1 :]))
        for i, part in enumerate(parts)
    )
    layer = Layer(
        name,
        "split",
        dimensions(sizes, unsplittable=(names[axis],)),
        inputs=(access(x, " ".join(sizes)),),
        outputs=tuple(access(out, written) for out in outs),
    )
    return Operation(layer, outs)


def stack(name: str, inputs: Sequence[Tensor], *, new: str, axes: str = "") -> Operation:
    """Stack tensors of equal sizes along a new first axis, which is never split here."""
    first = inputs[0].sizes
    names = axes.split() or axis_names(len(first))
    sizes = {new: len(inputs)} | dict(zip(names, first, strict=True))
    out = sized_tensor(f"{name}.out", " ".join(sizes), sizes)
    layer = Layer(
        name,
        "stack",
        dimensions(sizes, unsplittable=(new,)),
        inputs=tuple(access(x, " ".join(names)) for x in inputs),
        outputs=(access(out, " ".join(sizes)),),
    )
    return Operation(layer, (out,))


def unstack(name: str, inputs: Sequence[Tensor], *, axes: str) -> Operation:
    """Take a tensor apart along its first axis, which is never split here."""
    (x,) = inputs
    names = axes.split()
    sizes = dict(zip(names, x.sizes, strict=True))
    rest = " ".join(names[1:])
    outs = tuple(sized_tensor(f"{name}.out{i}", rest, sizes) for i in range(x.sizes[0]))
    layer = Layer(
        name,
        "unstack",
        dimensions(sizes, unsplittable=(names[0],)),
        inputs=(access(x, " ".join(sizes)),),
        outputs=tuple(access(out, rest) for out in outs),
    )
    return Operation(layer, outs)


def flatten(name: str, inputs: Sequence[Tensor], *, axes: str = "") -> Operation:
    """Lay a tensor out as one axis; only contiguous pieces of it may be cut off."""
    (x,) = inputs
    names = axes.split() or axis_names(len(x.sizes))
    sizes = dict(zip(names, x.sizes, strict=True))
    out = sized_tensor(f"{name}.out", f"({' '.join(names)})", sizes)
    layer = Layer(
        name,
        "flatten",
        dimensions(sizes),
        inputs=(access(x, " ".join(names)),),
        outputs=(access(out, f"({' '.join(names)})"),),
        row_major=(tuple(names),),
    )
    return Operation(layer, (out,))


def unflatten(name: str, inputs: Sequence[Tensor], *, sizes: dict[str, int]) -> Operation:
    """Give a tensor of one axis the sizes named; only contiguous pieces may be cut off."""
    (x,) = inputs
    names = tuple(sizes)
    out = sized_tensor(f"{name}.out", " ".join(names), sizes)
    if out.n_elements != x.n_elements:
        raise GraphError(
            f"unflatten {name!r}: {x.name!r} has {x.n_elements} elements, "
            f"{' x '.join(map(str, sizes.values()))} are {out.n_elements}"
        )
    layer = Layer(
        name,
        "unflatten",
        dimensions(sizes),
        inputs=(access(x, f"({' '.join(names)})"),),
        outputs=(access(out, " ".join(names)),),
        row_major=(names,),
    )
    return Operation(layer, (out,))


def transpose(name: str, inputs: Sequence[Tensor], *, order: Sequence[int]) -> Operation:
    """Reorder the axes: axis i of the result is axis `order[i]` of the input."""
    (x,) = inputs
    if sorted(order) != list(range(len(x.sizes))):
        raise GraphError(
            f"transpose {name!r}: order {list(order)} is no permutation of the {len(x.sizes)} "
            f"axes of {x.name!r}"
        )
    names = axis_names(len(x.sizes))
    sizes = dict(zip(names, x.sizes, strict=True))
    written = " ".join(names[i] for i in order)
    out = sized_tensor(f"{name}.out", written, sizes)
    layer = Layer(
        name,
        "transpose",
        dimensions(sizes),
        inputs=(access(x, " ".join(names)),),
        outputs=(access(out, written),),
    )
    return Operation(layer, (out,))


def resize_axes(
    name: str, inputs: Sequence[Tensor], *, sizes: Sequence[int], kind: str = "slice"
) -> Operation:
    """Change the sizes of some axes, as slices and paddings do; those axes are never split."""
    (x,) = inputs
    if len(sizes) != len(x.sizes):
        raise GraphError(f"{kind} {name!r}: {x.sizes} and {tuple(sizes)} differ in their axes")
    named = dict(zip(axis_names(len(sizes)), sizes, strict=True))
    changed = [d for d, size in zip(named, x.sizes, strict=True) if named[d] != size]
    out = sized_tensor(f"{name}.out", " ".join(named), named)
    layer = Layer(
        name,
        kind,
        dimensions(named, unsplittable=changed),
        inputs=(access(x, " ".join("-" if d in changed else d for d in named)),),
        outputs=(access(out, " ".join(named)),),
    )
    return Operation(layer, (out,))


def reshape(name: str, inputs: Sequence[Tensor], *, sizes: Sequence[int]) -> Operation:
    """Reshape with as many splittable dimensions as survive.

    Axes are grouped from the left into the shortest runs with equal products on both sides. A run
    of one axis against several is cut in row-major order; several against several stay whole.

    Raises:
        GraphError: if the numbers of elements differ.
    """
    (x,) = inputs
    out = Tensor(f"{name}.out", tuple(sizes))
    if out.n_elements != x.n_elements:
        raise GraphError(
            f"reshape {name!r}: {x.sizes} has {x.n_elements} elements, {tuple(sizes)} has "
            f"{out.n_elements}"
        )
    groups = reshape_groups(x.sizes, out.sizes)
    named: dict[str, int] = {}
    read: list[Axis] = []
    written: list[Axis] = []
    row_major: list[tuple[str, ...]] = []
    for i, (before, after) in enumerate(groups):
        finer = before if len(before) >= len(after) else after
        if min(len(before), len(after)) > 1:
            read += [Axis()] * len(before)
            written += [Axis()] * len(after)
            continue
        names = [_reshape_name(i, j) for j in range(len(finer))]
        named |= dict(zip(names, finer, strict=True))
        whole, parts = [Axis(tuple(names))], [Axis((n,)) for n in names]
        read += parts if finer is before else whole
        written += whole if finer is before else parts
        row_major += [tuple(names)] if len(names) > 1 else []
    layer = Layer(
        name,
        "reshape",
        dimensions(named),
        inputs=(Access(x.name, tuple(read)),),
        outputs=(Access(out.name, tuple(written)),),
        row_major=tuple(row_major),
    )
    return Operation(layer, (out,))


def _reshape_name(group: int, part: int) -> str:
    """Name a reshape's dimension: b for the first, then x1, x2_0, x2_1 ..."""
    return "b" if (group, part) == (0, 0) else f"x{group}_{part}"


def reshape_groups(
    before: Sequence[int], after: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Group axes from the left into the shortest runs with equal products.

    Axes of size 1 left over at an end join the last run.

    Example:
        >>> reshape_groups((8, 256, 6, 6), (8, 9216))
        [((8,), (8,)), ((256, 6, 6), (9216,))]
    """
    groups: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    i = j = 0
    while i < len(before) and j < len(after):
        left, right = [before[i]], [after[j]]
        product_left, product_right = left[0], right[0]
        i, j = i + 1, j + 1
        while product_left != product_right:
            if product_left < product_right:
                left.append(before[i])
                product_left *= before[i]
                i += 1
            else:
                right.append(after[j])
                product_right *= after[j]
                j += 1
        groups.append((tuple(left), tuple(right)))
    if i < len(before) or j < len(after):
        last = groups.pop() if groups else ((), ())
        groups.append((last[0] + tuple(before[i:]), last[1] + tuple(after[j:])))
    return groups
