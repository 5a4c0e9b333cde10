"""A real browser for the tests: the one that is there, else one installed for them."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from web.make.failure import BuildError
from web.make.shell import run
from web.make.stamps import say

# Names the browser to use; it wins over everything that would be found.
VARIABLE = "CHROMIUM_PATH"

_COMMANDS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("chrome", "msedge", "microsoft-edge"),
)
_USUAL_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
)

# The browser's own pages in its bars cost as much as a small page of ours, in each window. Of an
# option that is given twice the last counts: the others are those that Playwright switches off.
_WITHOUT = (
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"),
    *("LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"),
    *("PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxPopup"),
)

# No requests of the browser's own while the page's are watched; no GPU is needed.
_QUIET = (
    f"--disable-features={','.join(_WITHOUT)}",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find() -> Path | None:
    """Return the program of a browser that is installed here."""
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise BuildError(f"{VARIABLE} names {named}, which is not there")
        return Path(named)
    return next(candidates(), None)


def candidates() -> Iterator[Path]:
    """Yield the browsers found: on the path, in their usual places, in Playwright's store."""
    yield from (Path(found) for name in _COMMANDS if (found := shutil.which(name)))
    yield from (path for text in _USUAL_PLACES if (path := expand(text)).is_file())
    own = playwrights()
    if own.is_file():
        yield own


def expand(text: str) -> Path:
    """Put Windows's folders in."""
    return Path(os.path.expandvars(text))


def playwrights() -> Path:
    """Return where Playwright keeps, or would keep, its own Chromium."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  slow, and rarely needed

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def ensure() -> Path:
    """Return a browser's program; install one if there is none.

    Raises:
        BuildError: there is none and none could be installed; says what to do.
    """
    found = find()
    if found:
        return found
    for install in (install_with_playwright, install_with_apt):
        try:
            install()
        except BuildError as failure:
            say(str(failure))
        if found := find():
            return found
    raise BuildError(
        f"the tests need a browser: install Chromium or Chrome, or name one in {VARIABLE}"
    )


def install_with_playwright() -> None:
    """Fetch the Chromium that Playwright is made for."""
    say("browser: none found, trying Playwright's own")
    run(
        [sys.executable, "-m", "playwright", "install", "chromium"],
        failing="Playwright could not install its Chromium",
    )


def install_with_apt() -> None:
    """Install Debian's Chromium, where this user may."""
    if platform.system() != "Linux" or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    say("browser: trying the system's packages")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    failing = "apt-get could not install chromium"
    run(["apt-get", "update"], failing=failing, env=quiet)
    run(
        ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"],
        failing=failing,
        env=quiet,
    )


def arguments() -> list[str]:
    """Return the options the browser is started with; its sandbox does not work as root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*_QUIET, *(["--no-sandbox"] if is_root else [])]
