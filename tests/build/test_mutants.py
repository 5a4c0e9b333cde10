"""The mutation task: what it reads, counts and shows, without the run itself."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from web.make import mutants
from web.make.failure import BuildError
from web.make.places import Places

DIFF = """# calculator.terms.x_term__mutmut_3: survived
--- calculator/terms.py
+++ calculator/terms.py
@@ -1,4 +1,4 @@
     product = 1
     for value, _ in factors:
-        product *= value
+        product /= value
     return product
"""


def listing(*, killed: int, survived: int = 0, timeout: int = 0) -> str:
    """Write as many outcomes as mutmut lists them."""
    became = ["killed"] * killed + ["survived"] * survived + ["timeout"] * timeout
    lines = [f"    calculator.terms.x_term__mutmut_{n}: {what}" for n, what in enumerate(became)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "status", "counts"),
    [
        (listing(killed=9, survived=1), 0, "10 changes, 9 killed, 1 survived, 0 timeout: 90.0 %"),
        (listing(killed=8, survived=1), 1, "9 changes, 8 killed, 1 survived, 0 timeout: 88.9 %"),
        # a run that never ends may have had too slow a machine: it proves nothing
        (listing(killed=8, timeout=2), 1, "10 changes, 8 killed, 0 survived, 2 timeout: 80.0 %"),
        (listing(killed=3), 0, "3 changes, 3 killed, 0 survived, 0 timeout: 100.0 %"),
        ("", 1, "0 changes, 0 killed, 0 survived, 0 timeout: 0.0 %"),
        (
            "calculator.terms.x_term__mutmut_1: no tests\n",
            1,
            "1 changes, 0 killed, 0 survived, 0 timeout, 1 no tests: 0.0 %",
        ),
    ],
)
def test_at_least_nine_of_ten_changes_must_be_noticed(
    text: str, status: int, counts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not killed was not noticed, whatever became of it."""
    assert mutants.judge(mutants.outcomes(text), lambda _: DIFF) == status
    assert capsys.readouterr().out.splitlines()[-1] == f"{counts} noticed"


def test_a_run_that_was_stopped_has_no_result() -> None:
    """Mutmut ends without an error then, and lists what it did not come to."""
    text = listing(killed=9) + "    calculator.terms.x_term__mutmut_9: not checked\n"
    with pytest.raises(BuildError, match="stopped before every change was tested"):
        mutants.judge(mutants.outcomes(text), lambda _: DIFF)


def test_a_survivor_is_shown_as_the_lines_that_differ(capsys: pytest.CaptureFixture[str]) -> None:
    """Module, function, and what was changed; of what was noticed nothing is shown."""
    asked: list[str] = []

    def show(name: str) -> str:
        asked.append(name)
        return DIFF

    mutants.judge(mutants.outcomes(listing(killed=2, survived=1)), show)
    assert asked == ["calculator.terms.x_term__mutmut_2"]
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "calculator.terms term: survived",
        "    -        product *= value",
        "    +        product /= value",
    ]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("calculator.terms.x_term__mutmut_3", "calculator.terms term"),
        ("calculator.descriptors.x__own__mutmut_12", "calculator.descriptors _own"),
        ("calculator.live.xǁLoaderUseǁqueued__mutmut_1", "calculator.live LoaderUse.queued"),
        ("calculator.moments.xǁMomentǁ_around__mutmut_1", "calculator.moments Moment._around"),
    ],
)
def test_a_change_is_named_by_module_and_function(name: str, place: str) -> None:
    """The names mutmut itself gives are for machines."""
    assert mutants.place(name) == place


def test_properties_stay_properties_but_lose_their_decorator() -> None:
    """The copy answers as the original does, and nothing in it is decorated but what must be."""
    source = (
        "class Square:\n"
        "    side = 3\n"
        "\n"
        "    @property\n"
        "    def area(self):\n"
        "        # the side twice\n"
        "        return self.side * self.side\n"
        "\n"
        "    @classmethod\n"
        "    def unit(cls):\n"
        "        return cls()\n"
        "\n"
        "    @property\n"
        "    def edge(self):\n"
        "        return 4 * self.side\n"
    )
    opened = mutants.open_properties(source)
    assert "@property" not in opened
    assert "@classmethod" in opened
    space: dict[str, object] = {}
    exec(compile(opened, "opened", "exec"), space)  # noqa: S102  the text above
    square = eval("Square.unit()", space)  # noqa: S307
    assert (square.area, square.edge) == (9, 12)


def test_every_file_the_settings_name_is_there_and_is_copied(
    places: Places, tmp_path: Path
) -> None:
    """A file that was renamed must not drop out of the run unseen; the checkout stays as it is."""
    settings = tomllib.loads(places.pyproject.read_text("utf-8"))["tool"]["mutmut"]
    names = [*settings["only_mutate"], *settings["pytest_add_cli_args_test_selection"]]
    assert [name for name in names if not (places.root / name).is_file()] == []

    for name in ("calculator", "presets", "web", "tests"):
        shutil.copytree(places.root / name, tmp_path / name)
    for name in ("build.py", "pyproject.toml", "requirements.lock"):
        shutil.copy(places.root / name, tmp_path)
    before = {name: (tmp_path / name).read_text("utf-8") for name in names}
    copy = tmp_path / ".build" / "mutants"
    mutants.prepare(Places(tmp_path))
    (copy / "left-by-the-last-run").touch()
    mutants.prepare(Places(tmp_path))
    assert not (copy / "left-by-the-last-run").exists()
    assert {name: (tmp_path / name).read_text("utf-8") for name in names} == before
    live = "calculator/live.py"
    assert "@property" in before[live]
    assert "@property" not in (copy / live).read_text("utf-8")
    assert (copy / "tests/test_terms.py").read_text("utf-8") == before["tests/test_terms.py"]
