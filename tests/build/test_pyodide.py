"""The built engine answers as CPython does, byte for byte, whichever way it started."""

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


def pasted(text: str) -> dict[str, Any]:
    """Return the request of a page into which this is pasted."""
    return {"workload": {}, "paste": {"chunk": text, "first": True, "last": True}}


TEXTS = {
    "a log": "RuntimeError: DataLoader worker (pid 71) is killed by signal: Bus error.",
    "df": "Filesystem Size Used Avail Use% Mounted on\nshm 64M 60M 4.0M 94% /dev/shm\n",
    "code": "loader = DataLoader(data, batch_size=32, num_workers=4, pin_memory=True)\n",
    "a configuration": "train_dataloader:\n  batch_size: 16\n  num_workers: 6\n",
    "compose": "services:\n  train:\n    image: pytorch  # kept\n    shm_size: 64m\n",
    "a pod": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: train}\nspec:\n"
        "  containers:\n  - name: main\n    image: pytorch\n"
    ),
    "nothing": "hello",
}

PASTED = {
    **{f"{name}, pasted": json.dumps(pasted(text)) for name, text in TEXTS.items()},
    **{f"preset {name}, with all files": json.dumps({"preset": name}) for name in PRESETS[::8]},
}


@pytest.fixture(scope="module", params=["load", "resume"])
def answered(request: pytest.FixtureRequest, dist: Path, places: Places) -> dict[str, str]:
    """Ask everything in one start of the built engine, and what needs all files after that."""
    return {
        **asked(dist, places, REQUESTS, way=request.param, whole=False),
        **asked(dist, places, PASTED, way=request.param, whole=True),
    }


def asked(
    dist: Path, places: Places, requests: dict[str, str], *, way: str, whole: bool
) -> dict[str, str]:
    """Return the built engine's answers by name."""
    answers = node.script(
        HERE / "ask.mjs",
        {
            "loader": str(places.root / "web" / "js" / "loader.js"),
            "base": in_node(hashed.folder(dist, hashed.PYTHON)),
            "way": way,
            "whole": whole,
            "requests": list(requests.values()),
        },
        failing="the built engine did not start under Node",
    )
    return dict(zip(requests, answers, strict=True))


def in_node(folder: Path) -> str:
    """Spell a folder as both Node's import and its file functions take it, without a drive."""
    return f"{folder.as_posix().removeprefix(folder.drive)}/"


def test_there_are_presets() -> None:
    """Else the next test would check nothing."""
    assert len(PRESETS) >= 6


@pytest.mark.parametrize("name", [*REQUESTS, *PASTED])
def test_same_bytes(answered: dict[str, str], name: str) -> None:
    """Pyodide's answer is CPython's."""
    assert answered[name] == answer({**REQUESTS, **PASTED}[name])


@pytest.mark.parametrize("name", [name for name in [*REQUESTS, *PASTED] if name not in REFUSED])
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


@pytest.mark.parametrize("way", ["load", "resume"])
def test_kept_library_imports(dist: Path, places: Places, way: str) -> None:
    """Nothing that was left out of the library is missing to what is there."""
    failed = node.script(
        HERE / "imports.mjs",
        {
            "loader": str(places.root / "web" / "js" / "loader.js"),
            "base": in_node(hashed.folder(dist, hashed.PYTHON)),
            "way": way,
            "whole": True,
            "modules": KEPT,
        },
        failing="the built engine did not start under Node",
    )
    assert failed == {}
