"""Runs inside Pyodide: ask the engine what pages ask it, before anybody has pasted a text.

The build learns from it which files the first answers need, and takes the memory after it.
"""

import gc
import json
from typing import Any

from calculator import presets
from calculator.api import answer

OTHER = {"ranks": 1, "loaders": [{"batch_size": 16, "num_workers": 2}]}

REQUESTS: list[dict[str, Any]] = [
    {"set": {"loaders.0.batch_size": "48", "loaders.1.name": "val", "schedule": "interleaved"}},
    {"set": {"torch_version": "1.13", "python_version": "3.14", "memory_limit": "1g"}},
    {"set": {"loaders.0.fields.0.dtype": "uint8", "loaders.0.fields.0.shape": "3, 512, 512"}},
    {"workload": OTHER, "compare": OTHER, "unit": "GiB", "shm": "12g", "printed": True},
    {"workload": OTHER, "remove": ["loaders.0.fields.0"]},
    {"link": "nonsense"},
    {"preset": "no such preset"},
    {"targets": ["no such target"]},
    {"shm": "12 parsecs"},
    {"set": {"loaders.0.batch_size": "many", "ranks": -1, "loaders.0.name": 7}},
    {"nonsense": 1},
]


def rehearse() -> None:
    """Ask for every preset with all its parts and platforms, links, edits, and what is refused."""
    for preset in presets.preset_ids():
        found = json.loads(answer(json.dumps({"preset": preset})))
        answer(json.dumps({"link": found["link"], "unit": "MiB"}))
        gc.collect()
    for request in REQUESTS:
        answer(json.dumps(request))
    answer("{")


rehearse  # noqa: B018  the value of a script run by Pyodide is its last expression
