"""Where the build keeps what it fetches and makes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """The repository's root and what the build writes: .build/ to keep, dist/ to publish."""

    root: Path

    @property
    def pyproject(self) -> Path:
        """Settings and the npm pin."""
        return self.root / "pyproject.toml"

    @property
    def lock(self) -> Path:
        """Every Python package's version and hashes."""
        return self.root / "requirements.lock"

    @property
    def check_lock(self) -> Path:
        """The same for the packages that only the checks need."""
        return self.root / "requirements-check.lock"

    @property
    def make(self) -> Path:
        """The build's own code, where the steps' JavaScript lies too."""
        return self.root / "web" / "make"

    @property
    def build(self) -> Path:
        """What is fetched and made on the way; may be deleted at any time."""
        return self.root / ".build"

    @property
    def stamps(self) -> Path:
        """One file for each finished step: what it was made from."""
        return self.build / "stamps"

    @property
    def runtime(self) -> Path:
        """Pyodide's own files, as the npm package holds them."""
        return self.build / "runtime"

    @property
    def wheels(self) -> Path:
        """The wheels offered to the browser's Python."""
        return self.build / "wheels"

    @property
    def engine(self) -> Path:
        """The engine's wheel, alone in its folder."""
        return self.build / "engine"

    @property
    def frozen(self) -> Path:
        """The resolver's answer: which wheels the bundle takes."""
        return self.build / "pyodide-lock.json"

    @property
    def components(self) -> Path:
        """The real programs that tests hand the configuration to, where they are not installed."""
        return self.build / "components"

    @property
    def bytecode(self) -> Path:
        """Compiled archives, before they are joined."""
        return self.build / "bytecode"

    @property
    def whole(self) -> Path:
        """The browser's Python before it is split: its first archive holds everything."""
        return self.build / "whole"

    @property
    def needed(self) -> Path:
        """The names of the files that the first answers need."""
        return self.build / "needed.json"

    @property
    def python(self) -> Path:
        """The finished Python of the browser: everything that dist/py/ holds."""
        return self.build / "py"

    @property
    def compressed(self) -> Path:
        """Compressed copies of the site's files, by their originals' content."""
        return self.build / "compressed"

    @property
    def packed(self) -> Path:
        """The same as text, for the single file."""
        return self.build / "packed"

    @property
    def mutants(self) -> Path:
        """A copy of the engine and its tests, for mutmut to change."""
        return self.build / "mutants"

    @property
    def dist(self) -> Path:
        """The site, ready for any static host."""
        return self.root / "dist"
