"""The compressed copies beside the files: the same content, smaller, made once."""

from __future__ import annotations

import gzip
from pathlib import Path

import brotli
import pytest

from web.make import compressed
from web.make.places import Places
from web.make.stamps import files

TEXT = b"How much /dev/shm does your DataLoader need? " * 200
NOISE = bytes((i * i * 31 + i * 17 + (i >> 3) * 101) % 256 for i in range(40))
"""Too short and too odd to become smaller."""


def originals(site: Path) -> list[Path]:
    """Return a site's files that are no copies."""
    return [path for path in files(site) if path.suffix not in {".br", ".gz"}]


def beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def test_every_copy_is_its_original(dist: Path) -> None:
    copies = 0
    for path in originals(dist):
        content = path.read_bytes()
        for end, opened in {".br": brotli.decompress, ".gz": gzip.decompress}.items():
            if beside(path, end).is_file():
                packed = beside(path, end).read_bytes()
                assert len(packed) < len(content), path.name
                assert opened(packed) == content, path.name
                copies += 1
    assert copies > 200


def test_what_is_text_or_code_has_copies(dist: Path) -> None:
    """All that a browser is told to fetch, but for pictures and the lists made last."""
    kinds = {".html", ".js", ".mjs", ".css", ".json", ".wasm", ".so", ".zip", ".svg"}
    lists = {"build.json"}
    wanted = [
        path
        for path in originals(dist)
        if path.suffix in kinds and path.name not in lists and path.stat().st_size > 300
    ]
    assert len(wanted) > 50
    for path in wanted:
        assert beside(path, ".br").is_file(), path
        assert beside(path, ".gz").is_file(), path


def test_no_copy_stands_alone(dist: Path) -> None:
    for path in files(dist):
        if path.suffix in {".br", ".gz"}:
            assert path.with_suffix("").is_file(), path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a small site."""
    site = tmp_path / "site"
    (site / "p").mkdir(parents=True)
    (site / "index.html").write_bytes(TEXT)
    (site / "p" / "other.html").write_bytes(TEXT + b"!")
    (site / "noise.bin").write_bytes(NOISE)
    (site / "picture.png").write_bytes(TEXT)
    (site / "_headers").write_bytes(TEXT)
    return site


def test_small_site(site: Path, tmp_path: Path) -> None:
    """Pictures, what would only grow and what is for the host have none; none carries a date."""
    compressed.beside(Places(tmp_path), site)
    made = {path.relative_to(site).as_posix() for path in set(files(site)) - set(originals(site))}
    pages = ("index.html", "p/other.html")
    assert made == {f"{page}{end}" for page in pages for end in (".br", ".gz")}
    assert (site / "index.html.gz").read_bytes()[4:8] == bytes(4)


def test_a_copy_is_made_once(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has not changed is not compressed again, and what is gone is not kept."""
    places = Places(tmp_path)
    compressed.beside(places, site)
    before = {path.name: path.read_bytes() for path in files(site)}
    for path in set(files(site)) - set(originals(site)):
        path.unlink()
    (site / "p" / "other.html").unlink()

    def refuse(*_: object, **__: object) -> bytes:
        raise AssertionError("compressed again")

    monkeypatch.setattr(brotli, "compress", refuse)
    monkeypatch.setattr(gzip, "compress", refuse)
    compressed.beside(places, site)
    there = {path.name: path.read_bytes() for path in files(site)}
    assert there == {name: data for name, data in before.items() if "other" not in name}
    (site / "index.html").write_bytes(TEXT + b"?")
    with pytest.raises(AssertionError, match="compressed again"):
        compressed.beside(places, site)


def test_half_a_copy_is_not_used(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that is broken off while it writes leaves nothing that looks finished."""
    places = Places(tmp_path)
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        compressed.beside(places, site)
    monkeypatch.setattr(Path, "replace", replace)
    compressed.beside(places, site)
    assert brotli.decompress((site / "index.html.br").read_bytes()) == TEXT
    assert not list(places.compressed.glob("*.part"))


@pytest.mark.parametrize(
    ("path", "size", "quality"),
    [
        ("index.html", 500_000, 11),
        ("a/0123456789ab/js/main.js", 10_000, 11),
        ("p/medical-3d.html", 500_000, 9),
        ("py/0123456789ab/start.zip", 8_000_000, 9),
        ("py/0123456789ab/pyodide.asm.wasm", 9_600_000, 11),
        ("shm-sizer.html", 15_000_000, 9),
    ],
)
def test_effort_goes_where_many_gain(path: str, size: int, quality: int) -> None:
    """As well as can be for what everybody fetches; quickly for what is large, or one of many."""
    assert compressed.quality(Path(path), size) == quality
