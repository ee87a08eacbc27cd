"""Waiting for the page."""

LOOK = 600
"""Milliseconds in which a page that watches a run has looked at it again."""


IS_DRAWN = """
() => {
  const script = document.querySelector("[data-test-script-state]");
  const charts = [...document.querySelectorAll(".js-plotly-plot")];
  const look = charts.map((c) => c.outerHTML + JSON.stringify(c.getBoundingClientRect())).join();
  const now = performance.now();
  if (script?.dataset.testScriptState !== "notRunning" || look !== window.lastLook) {
    window.lastLook = look;
    window.stillSince = now;
  }
  return now - window.stillSince > 700;
}
"""
"""True once the script has run and every chart has looked the same, in the same place, for 700 ms:
longer than the pause that makes two clicks a double click."""


def wait_until_drawn(page):
    """Wait until no chart is drawn or moved any more: a mark on one is then what it seems.

    A script that has run is not enough. Its charts are drawn afterwards, one after the other, and
    whoever holds a mark of a chart that is drawn anew holds nothing.
    """
    page.wait_for_function(IS_DRAWN, polling=100, timeout=60_000)


def settle(page, pause=0):
    """Wait until the script has run: what opens before closes again.

    Args:
        page: of the browser.
        pause: milliseconds in which the script may start anew.
    """
    page.wait_for_timeout(pause)
    page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=60_000)
