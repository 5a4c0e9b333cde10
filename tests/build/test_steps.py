"""The build's small parts: stamps, pins, archives, the pure wheel."""

from __future__ import annotations

import csv
import hashlib
import re
import stat
import zipfile
from pathlib import Path

import pytest

from web.make import archive, npm, pins, pure, shell
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import step

ROOT = Path(__file__).parents[2]


class Counted:
    """A step that writes one file and counts how often it did."""

    def __init__(self, places: Places, source: Path) -> None:
        self.places, self.source, self.runs = places, source, 0
        self.target = places.build / "made"

    def run(self, version: str = "1") -> None:
        step(
            self.places,
            "a step",
            inputs=[self.source, version],
            outputs=[self.target],
            work=self.work,
        )

    def work(self) -> None:
        self.runs += 1
        self.target.parent.mkdir(exist_ok=True)
        self.target.write_text(self.source.read_text("utf-8"), "utf-8")


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    """Return a step with one source file."""
    source = tmp_path / "source"
    source.write_text("one", "utf-8")
    return Counted(Places(tmp_path), source)


def test_step_is_done_once(counted: Counted) -> None:
    """Nothing changed: nothing is done."""
    counted.run()
    counted.run()
    assert counted.runs == 1


def test_step_follows_its_file(counted: Counted) -> None:
    """A changed source makes the step run again."""
    counted.run()
    counted.source.write_text("two", "utf-8")
    counted.run()
    assert counted.runs == 2
    assert counted.target.read_text("utf-8") == "two"


def test_step_follows_its_version(counted: Counted) -> None:
    """A changed pin makes the step run again."""
    counted.run()
    counted.run(version="2")
    assert counted.runs == 2


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("x", "utf-8")])
def test_step_repairs_its_output(counted: Counted, damage: object) -> None:
    """A lost or damaged output makes the step run again."""
    counted.run()
    assert callable(damage)
    damage(counted.target)
    counted.run()
    assert counted.runs == 2


@pytest.mark.parametrize("content", ["", "{", "null"])
def test_damaged_stamp_counts_as_none(counted: Counted, content: str) -> None:
    counted.run()
    (stamp,) = counted.places.stamps.iterdir()
    stamp.write_text(content, "utf-8")
    counted.run()
    assert counted.runs == 2


def test_failed_step_is_tried_again(counted: Counted) -> None:
    """A step that failed leaves no stamp that says otherwise."""
    counted.run()
    content = counted.source.read_text("utf-8")
    counted.source.unlink()
    with pytest.raises(FileNotFoundError):
        counted.run()
    counted.source.write_text(content, "utf-8")
    counted.run()
    assert counted.runs == 3


def test_archives_do_not_depend_on_order(tmp_path: Path) -> None:
    """The same files give the same archive, whatever order they come in."""
    for name, content in {"a": {"x": b"1", "y": b"2"}, "b": {"y": b"2", "x": b"1"}}.items():
        archive.write(tmp_path / name, content, compress=False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_archive_files_are_readable(tmp_path: Path) -> None:
    """Unpacked by any tool, a file can be read."""
    archive.write(tmp_path / "a.zip", {"x": b"1"}, compress=False)
    with zipfile.ZipFile(tmp_path / "a.zip") as written:
        (entry,) = written.infolist()
    assert stat.S_IMODE(entry.external_attr >> 16) == 0o644
    assert entry.compress_type == zipfile.ZIP_STORED


def test_pure_wheel(tmp_path: Path) -> None:
    """The compiled part and its tag are gone, and RECORD lists exactly what is left."""
    info = "speedy-1.0.dist-info"
    archive.write(
        tmp_path / "speedy-1.0-cp314-cp314-linux_x86_64.whl",
        {
            "speedy/__init__.py": b"",
            "speedy/_fast.cpython-314-x86_64-linux-gnu.so": b"\x7fELF",
            "speedy/_fast.c": b"int main;",
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
            b"Tag: cp314-cp314-linux_x86_64\nTag: cp314-cp314-other\n",
            f"{info}/RECORD": b"old",
        },
        compress=True,
    )
    made = pure.strip(tmp_path / "speedy-1.0-cp314-cp314-linux_x86_64.whl", tmp_path)
    assert made.name == "speedy-1.0-py3-none-any.whl"
    content = archive.read(made)
    assert set(content) == {"speedy/__init__.py", f"{info}/WHEEL", f"{info}/RECORD"}
    assert re.findall(rb"^(?:Tag|Root.*): .*$", content[f"{info}/WHEEL"], re.MULTILINE) == [
        b"Root-Is-Purelib: true",
        b"Tag: py3-none-any",
    ]
    rows = list(csv.reader(content[f"{info}/RECORD"].decode().splitlines()))
    assert {row[0] for row in rows} == set(content)


LOCKS = ["requirements.lock", "requirements-check.lock"]


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_host(lock: str) -> None:
    """Packages are asked for by name, wherever this machine gets its packages from."""
    text = (ROOT / lock).read_text("utf-8")
    assert "://" not in text
    assert "--index" not in text


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    """A package without a hash would be taken as it comes."""
    pinned = pins.locked(ROOT / lock)
    assert pinned
    assert all(pin.hashes for pin in pinned.values())


def test_unknown_package_is_named() -> None:
    """A name that the lock lacks is said, with the lock's own name."""
    with pytest.raises(BuildError, match=r"requirements\.lock has no version of nothing-like"):
        pins.chosen(ROOT / "requirements.lock", ["pydantic", "nothing-like"])


def test_wrong_runtime_is_refused(tmp_path: Path) -> None:
    """An npm package that is not the pinned one is thrown away."""
    package = tmp_path / "pyodide-0.tgz"
    package.write_bytes(b"something else")
    with pytest.raises(BuildError, match="hash is not the one pinned"):
        npm.verify(package, "sha512-" + "A" * 86 + "==")
    assert not package.exists()


def test_failing_command_gives_one_line() -> None:
    """The last line that names an error becomes the reason."""
    with pytest.raises(BuildError) as caught:
        shell.pip("download", "--no-index", "--no-such-option", failing="could not fetch")
    assert re.fullmatch(r"could not fetch \(.*no such option.*\)", str(caught.value))


def test_hash_algorithm_is_npms() -> None:
    """The pin is written as npm writes it, with a hash of the length it names."""
    algorithm, _, value = pins.runtime(ROOT / "pyproject.toml").integrity.partition("-")
    assert algorithm == "sha512"
    assert len(value) == len("A" * (hashlib.sha512().digest_size // 3 * 4 + 4))
