"""What is printed when the server starts."""

from streamlit.web import bootstrap

from explorer import start


def test_the_address_is_printed_and_nothing_else(monkeypatch, capsys):
    seen = {}
    monkeypatch.setattr(bootstrap, "load_config_options", seen.update)
    monkeypatch.setattr(bootstrap, "run", lambda *args: None)
    monkeypatch.setattr(start, "_check_port", lambda port: None)
    start.start(8599, opens_browser=False)
    assert seen["logger.hideWelcomeMessage"] is True  # streamlit's advice on tools
    assert capsys.readouterr().out == "PaSE explorer: http://localhost:8599 (Ctrl+C ends it)\n"
