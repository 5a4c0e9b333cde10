"""The parts of a start: archives that are joined, a memory that is packed, bytes within budgets."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest

from web.make import archive, bundle, hashed, node, snapshot
from web.make.places import Places
from web.make.stamps import sha256

HERE = Path(__file__).parent

FIRST = {"a.py": b"a = 1", "package/__init__.py": b"", "data/x.toml": b"x = 1\n" * 50}
SECOND = {"package/b.py": b"b = 2", "data/y.toml": b"", "z.bin": bytes(range(256))}


@pytest.mark.parametrize(
    ("first", "second"), [(FIRST, SECOND), ({}, SECOND), (FIRST, {}), ({}, {})]
)
def test_joined_archives_hold_all_files(
    places: Places, tmp_path: Path, first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    """An archive that the page has joined is one that Python reads, checksums included."""
    for name, content in (("first", first), ("second", second)):
        archive.write(tmp_path / name, content, compress=False)
    node.script(
        HERE / "join.mjs",
        {
            "script": str(places.root / "web" / "js" / "archives.js"),
            **{name: str(tmp_path / name) for name in ("first", "second", "target")},
        },
        failing="the archives were not joined",
    )
    with zipfile.ZipFile(tmp_path / "target") as joined:
        assert joined.testzip() is None
        assert {name: joined.read(name) for name in joined.namelist()} == {**first, **second}


def test_archives_share_no_file(dist: Path) -> None:
    """What came first does not come again later, and a module's source comes later."""
    first, later = (
        archive.read(hashed.folder(dist, hashed.PYTHON) / name)
        for name in (bundle.START, bundle.LATER)
    )
    assert not first.keys() & later.keys()
    assert "calculator/api.pyc" in first
    assert "calculator/api.py" in later
    assert any(name.startswith("ruamel/") for name in later)
    assert not any(name.startswith(("ruamel/", "calculator/manifests/")) for name in first)


def memories() -> dict[str, tuple[list[int], list[int]]]:
    """Return pairs: a fresh memory, and the same later, longer or not."""
    dice = random.Random(7)  # noqa: S311  no secret
    noise = [dice.getrandbits(32) for _ in range(5000)]
    sparse = [word if at % 97 == 0 else 0 for at, word in enumerate(noise)]
    ends = [*noise[:100], *[0] * 3000, *noise[:1]]
    return {
        "nothing at all": ([], []),
        "the same": (noise, noise),
        "all different": (noise, noise[::-1]),
        "grown": (noise[:1000], noise),
        "grown by zeros": (noise[:1000], [*noise[:1000], *[0] * 4000]),
        "here and there": (sparse, noise),
        "zeros between": ([0] * len(ends), ends),
        "emptied": (noise, [0] * len(noise)),
    }


def seeded(fresh: list[int]) -> dict[str, list[int]]:
    """Return a fresh memory three times, each with other seeds at the same places."""

    def roll(seed: int) -> list[int]:
        rolled = list(fresh)
        for at in [at for at in (0, 1, 2, 40, 500, 501, 999) if at < len(fresh)]:
            rolled[at] = seed + at
        return rolled

    return {"fresh": roll(11), "other": roll(22), "there": roll(33)}


def test_memory_comes_back(places: Places) -> None:
    """Whatever the memory, unpacking brings back each word of it."""
    cases = [{"memory": memory, **seeded(fresh)} for fresh, memory in memories().values()]
    back = node.script(
        HERE / "memory.mjs",
        {"root": str(places.root), "cases": cases},
        failing="the memories were not packed",
    )
    for name, case, answer in zip(memories(), cases, back, strict=True):
        assert answer["words"] == case["memory"], name
    sizes = dict(zip(memories(), (answer["packed"] for answer in back), strict=True))
    assert sizes["nothing at all"] < 64
    assert sizes["the same"] < 2000
    assert sizes["zeros between"] < 600


def test_memory_tells_what_it_was_taken_from(dist: Path) -> None:
    """The hashes beside the memory are those of the files that lie there."""
    told = json.loads((hashed.folder(dist, hashed.PYTHON) / snapshot.ABOUT).read_text("utf-8"))
    assert told["made_from"].keys() == {*snapshot.MADE_FROM}
    for name, expected in told["made_from"].items():
        assert sha256(hashed.folder(dist, hashed.PYTHON) / name) == expected
