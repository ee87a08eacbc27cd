"""What is not a widget's own: the network, one selection, opened modules, pinned layers.

It lives in the session and in the address, beside the sidebar's scenario.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from explorer.history import has_gone_back

Pins = tuple[tuple[str, tuple[int, ...]], ...]


def _from_address(name: str, read: Callable[[str], object]) -> object:
    """A value of the session, at first from the address; nonsense there counts as nothing."""
    key = f"picked {name}"
    if key not in st.session_state:
        try:
            st.session_state[key] = read(st.query_params.get(name, ""))
        except ValueError:
            st.session_state[key] = read("")
    return st.session_state[key]


def _put(name: str, value: object, text: str) -> None:
    """Set a value in the session and in the address."""
    st.session_state[f"picked {name}"] = value
    if text:
        st.query_params[name] = text
    elif name in st.query_params:
        del st.query_params[name]


def follow_address() -> None:
    """After Back or Forward forget what was picked, so that it is read from the address again."""
    if has_gone_back():
        for name in ("layer", "open", "pins"):
            st.session_state.pop(f"picked {name}", None)
        st.session_state.pop("earlier pins", None)


def selected() -> str | None:
    """Name of the selected layer or module."""
    return str(_from_address("layer", str)) or None


def select(name: str | None) -> None:
    """Select a layer or module by name; None selects nothing."""
    _put("layer", name or "", name or "")


def opened() -> tuple[str, ...]:
    """Names of the modules that are shown as their layers."""
    found = _from_address("open", lambda text: tuple(filter(None, text.split("|"))))
    return found if isinstance(found, tuple) else ()


def toggle(name: str) -> None:
    """Open a module, or close it."""
    names = opened()
    changed = tuple(n for n in names if n != name) if name in names else (*names, name)
    _put("open", changed, "|".join(changed))


def close_all() -> None:
    """Show every module as one box."""
    _put("open", (), "")


def _read_pins(text: str) -> Pins:
    pins = []
    for part in filter(None, text.split("|")):
        name, _, splits = part.rpartition(":")
        pins.append((name, tuple(map(int, splits.split(".")))))
    return tuple(pins)


def pins() -> Pins:
    """Layers whose configuration is given, with it."""
    found = _from_address("pins", _read_pins)
    return found if isinstance(found, tuple) else ()


def set_pins(changed: Pins) -> None:
    """Replace all pins; the ones before can be had back by `undo_pins`."""
    st.session_state.setdefault("earlier pins", []).append(pins())
    _put_pins(changed)


def _put_pins(changed: Pins) -> None:
    text = "|".join(f"{name}:{'.'.join(map(str, splits))}" for name, splits in changed)
    _put("pins", changed, text)


def pin(name: str, configuration: tuple[int, ...]) -> None:
    """Give a layer a configuration; the search fills in the others."""
    set_pins((*(each for each in pins() if each[0] != name), (name, configuration)))


def unpin(name: str) -> None:
    """Leave a layer to the search again."""
    set_pins(tuple(each for each in pins() if each[0] != name))


def can_undo() -> bool:
    """True if pins have been changed."""
    return bool(st.session_state.get("earlier pins"))


def undo_pins() -> None:
    """Go back to the pins before the last change."""
    if can_undo():
        _put_pins(st.session_state["earlier pins"].pop())


def restore(name: str | None, modules: tuple[str, ...], held: Pins) -> None:
    """Set everything as it was once: selection, opened modules, pins."""
    select(name)
    _put("open", modules, "|".join(modules))
    _put_pins(held)
    st.session_state.pop("earlier pins", None)


def forget() -> None:
    """Drop what belongs to another network: selection, opened modules, pins."""
    restore(None, (), ())
