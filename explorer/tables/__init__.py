"""Results as pandas tables: what plots and pages read. No streamlit here.

Costs stay in the cost model's unit; columns of pretty text say so.
"""

from explorer.tables.audit import audit
from explorer.tables.boxes import box_table, box_transfers, split_kind
from explorer.tables.compare import Lineup, comparison_table, line_up, lineup_components, verdict
from explorer.tables.details import (
    candidate_table,
    component_comparison,
    dimension_table,
    tensor_table,
)
from explorer.tables.differences import (
    SAVED_COLUMNS,
    coloured,
    difference_table,
    differences_csv,
    differing,
    like_layers,
    module_differences,
    sum_in_words,
)
from explorer.tables.downloads import layers_csv, layers_json
from explorer.tables.explain import NEGLIGIBLE
from explorer.tables.figure6 import (
    MEASURED,
    MODELLED_SPEEDUP,
    figure6_scenarios,
    figure6_table,
    figure6_titles,
    shown_figure6,
)
from explorer.tables.grid import (
    GridRow,
    grid_dimensions,
    grid_rows,
    marked_titles,
    matching_layers,
    selected_layers,
    split_cells,
)
from explorer.tables.layer_costs import (
    accumulated_costs,
    cost_sentence,
    cost_tree,
    dearest_layers,
    layer_totals,
    waterfall_steps,
)
from explorer.tables.layers import layer_scale, layer_table, module_table, scaled
from explorer.tables.learn import growth_table, ordering_sentence, sample_growth_table, step_words
from explorer.tables.parts import SPACE, held_things, part_grid
from explorer.tables.scaling import (
    crossing_table,
    failures,
    ideal_table,
    memory_line,
    node_remark,
    scaling_headline,
    scaling_json,
    scaling_table,
    scaling_title,
    shown_scaling,
    time_scale,
)
from explorer.tables.summary import (
    component_table,
    headline,
    strategy_table,
    strategy_title,
    tiles,
    title,
    total_scale,
)
from explorer.tables.toy import item_table, toy_totals

__all__ = [
    "MEASURED",
    "MODELLED_SPEEDUP",
    "NEGLIGIBLE",
    "SAVED_COLUMNS",
    "SPACE",
    "GridRow",
    "Lineup",
    "accumulated_costs",
    "audit",
    "box_table",
    "box_transfers",
    "candidate_table",
    "coloured",
    "comparison_table",
    "component_comparison",
    "component_table",
    "cost_sentence",
    "cost_tree",
    "crossing_table",
    "dearest_layers",
    "difference_table",
    "differences_csv",
    "differing",
    "dimension_table",
    "failures",
    "figure6_scenarios",
    "figure6_table",
    "figure6_titles",
    "grid_dimensions",
    "grid_rows",
    "growth_table",
    "headline",
    "held_things",
    "ideal_table",
    "item_table",
    "layer_scale",
    "layer_table",
    "layer_totals",
    "layers_csv",
    "layers_json",
    "like_layers",
    "line_up",
    "lineup_components",
    "marked_titles",
    "matching_layers",
    "memory_line",
    "module_differences",
    "module_table",
    "node_remark",
    "ordering_sentence",
    "part_grid",
    "sample_growth_table",
    "scaled",
    "scaling_headline",
    "scaling_json",
    "scaling_table",
    "scaling_title",
    "selected_layers",
    "shown_figure6",
    "shown_scaling",
    "split_cells",
    "split_kind",
    "step_words",
    "strategy_table",
    "strategy_title",
    "sum_in_words",
    "tensor_table",
    "tiles",
    "time_scale",
    "title",
    "total_scale",
    "toy_totals",
    "verdict",
    "waterfall_steps",
]
