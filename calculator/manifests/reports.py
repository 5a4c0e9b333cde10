"""An audit in the formats that merge requests show: SARIF and JUnit."""

from __future__ import annotations

import re
from typing import Any, Final
from xml.etree import ElementTree as ET

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
    bad = [row for row in audit.rows if row.level != "note"]
    counts = {"tests": str(max(len(audit.rows), 1)), "failures": str(len(bad)), "errors": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "shm-sizer audit", **counts})
    for row in audit.rows:
        names = {"classname": _clean(row.object), "name": _clean(f"{row.container}: {row.id}")}
        if row.file != "-":
            names["file"] = _clean(row.file)
        case = ET.SubElement(suite, "testcase", names)
        if row.level != "note":
            message = _clean(row.reason)
            failure = ET.SubElement(case, "failure", {"type": row.level, "message": message})
            failure.text = _clean(f"{_where(row)}: {row.reason}")
    if not audit.rows:
        ET.SubElement(suite, "testcase", {"classname": "audit", "name": "nothing was found"})
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _clean(value: str) -> str:
    return _NOT_XML.sub("?", value)
