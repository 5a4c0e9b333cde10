"""The paste as the readers of configurations see it, parsed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from calculator.errors import InputError
from calculator.readers.amounts import Sample, sample_of
from calculator.readers.config.tree import Node, json_text, lines_tree, yaml_tree
from calculator.readers.reading import Origin
from calculator.typed import MAX_BYTES

_IN_WORDS = re.compile(
    r"(?P<shape>\d{1,6}(?:\s?[x×]\s?\d{1,6}){1,4})\s*,?\s*(?:of\s+)?"
    r"(?P<dtype>u?int(?:8|16|32|64)|float(?:16|32|64)|bfloat16|fp16|fp32|half|bool)?"
)


@dataclass(frozen=True)
class Paste:
    """A pasted configuration, what is given beside it, and its trees."""

    text: str
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hint(self) -> str:
        """The format that a person named; empty: to be found out."""
        return str(self.given.get("format") or "")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    @cached_property
    def is_json(self) -> bool:
        """Whether it looks like JSON."""
        return self.text.lstrip()[:1] in {"{", "["} and self.text.rstrip()[-1:] in {"}", "]"}

    @cached_property
    def yaml(self) -> Node | None:
        """The tree of YAML or JSON; None where it is neither."""
        return yaml_tree(json_text(self.text) if self.is_json else self.text.replace("\t", " "))

    @cached_property
    def toml(self) -> Node:
        """The tree of `key = value` lines under `[sections]`."""
        return lines_tree(self.text)

    @cached_property
    def hcl(self) -> Node:
        """The tree of blocks in braces."""
        return lines_tree(self.text, blocks=True)

    @property
    def wanted(self) -> int | None:
        """The size that is asked for or needed, in bytes."""
        request = self.given.get("request")
        places = [request] if isinstance(request, Mapping) else []
        for place in (*places, self.given):
            for key in ("shm_bytes", "need_bytes"):
                value = place.get(key)
                if isinstance(value, int) and 0 < value <= MAX_BYTES:
                    return value
        return None

    @cached_property
    def sample(self) -> Sample:
        """The sample that is given beside the paste, else the one that a comment names."""
        stated = sample_of(self.given)
        return stated if stated.bytes is not None else self._sample_in_comment()

    def _sample_in_comment(self) -> Sample:
        for line in self.lines[:2000]:
            comment = line[:600].rpartition("#")[2] if "#" in line[:600] else ""
            match = _IN_WORDS.search(comment)
            if match and match["dtype"]:
                shape = [int(each) for each in re.split(r"[x×]", match["shape"])]
                try:
                    return sample_of({"sample_shape": shape, "dtype": match["dtype"]})
                except InputError:
                    continue
        return Sample()

    def origin(self, path: str, line: int) -> Origin:
        """Return the line that a value came from."""
        inside = 1 <= line <= len(self.lines)
        return Origin(path=path, line=line, text=self.lines[line - 1][:400] if inside else "")

    def line_of(self, needle: str) -> int:
        """Return the number of the first line that holds a text; 0 where none does."""
        at = self.text.find(needle)
        return self.text.count("\n", 0, at) + 1 if at >= 0 else 0
