"""Start the explorer's server."""

from __future__ import annotations

import importlib
import socket
from pathlib import Path

from explorer.labels import TITLE
from pase_core.errors import OptionError

OPTIONS: dict[str, object] = {
    "browser.gatherUsageStats": False,
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    "global.disableWidgetStateDuplicationWarning": True,
    "runner.magicEnabled": False,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": 200,
    "theme.light.primaryColor": "#0072B2",
    "theme.dark.primaryColor": "#56B4E9",
}
"""Streamlit's options: nothing is sent anywhere, no traceback reaches the page, no advice on tools
is given."""


def _check_port(port: int) -> None:
    """Raise OptionError unless the port can be served on."""
    if not 1 <= port <= 65535:
        raise OptionError(f"port {port} is not in 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("localhost", port))
        except OSError:
            raise OptionError(
                f"port {port} is in use or not allowed; give another one with --port"
            ) from None


def _import_pages() -> None:
    """Import what the first page needs before anybody waits for it.

    Not in a thread: plotly looks for a half-imported pandas and fails.
    """
    for name in ("plotly.graph_objects", "pandas", "pase_core.solve"):
        importlib.import_module(name)


def start(port: int = 8501, *, opens_browser: bool = True) -> None:
    """Serve the explorer until it is interrupted; prints its address.

    Raises:
        OptionError: if the port cannot be used.
    """
    _check_port(port)
    _import_pages()
    from streamlit.web import bootstrap

    options = OPTIONS | {
        "server.port": port,
        "server.address": "localhost",
        "server.headless": not opens_browser,
    }
    bootstrap.load_config_options(options)
    print(f"{TITLE}: http://localhost:{port} (Ctrl+C ends it)", flush=True)
    bootstrap.run(str(Path(__file__).with_name("app.py")), False, [], options)
