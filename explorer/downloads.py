"""Two small buttons at the foot of a table: its rows as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from explorer import tables


def offer_table(
    name: str,
    table: pd.DataFrame,
    about: Mapping[str, object] | None = None,
    *,
    note: str = "",
) -> None:
    """Offer a table as it stands.

    Args:
        name: of the files, without their ending; one name per table of a page.
        table: the rows, with units in the titles of its columns.
        about: further entries of the JSON file.
        note: words before the buttons.
    """
    offer_files(name, partial(tables.to_csv, table), partial(tables.to_json, table, about), note)


def offer_files(
    name: str, to_csv: Callable[[], str], to_json: Callable[[], str], note: str = ""
) -> None:
    """Offer two files, which are made when they are asked for; arguments as `offer_table`."""
    with st.container(
        horizontal=True, wrap=False, horizontal_alignment="right", vertical_alignment="center"
    ):
        if note:
            st.caption(note, width="stretch")
        for kind, make, mime in (
            ("CSV", to_csv, "text/csv"),
            ("JSON", to_json, "application/json"),
        ):
            st.download_button(
                kind,
                make,
                file_name=f"{name}.{kind.lower()}",
                mime=mime,
                on_click="ignore",
                type="tertiary",
                help=f"These rows as {kind}: {name}.{kind.lower()}",
                key=f"{name}.{kind.lower()}",
            )
