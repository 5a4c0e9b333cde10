"""Many manifests at once: who has no /dev/shm of their own, or not enough, or not what it seems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from calculator.manifests import auditcompose, auditpods, plain
from calculator.manifests.detecting import detect, template
from calculator.manifests.findings import Audit, Needs, Place, Row, Summary
from calculator.manifests.jsonstream import items
from calculator.manifests.pods import runs_nothing
from calculator.manifests.tree import Document, Node, NotReadError, read, spans

MAX_DOCUMENT: Final = 4_000_000
_JSON: Final = re.compile(r'[\s\ufeff]*(?:\{\s*["}]|\[\s*(?:\{\s*"|\]))')
MOST: Final = 400_000
"""Parts of one document; a cluster's whole list should come as JSON."""


class Auditor:
    """Collects the rows of one audit."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self.rows: list[Row] = []
        self.objects = 0
        self.containers = 0

    def add_json(self, label: str, source: Callable[[int], str]) -> None:
        """Take what a JSON stream holds, object by object.

        Raises:
            InputError: it is no JSON, or broken off.
        """
        for data in items(source):
            self._object(label, plain.tree(data), 0)

    def add_text(self, label: str, text: str) -> None:
        """Take a YAML file; what is no manifest is passed over, what is broken gets a row."""
        line, at = 1, 0
        for index, (start, end) in enumerate(spans(text)):
            line, at = line + text.count("\n", at, start), start
            if runs_nothing(text, start, end) or not _concerns(text, start, end):
                continue
            bom = 1 if start == 0 and text.startswith("\ufeff") else 0
            try:
                root = _root(text, start + bom, end, line)
            except NotReadError as error:
                is_template = bool(template(text[start:end]))
                why = "it is a template, not YAML yet." if is_template else str(error)
                place = Place(label, line, f"document {index + 1}", "")
                level = "note" if is_template else "warning"
                self.rows.append(place.row("not_read", why=why, level=level))
                continue
            if root is not None:
                self._document(label, Document(index, start, end, line, root))

    def _document(self, label: str, document: Document) -> None:
        root = document.root
        form = detect([document])
        if root is not None and form == "kubernetes":
            self._object(label, root, document.line)
        elif root is not None and form == "compose":
            self._take(auditcompose.rows(label, document, self.needs))

    def _object(self, label: str, root: Node, line: int) -> None:
        self._take(auditpods.rows(label, root, line, self.needs))

    def _take(self, found: Iterable[tuple[str, list[Row]]]) -> None:
        """Take the rows of containers, each with the object it belongs to."""
        seen = set()
        for owner, rows in found:
            seen.add(owner)
            self.containers += 1
            self.rows += rows
        self.objects += len(seen)

    def result(self) -> Audit:
        """Return the table, the worst first within each file."""
        levels = [row.level for row in self.rows]
        summary = Summary(
            objects=self.objects,
            containers=self.containers,
            errors=levels.count("error"),
            warnings=levels.count("warning"),
            notes=levels.count("note"),
        )
        return Audit(rows=tuple(self.rows), summary=summary)


def _root(text: str, start: int, end: int, line: int) -> Node | None:
    if end - start > MAX_DOCUMENT:
        raise NotReadError("the document is too large; give a cluster's list as JSON.")
    return read(text, start, end, line, most=MOST)[0]


def _concerns(text: str, start: int, end: int) -> bool:
    """Whether a document could run a container: a cheap look before it is read."""
    words = ("containers", "services", "TrainJob", "predictor", "container:", "script:")
    return any(text.find(word, start, end) >= 0 for word in words)


def audit_text(text: str, needs: Needs | None = None, label: str = "-") -> Audit:
    """Audit one text, JSON or YAML.

    Raises:
        InputError: it is JSON that cannot be read.
    """
    auditor = Auditor(needs or (lambda *_: None))
    if is_json(text[:200]):
        parts = iter([text])
        auditor.add_json(label, lambda _: next(parts, ""))
    else:
        auditor.add_text(label, text)
    return auditor.result()


def is_json(head: str) -> bool:
    """Whether a text starts as JSON does; YAML in braces mostly does without quotes."""
    return _JSON.match(head) is not None
