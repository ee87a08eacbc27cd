"""Figures that people may give in place of a cluster's own, for hypothesis."""

from hypothesis import strategies as st

from pase_core.cluster import FIELDS


def figures_of(field):
    """Anything that a field allows."""
    if field.is_count:
        return st.integers(int(field.least), int(field.most))
    return st.floats(field.least, field.most, allow_subnormal=False)


edits = st.fixed_dictionaries(
    {}, optional={name: figures_of(field) for name, field in FIELDS.items()}
)
"""Some figures by name."""
