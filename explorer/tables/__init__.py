"""Results as pandas tables: what plots and pages read. No streamlit here.

Costs stay in the cost model's unit; columns of pretty text say so.
"""

from explorer.tables.boxes import box_table, box_transfers, split_kind
from explorer.tables.details import (
    candidate_table,
    component_comparison,
    dimension_table,
    tensor_table,
)
from explorer.tables.layers import layer_scale, layer_table, module_table, scaled
from explorer.tables.summary import (
    communication_share,
    component_table,
    headline,
    strategy_table,
    strategy_title,
    tiles,
    title,
    total_scale,
)

__all__ = [
    "box_table",
    "box_transfers",
    "candidate_table",
    "communication_share",
    "component_comparison",
    "component_table",
    "dimension_table",
    "headline",
    "layer_scale",
    "layer_table",
    "module_table",
    "scaled",
    "split_kind",
    "strategy_table",
    "strategy_title",
    "tensor_table",
    "tiles",
    "title",
    "total_scale",
]
