"""What the Learn page says; mathematics in LaTeX, all of it our own text."""

from __future__ import annotations

SECTIONS = {
    "steps": "The method step by step",
    "orderings": "Why the ordering matters",
    "toy": "A toy to play with",
}
"""Titles of the sections."""

ORDERINGS = {
    "generateseq": "GENERATESEQ",
    "weighted-min-degree": "weighted min-degree",
    "breadth-first": "breadth-first",
}
"""Titles of the orderings that can be watched."""

ORDERING_HELP = (
    "- **GENERATESEQ** (the paper's): next comes the layer with the smallest dependent set.\n"
    "- **weighted min-degree**: next comes the layer with the smallest table.\n"
    "- **breadth-first**: as the layers are reached from the first one; the naive way."
)

STEPS_INTRO = (
    "Layers leave one after the other. For each, a table says what its best choice is, whatever "
    "the layers that depend on it choose. What is left at the end is one number: the optimum."
)

RECURRENCE = r"""
$$
R(i, \varphi) = \min_{C}\; t_\ell(v_i, C)
 + \sum_{u \,\in\, N(v_i)\ \text{later}} r\, t_x(u, v_i, \varphi, C)
 + \sum_{j \,\in\, S(i)} R(j, \varphi, C)
$$

Layer $v_i$ takes each configuration $C$ in turn; $\varphi$ holds the choices of its dependent set
$D(i)$. The first sum redistributes tensors between $v_i$ and its neighbours that are still there,
the second folds in the tables of layers that are gone. The table has
$K_{v_i} \cdot \prod_{u \in D(i)} K_u$ entries, where $K$ counts configurations.
"""

ORDERINGS_INTRO = (
    "The answer is the same in any order; the tables are not. A layer's table has an entry for "
    "every combination of its own choices and those of its dependent set."
)

ORDERINGS_NOTE = (
    "Worked out on paper from the graph alone; no table was filled. One entry takes 8 bytes. The "
    "search visits the whole table but keeps only the best choice for each combination of the "
    "dependent set, so what has to be kept is smaller, by the number of the layer's choices."
)

TOY_INTRO = (
    "Three layers, 4 devices. Choose how each layer is split and watch what it costs: arithmetic "
    "shrinks with every split, but partial results have to be added up across devices, and a "
    "tensor that is cut in another way than its reader wants has to be redistributed."
)
