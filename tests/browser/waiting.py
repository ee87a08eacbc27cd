"""Waiting for the page."""

LOOK = 600
"""Milliseconds in which a page that watches a run has looked at it again."""


def settle(page, pause=0):
    """Wait until the script has run: what opens before closes again.

    Args:
        page: of the browser.
        pause: milliseconds in which the script may start anew.
    """
    page.wait_for_timeout(pause)
    page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=60_000)
