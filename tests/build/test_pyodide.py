"""The built engine inside Pyodide answers as CPython does, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculator.api import answer
from web.make import hashed, node
from web.make.places import Places

HERE = Path(__file__).parent
PRESETS = sorted(path.stem for path in (HERE.parents[1] / "presets").glob("*.toml"))

EDITED: dict[str, dict[str, Any]] = {
    "the default": {},
    "one number": {"preset": "images-8gpu", "set": {"loaders.0.batch_size": "32"}},
    "a second loader": {
        "preset": "resnet50-imagenet",
        "set": {"loaders.1.name": "val", "loaders.1.batch_size": 16, "schedule": "interleaved"},
    },
    "a whole workload": {"workload": {"ranks": 1, "loaders": [{"num_workers": 0}]}},
    "a size to render": {"preset": "llm-tokens", "shm": "12g"},
    "an old torch": {"preset": "medical-3d", "set": {"torch_version": "1.13"}},
    "a small limit": {"preset": "images-8gpu", "set": {"memory_limit": "1g"}},
}

REFUSED = {
    "no JSON": "{",
    "not an object": "[]",
    "never closed": "[" * 200,
    "unknown key": '{"nonsense": 1}',
    "unknown preset": '{"preset": "nothing"}',
    "unknown dtype": '{"set": {"loaders.0.fields.0.dtype": "float99"}}',
    "a word for a number": '{"set": {"loaders.0.batch_size": "many"}}',
    "below zero": '{"set": {"loaders.0.num_workers": -1}}',
    "a size in no grammar": '{"shm": "12 parsecs"}',
    "beyond ASCII": '{"set": {"loaders.0.name": "\\u00e9\\ud83d\\ude00\\u2028"}}',
}

REQUESTS = {
    **{f"preset {name}": json.dumps({"preset": name}) for name in PRESETS},
    **{name: json.dumps(request) for name, request in EDITED.items()},
    **REFUSED,
}


@pytest.fixture(scope="module")
def answered(dist: Path, places: Places) -> dict[str, str]:
    """Ask everything in one start of the built engine."""
    answers = node.script(
        HERE / "ask.mjs",
        {
            "loader": str(places.root / "web" / "js" / "loader.js"),
            "base": in_node(hashed.folder(dist, hashed.PYTHON)),
            "requests": list(REQUESTS.values()),
        },
        failing="the built engine did not start under Node",
    )
    return dict(zip(REQUESTS, answers, strict=True))


def in_node(folder: Path) -> str:
    """Spell a folder as both Node's import and its file functions take it, without a drive."""
    return f"{folder.as_posix().removeprefix(folder.drive)}/"


def test_there_are_presets() -> None:
    """Else the next test would check nothing."""
    assert len(PRESETS) >= 6


@pytest.mark.parametrize("name", REQUESTS)
def test_same_bytes(answered: dict[str, str], name: str) -> None:
    """Pyodide's answer is CPython's."""
    assert answered[name] == answer(REQUESTS[name])


@pytest.mark.parametrize("name", [name for name in REQUESTS if name not in REFUSED])
def test_answers_are_answers(answered: dict[str, str], name: str) -> None:
    """What is compared above is a report, not twice the same refusal."""
    assert json.loads(answered[name])["ok"] is True


@pytest.mark.parametrize("name", [name for name in REFUSED if name != "beyond ASCII"])
def test_refusals_say_why(answered: dict[str, str], name: str) -> None:
    """Unusable input comes back with words."""
    assert all(error["message"] for error in json.loads(answered[name])["errors"])


KEPT = [
    *("argparse", "ast", "asyncio", "calendar", "collections", "concurrent.futures", "csv"),
    *("dataclasses", "datetime", "decimal", "difflib", "email.message", "encodings.cp1252"),
    *("enum", "fractions", "hashlib", "html.parser", "importlib.metadata", "importlib.resources"),
    *("inspect", "ipaddress", "json", "logging", "pathlib", "re", "shlex", "string", "textwrap"),
    *("tomllib", "traceback", "typing", "urllib.parse", "uuid", "zipfile", "zoneinfo"),
    *("jinja2.ext", "pydantic.json_schema", "ruamel.yaml", "calculator.__main__"),
]


def test_kept_library_imports(dist: Path, places: Places) -> None:
    """Nothing that was left out of the library is missing to what is there."""
    failed = node.script(
        HERE / "imports.mjs",
        {
            "loader": str(places.root / "web" / "js" / "loader.js"),
            "base": in_node(hashed.folder(dist, hashed.PYTHON)),
            "modules": KEPT,
        },
        failing="the built engine did not start under Node",
    )
    assert failed == {}
