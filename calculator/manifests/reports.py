"""An audit in the formats that merge requests show: SARIF and JUnit."""

from __future__ import annotations

import html
import re
from typing import Any, Final

from calculator import __version__
from calculator.manifests.findings import Audit, Row, table

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(audit: Audit) -> str:
    """Write the table for people; notes are only counted."""
    rows = [row for row in audit.rows if row.level != "note"]
    lines = [f"{row.level:<8} {_where(row)}: {row.reason}" for row in rows]
    found = audit.summary
    lines.append(
        f"{found.containers} containers of {found.objects} objects: {found.errors} errors, "
        f"{found.warnings} warnings, {found.notes} notes."
    )
    return "\n".join(lines) + "\n"


def _where(row: Row) -> str:
    file = "" if row.file == "-" else f"{row.file}:{row.line} " if row.line else f"{row.file} "
    return f"{file}{row.object}" + (f" ({row.container})" if row.container else "")


def sarif(audit: Audit) -> dict[str, Any]:
    """Return the audit as SARIF 2.1.0."""
    used = list(dict.fromkeys(row.id for row in audit.rows))
    rules = [{"id": each, "shortDescription": {"text": table()[each]["title"]}} for each in used]
    tool = {"driver": {"name": "shm-sizer", "version": __version__, "rules": rules}}
    results = [_result(row, used.index(row.id)) for row in audit.rows]
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(row: Row, rule: int) -> dict[str, Any]:
    place: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": f"{row.object}/{row.container}".strip("/")}]
    }
    if row.file != "-":
        uri = re.sub(r"^(?:\./)+", "", row.file.replace("\\", "/")).replace(" ", "%20")
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
        if row.line:
            physical["region"] = {"startLine": row.line}
        place["physicalLocation"] = physical
    return {
        "ruleId": row.id,
        "ruleIndex": rule,
        "level": row.level,
        "message": {"text": f"{_name(row)} {row.reason}"},
        "locations": [place],
    }


def _name(row: Row) -> str:
    return f"{row.object}, {row.container}," if row.container else row.object


def junit(audit: Audit) -> str:
    """Return the audit as JUnit's XML: a test case for each finding, notes passed."""
    cases = [_case(row) for row in audit.rows] or [
        '<testcase classname="audit" name="nothing was found"/>'
    ]
    failures = sum(row.level != "note" for row in audit.rows)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'<testsuite name="shm-sizer audit" {counts}>',
        *cases,
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(row: Row) -> str:
    names = {"classname": row.object, "name": f"{row.container}: {row.id}"}
    if row.file != "-":
        names["file"] = row.file
    head = "".join(f' {key}="{_clean(value)}"' for key, value in names.items())
    if row.level == "note":
        return f"<testcase{head}/>"
    said = f'<failure type="{row.level}" message="{_clean(row.reason)}">'
    return f"<testcase{head}>{said}{_clean(f'{_where(row)}: {row.reason}')}</failure></testcase>"


def _clean(value: str) -> str:
    """Write text that came from outside so that XML reads it as it is."""
    return html.escape(_NOT_XML.sub("?", value))
