"""html-validate: what is no valid HTML, and what is valid and still unwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.support.components import HOME, missing, run
from web.make.node import node

SCRIPT = Path(__file__).with_name("html_validate.mjs")

RULES = {
    "doctype-style": ["error", {"style": "lowercase"}],
    "long-title": "off",  # what a search shows of a title is no matter of validity
    "no-redundant-for": "off",  # inside its label a control is named twice: some need it
    # a box that scrolls is a region by its role: a section has headings and margins of its own here
    "prefer-native-element": ["error", {"exclude": ["region"]}],
    "valid-id": ["error", {"relaxed": True}],
    "wcag/h32": "off",  # every edit is answered at once: there is nothing to submit
}
"""What differs from the recommended rules and those of accessibility, which all hold else."""


def errors(files: Sequence[Path]) -> list[str]:
    """Return what is wrong in these files: file, line, rule and words."""
    packages = HOME / "node_modules"
    if not (packages / "html-validate").is_dir():
        missing("html-validate is not there: build.py test fetches it")
    request = {"rules": RULES, "files": [str(file) for file in files]}
    done = run([node(), SCRIPT, packages], given=json.dumps(request))
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found
