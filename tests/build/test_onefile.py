"""The single file: within its budget, the same each time, allowed what it needs and no more."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import shutil
from pathlib import Path

import pytest

from calculator import api, presets
from web.make import joined, node, onefile, packed
from web.make.failure import BuildError
from web.make.places import Places

ROOT = Path(__file__).parents[2]


@pytest.fixture
def again(dist: Path, tmp_path: Path) -> Path:
    """Return a copy of the site without the file, to write it anew."""
    left_out = shutil.ignore_patterns("p", "py", onefile.NAME)
    return shutil.copytree(dist, tmp_path / "again", ignore=left_out)


@pytest.fixture(scope="module")
def page(dist: Path) -> str:
    """Return the file's text."""
    return (dist / onefile.NAME).read_text("utf-8")


def test_it_is_small_enough_to_be_mailed(dist: Path) -> None:
    assert 1_000_000 < (dist / onefile.NAME).stat().st_size <= 12_000_000


def test_a_file_over_its_budget_ends_the_build(
    dist: Path, again: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onefile, "BUDGET", (dist / onefile.NAME).stat().st_size - 1)
    with pytest.raises(BuildError, match="its budget is"):
        onefile.write(places, again)
    assert not (again / onefile.NAME).exists()


def test_a_page_that_would_fetch_something_ends_the_build(again: Path, places: Places) -> None:
    first = again / "index.html"
    more = '<a href="elsewhere.html">more</a></main>'
    first.write_text(first.read_text("utf-8").replace("</main>", more), "utf-8")
    with pytest.raises(BuildError, match=re.escape("elsewhere.html")):
        onefile.write(places, again)


def test_two_builds_give_the_same_bytes(dist: Path, again: Path, places: Places) -> None:
    """Python is packed anew, too."""
    for old in places.packed.iterdir():
        old.unlink()
    onefile.write(places, again)
    assert (again / onefile.NAME).read_bytes() == (dist / onefile.NAME).read_bytes()


# ---------------------------------------------------------------- what it may do


