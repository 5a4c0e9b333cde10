"""What the single file leaves out of the browser's Python, to be light enough for mail and stick.

Left out is what no answer needs: the command line, the sources beside their bytecode, and modules
of the library that neither the engine nor its packages reach in a browser. A test asks for
everything that the page can ask for and sees that none of it is missed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from web.make import archive

_PARTS: Final = (
    *("calculator/commands/", "calculator/__main__.", "calculator/shell."),  # the command line
    *("pydantic/deprecated/", "pydantic/color.", "pydantic/experimental/"),
    # of packages that are there for a part of them
    *("email/mime/", "email/_header_value_parser.", "email/headerregistry.", "email/policy."),
    *("email/contentmanager.", "email/generator.", "email/parser.", "email/feedparser."),
    *("asyncio/windows_", "asyncio/proactor_events.", "asyncio/tools.", "asyncio/__main__."),
    *("logging/config.", "logging/handlers.", "urllib/request.", "urllib/robotparser."),
)

_LIBRARY: Final = frozenset(
    {
        # the command line's
        *("argparse", "gettext", "configparser", "runpy", "mimetypes"),
        # other spellings of what is compiled in
        *("_pyio", "_pydatetime", "_pydecimal"),
        # archives but for the one that the modules come from, foreign functions, figures
        *("tarfile", "ctypes", "statistics", "pprint"),
    }
)

_ENCODINGS: Final = frozenset(
    {
        *("__init__", "aliases", "ascii", "charmap", "cp437", "idna", "latin_1", "punycode"),
        *("raw_unicode_escape", "unicode_escape", "utf_8", "utf_8_sig", "utf_16", "utf_32"),
        *("utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"),
    }
)


def lighten(source: Path, target: Path) -> None:
    """Write an archive of modules anew, without those that no answer needs."""
    content = archive.read(source)
    kept = {name: data for name, data in content.items() if _is_needed(name)}
    archive.write(target, kept, compress=False)


def _is_needed(name: str) -> bool:
    if name.startswith(_PARTS) or name.endswith(".py"):
        return False
    top, _, rest = name.partition("/")
    if top == "encodings":
        return rest.removesuffix(".pyc") in _ENCODINGS
    return top.removesuffix(".pyc") not in _LIBRARY
