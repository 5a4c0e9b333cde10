"""Which browser the tests take, and what is said when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from web.make import browser
from web.make.failure import BuildError


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return a program called chromium that is alone in its folder."""
    name = "chromium.exe" if os.name == "nt" else "chromium"
    program = tmp_path / "programs" / name
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    return program


def test_named_browser_wins(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    """The variable is stronger than what lies on the path."""
    monkeypatch.setenv(browser.VARIABLE, str(program))
    assert browser.find() == program


def test_named_browser_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A name that leads nowhere is not passed over in silence."""
    monkeypatch.setenv(browser.VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(BuildError, match=r"CHROMIUM_PATH names .*nothing, which is not there"):
        browser.find()


def test_browser_on_the_path(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    """Without the variable, the path is searched."""
    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(program.parent))
    assert browser.find() == program


def test_no_browser_and_no_way_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """When nothing is found and nothing can be installed, the line says what to install."""

    def refuse() -> None:
        raise BuildError("no network")

    monkeypatch.setattr(browser, "find", lambda: None)
    monkeypatch.setattr(browser, "install_with_playwright", refuse)
    monkeypatch.setattr(browser, "install_with_apt", refuse)
    with pytest.raises(BuildError, match="install Chromium or Chrome, or name one"):
        browser.ensure()


def test_installed_browser_is_found(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    """What an installation brings is used; the next way is not tried."""
    installed: list[Path] = []
    monkeypatch.setattr(browser, "find", lambda: installed[0] if installed else None)
    monkeypatch.setattr(browser, "install_with_playwright", lambda: installed.append(program))
    monkeypatch.setattr(browser, "install_with_apt", lambda: pytest.fail("not needed any more"))
    assert browser.ensure() == program