def policy(page: str) -> dict[str, list[str]]:
    """Return the page's policy, its sources by directive."""
    (found,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    directives = [each.split() for each in html.unescape(found).split(";")]
    return {name: sources for name, *sources in directives}


def hashes(texts: list[str]) -> list[str]:
    """Return how a policy names these texts."""
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def test_only_its_own_scripts_and_styles_are_allowed(page: str) -> None:
    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(scripts) == 3
    assert len(styles) == 1
    assert policy(page) == {
        "default-src": ["'none'"],
        "script-src": [*hashes(scripts), "'wasm-unsafe-eval'"],
        "style-src": hashes(styles),
        "worker-src": ["blob:"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }


def test_nothing_in_it_leads_beside_it(page: str) -> None:
    addresses = set(re.findall(r'\s(?:href|src|srcset|action)="([^"]*)"', page))
    assert {
        each for each in addresses if not re.match(r"https?://|#|data:image/svg", each)
    } == set()
    assert 'rel="stylesheet"' not in page


def test_every_workload_is_a_link_within_it(page: str) -> None:
    links = dict(re.findall(r'href="([^"]*)" id="preset-([\w-]+)"', page))
    assert sorted(links.values()) == sorted(presets.preset_ids())
    assert all(each.startswith("#1") for each in links)
    assert len(links) == len(presets.preset_ids()), "two workloads have one link"


def test_it_does_not_point_to_itself(page: str) -> None:
    assert 'id="local"' not in page
    assert 'id="take"' not in page


# ---------------------------------------------------------------- what it carries


def carried(page: str) -> dict[str, bytes]:
    """Return the files in the page, read as the page reads them."""
    texts: dict[str, str] = {}
    for name, piece in re.findall(
        r'<script type="text/plain" data-(?:file="([^"]+)"|licences)>([^<]*)</script>', page
    ):
        texts[name or "licences"] = texts.get(name or "licences", "") + piece
    signs = str.maketrans(",./", "<>&")
    return {
        n: gzip.decompress(base64.b85decode(text.translate(signs))) for n, text in texts.items()
    }


def test_no_piece_of_it_keeps_a_browser_busy(page: str) -> None:
    """A browser reads an element in one go: a few milliseconds for this many signs."""
    texts = re.findall(r"<script[^>]*>([^<]*)</script>", page)
    assert len(texts) > 40
    assert max(map(len, texts)) <= 250_000


def test_it_carries_the_text_of_every_licence(page: str, dist: Path) -> None:
    """Those that the site has, each whole."""
    told = html.unescape(carried(page)["licences"].decode())
    texts = [file.read_text("utf-8") for file in (dist / "licenses").glob("*.txt")]
    assert len(texts) > 15
    assert [text[:60] for text in texts if text not in told] == []


def test_it_carries_the_browsers_python_whole(page: str, places: Places) -> None:
    files = carried(page)
    for name in ("pyodide.asm.wasm", "pydantic_core.so", "pyodide-lock.json"):
        assert files[name] == (places.python / name).read_bytes()
    assert b'define("pyodide.asm.mjs"' in files["worker.js"]


@pytest.mark.parametrize("content", [b"", b"a", b"ab", b"abc", b"abcd", bytes(range(256)) * 9])
def test_packed_text_means_nothing_in_html(content: bytes) -> None:
    text = packed.pack(content)
    assert not set(text) & set("<>&\"'\\ \n")
    signs = str.maketrans(",./", "<>&")
    assert gzip.decompress(base64.b85decode(text.translate(signs))) == content


def requests() -> list[str]:
    """Return every workload with all blocks, and every text that the tests hold for pasting."""
    files = [ROOT / "tests" / "cases.json", *sorted((ROOT / "tests" / "cases").glob("more_*.json"))]
    cases = [case for path in files for case in json.loads(path.read_text("utf-8"))["cases"]]
    pasted = [{"chunk": case["input"], "first": True, "last": True} for case in cases]
    asked: list[dict[str, object]] = [{"preset": name} for name in presets.preset_ids()]
    asked += [{"workload": {}, "paste": paste} for paste in pasted]
    return [json.dumps(each) for each in asked]


def test_nothing_that_is_left_out_is_missed(page: str, places: Places, tmp_path: Path) -> None:
    """The Python that the file carries answers everything as CPython does, byte for byte."""
    folder = shutil.copytree(places.python, tmp_path / "py")
    files = carried(page)
    del files["licences"]
    for name, data in files.items():
        (folder / name).write_bytes(data)
    answers = node.script(
        ROOT / "tests" / "build" / "ask.mjs",
        {
            "loader": str(ROOT / "web" / "js" / "loader.js"),
            "base": f"{folder.as_posix().removeprefix(folder.drive)}/",
            "way": "load",
            "whole": True,
            "requests": requests(),
        },
        failing="the Python of the single file did not start under Node",
    )
    assert len(answers) > 400
    for request, found in zip(requests(), answers, strict=True):
        assert found == api.answer(request), request


# ---------------------------------------------------------------- joining


def join(**modules: str) -> str:
    """Join modules, the first of which is `a`."""
    return joined.inside("a.js", lambda name: modules.get(name.removesuffix(".js"), ""))


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("cannot be joined", "export let a = 1;\n"),
        ("cannot be joined", 'import b from "./b.js";\n'),
        ("cannot be joined", 'import { b } from "elsewhere";\n'),
        ("cannot be joined", 'export * from "./b.js";\n'),
        ("cannot be joined", "export default 1;\n"),
        ("a.js wants c of b.js", 'import { c } from "./b.js";\n'),
        ("import each other: a.js > d.js > a.js", 'import { a } from "./d.js";\n'),
    ],
)
def test_what_cannot_be_joined_ends_the_build(why: str, text: str) -> None:
    others = {"b": "export const b = 1;\n", "d": 'import { a } from "./a.js";\n'}
    with pytest.raises(BuildError, match=re.escape(why)):
        join(a=text, **others)


@pytest.mark.parametrize("text", ["'</script>'", "'<!--'", "`</SCRIPT `", "'<script'"])
def test_what_would_end_the_script_ends_the_build(text: str) -> None:
    with pytest.raises(BuildError, match="cannot stand in a page"):
        joined.inline(text)
