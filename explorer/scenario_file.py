"""A page as one JSON file (`pase.scenario/1`): every choice, and the user's own network with it.

    scenario_to_json(saved)        -> text
    scenario_from_json(text, name) -> the same Saved, or one line about what is wrong

The reader holds every value to what the sidebar's widgets accept. No streamlit here.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from explorer.labels import PAGES
from explorer.limits import (
    COUNT_LIMITS,
    DEVICE_COUNTS,
    FIGURE_LIMITS,
    MAX_SCENARIO_MEGABYTES,
    MAX_UPLOAD_MEGABYTES,
    MULTIPLY_ADD,
)
from explorer.scenario import OWN_CLUSTER, UPLOAD, Figures, Scenario, Upload
from pase_core.checks import is_count, is_number
from pase_core.cluster import (
    FIELDS,
    Cluster,
    cluster_from_entry,
    cluster_to_dict,
    preset_names,
)
from pase_core.cluster_fields import Field
from pase_core.errors import PaseError
from pase_core.exporters.solution_json import to_text
from pase_core.graph import MAX_LAYERS
from pase_core.json_reader import Entry, Format, read_json
from sample_graphs import SAMPLES

SCHEMA = "pase.scenario/1"

MAX_SIZES = 1000
"""Most sizes given for one network, and most dimensions of a pinned layer."""

_MEGABYTE = 2**20


class ScenarioFileError(PaseError):
    """A file that cannot be read as a scenario."""


FORMAT = Format("a scenario", ScenarioFileError, 5, MAX_SCENARIO_MEGABYTES * _MEGABYTE)


@dataclass(frozen=True, slots=True)
class Saved:
    """What a page shows.

    Attributes:
        scenario: with the pinned layers.
        page: title of the page, a key of PAGES.
        selected: name of the selected layer or module, or None.
        opened: names of the modules that are shown as their layers.
    """

    scenario: Scenario
    page: str = next(iter(PAGES))
    selected: str | None = None
    opened: tuple[str, ...] = ()


def scenario_to_json(saved: Saved) -> str:
    """A page as JSON text, schema `pase.scenario/1`."""
    scenario, own = saved.scenario, saved.scenario.own_cluster
    return to_text(
        {
            "schema": SCHEMA,
            "network": scenario.network if scenario.upload is None else _file(scenario.upload),
            "devices": scenario.n_devices,
            "cluster": cluster_to_dict(own) if own else scenario.cluster,
            "figures": dict(scenario.figures),
            "batch": scenario.batch,
            "memory_limit": scenario.memory_limit,
            "cost_model": {
                "min_part": scenario.min_part,
                "flop_per_multiply_add": scenario.flop_per_multiply_add,
                "word_bytes": scenario.word_bytes,
                "tera_flops": scenario.tera_flops,
                "giga_bytes": scenario.giga_bytes,
            },
            "pins": [
                {"layer": name, "configuration": list(configuration)}
                for name, configuration in scenario.pins
            ],
            "page": saved.page,
            "selected": saved.selected,
            "opened": list(saved.opened),
        }
    )


def _file(upload: Upload) -> dict[str, object]:
    return {
        "file": upload.name,
        "sizes": [{"dimension": name, "size": size} for name, size in upload.bindings],
        "base64": base64.b64encode(upload.data).decode("ascii"),
    }


def scenario_from_json(text: str | bytes, source: str) -> Saved:
    """Read a page from the text that `scenario_to_json` made.

    Args:
        text: the JSON text.
        source: the file's name, for messages.

    Raises:
        ScenarioFileError: if it is anything else; one line that names the file and the place.
    """
    root = read_json(text, source if source.isprintable() else repr(source), FORMAT)
    root.field("schema", f"a scenario has the schema {SCHEMA}").choice([SCHEMA])
    fields = root.fields(
        ("schema", "network", "devices", "cluster", "batch", "cost_model"),
        ("figures", "memory_limit", "pins", "page", "selected", "opened"),
    )
    name, upload = _read_network(fields["network"])
    cluster, own = _read_cluster(fields["cluster"])
    figures = fields["cost_model"].fields(
        ("min_part", "flop_per_multiply_add", "word_bytes", "tera_flops", "giga_bytes")
    )
    return Saved(
        scenario=Scenario(
            network=name,
            upload=upload,
            n_devices=_read_option(fields["devices"], DEVICE_COUNTS),
            cluster=cluster,
            batch=_read_count(fields["batch"], "batch"),
            min_part=_read_count(figures["min_part"], "min_part"),
            flop_per_multiply_add=_read_option(figures["flop_per_multiply_add"], MULTIPLY_ADD),
            word_bytes=_read_count(figures["word_bytes"], "word_bytes"),
            tera_flops=_read_figure(figures["tera_flops"], "tera_flops"),
            giga_bytes=_read_figure(figures["giga_bytes"], "giga_bytes"),
            pins=_read_pins(fields["pins"]) if "pins" in fields else (),
            own_cluster=own,
            memory_limit=(
                _read_figure(fields["memory_limit"], "memory_limit")
                if "memory_limit" in fields
                else None
            ),
            figures=_read_figures(fields["figures"]) if "figures" in fields else (),
        ),
        page=fields["page"].choice(list(PAGES)) if "page" in fields else next(iter(PAGES)),
        selected=_read_selected(fields["selected"]) if "selected" in fields else None,
        opened=_read_opened(fields["opened"]) if "opened" in fields else (),
    )


def _read_network(entry: Entry) -> tuple[str, Upload | None]:
    if not isinstance(entry.value, dict):
        if entry.value not in list(SAMPLES):
            entry.fail(f"one of {', '.join(SAMPLES)}, or an object with a file")
        return entry.choice(list(SAMPLES)), None
    fields = entry.fields(("file", "sizes", "base64"))
    sizes: dict[str, int] = {}
    for row in fields["sizes"].items(MAX_SIZES):
        parts = row.fields(("dimension", "size"))
        name = parts["dimension"].text()
        if name in sizes:
            row.refuse(f"dimension {name!r} comes twice; keep one")
        if not is_count(parts["size"].value, COUNT_LIMITS["size"][1]):
            parts["size"].fail(f"an integer from 1 to {COUNT_LIMITS['size'][1]}")
        sizes[name] = parts["size"].value
    name = fields["file"].text()
    return UPLOAD, Upload(name, _read_content(fields["base64"]), tuple(sizes.items()))


def _read_cluster(entry: Entry) -> tuple[str, Cluster | None]:
    if isinstance(entry.value, dict):
        return OWN_CLUSTER, cluster_from_entry(entry)
    if entry.value not in preset_names():
        entry.fail(f"one of {', '.join(preset_names())}, or an object with a cluster")
    return entry.choice(preset_names()), None


def _read_figures(entry: Entry) -> Figures:
    """Figures in SI base units, in the order of FIELDS."""
    rows = entry.fields((), tuple(FIELDS))
    return tuple(
        (name, _read_si(rows[name], field)) for name, field in FIELDS.items() if name in rows
    )


def _read_si(entry: Entry, field: Field) -> float:
    figure = entry.integer() if field.is_count else entry.number()
    if not field.least <= figure <= field.most:
        entry.fail(f"a number from {field.least:g} to {field.most:g}")
    return figure


def _read_content(entry: Entry) -> bytes:
    wanted = "the network's file in base64"
    if not isinstance(entry.value, str):
        entry.fail(wanted)
    try:
        data = base64.b64decode(entry.value, validate=True)
    except ValueError:
        entry.refuse(f"is no base64; it must be {wanted}")
    if len(data) > MAX_UPLOAD_MEGABYTES * _MEGABYTE:
        entry.refuse(f"has {len(data)} bytes; allowed are {MAX_UPLOAD_MEGABYTES} MB")
    return data


def _read_option(entry: Entry, options: tuple[int, ...]) -> int:
    if not is_count(entry.value, max(options)) or entry.value not in options:
        entry.fail(f"one of {', '.join(map(str, options))}")
    return entry.value


def _read_count(entry: Entry, kind: str) -> int | None:
    most = COUNT_LIMITS[kind][1]
    if entry.value is None or is_count(entry.value, most):
        return entry.value
    entry.fail(f"an integer from 1 to {most}, or null")


def _read_figure(entry: Entry, kind: str) -> float | None:
    least, most = FIGURE_LIMITS[kind]
    if entry.value is None:
        return None
    if not is_number(entry.value) or not least <= entry.value <= most:
        entry.fail(f"a number from {least:g} to {most:g}, or null")
    return float(entry.value)


def _read_pins(entry: Entry) -> tuple[tuple[str, tuple[int, ...]], ...]:
    pins: dict[str, tuple[int, ...]] = {}
    for row in entry.items(MAX_LAYERS):
        fields = row.fields(("layer", "configuration"))
        name = fields["layer"].text()
        if name in pins:
            row.refuse(f"layer {name!r} comes twice; keep one")
        pins[name] = tuple(part.size() for part in fields["configuration"].items(MAX_SIZES))
    return tuple(pins.items())


def _read_selected(entry: Entry) -> str | None:
    return None if entry.value is None else entry.text()


def _read_opened(entry: Entry) -> tuple[str, ...]:
    return tuple(name.text() for name in entry.items(MAX_LAYERS))
