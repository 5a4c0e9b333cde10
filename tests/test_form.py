"""The form: everything that changes the number can be said there."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from calculator import presets
from calculator.api import answer
from calculator.form import control
from calculator.inputs import gather
from calculator.workload import parse

RICH = {
    "loaders": [
        {"fields": [{"sizes": [3, 4], "nnz": 5, "view_of": [9]}, {"name": "again"}]},
        {"prefetch_factor": None, "queue_size": 4},
    ],
    "memory_limit": "900g",
    "machine_memory": "1t",
    "start_method": "spawn",
}


def leaves(data: Any, path: str = "") -> Iterator[str]:
    """Yield the dotted paths of all inputs; a list of numbers is one input."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list) and data and isinstance(data[0], dict):
        for position, value in enumerate(data):
            yield from leaves(value, f"{path}.{position}")
    else:
        yield path


def form(data: Any) -> str:
    response = json.loads(answer(json.dumps({"workload": data, "parts": ["form"]})))
    return html.unescape(response["parts"]["form"])


@pytest.mark.parametrize("data", [{}, RICH])
def test_every_input_can_be_typed(data) -> None:
    workload = parse(data).model_dump(mode="json")
    names = set(re.findall(r' name="([^"]+)"', form(data)))
    alone = {"schedule", "last_batch_held"} if len(workload["loaders"]) == 1 else set()
    assert set(leaves(workload)) - names == alone
    assert names <= set(leaves(workload))


@pytest.mark.parametrize("data", [{}, RICH, *map(presets.workload_data, presets.preset_ids())])
def test_what_stands_in_the_form_typed_again_is_the_same_workload(data) -> None:
    workload = gather(None, data, {})
    typed = {
        path: control(workload, path).value for path in leaves(workload.model_dump(mode="json"))
    }
    assert gather(None, workload.model_dump(mode="json"), typed) == workload


@pytest.mark.parametrize(
    ("path", "kind", "minimum", "maximum"),
    [
        ("ranks", "number", 1, 1024),
        ("loaders.0.num_workers", "number", 0, 4096),
        ("loaders.0.prefetch_factor", "number", 1, 4096),
        ("loaders.0.pin_memory", "checkbox", None, None),
        ("loaders.0.collate", "select", None, None),
        ("loaders.0.fields.0.shape", "text", None, None),
        ("current_shm", "text", None, None),
        ("headroom", "text", None, None),
    ],
)
def test_a_control_knows_its_kind_and_range(path, kind, minimum, maximum) -> None:
    found = control(parse({}), path)
    assert (found.kind, found.minimum, found.maximum) == (kind, minimum, maximum)
    assert found.label
