"""Answers as JSON for people and scripts: on the command line, and to copy from the page."""

from __future__ import annotations

import json
from typing import Any


def as_json(data: Any) -> str:
    """Write an answer as JSON, in lines."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
