"""Tables of the README, made from the engine and the measured rows."""

from __future__ import annotations

from pathlib import Path

from calculator import presets, report
from calculator.footprint import footprint
from calculator.units import count, size
from calculator.workload import parse
from tests.support import measured

SHOWN = {
    "q14a-imagenet": "ImageNet, batch 128, 8 workers",
    "q14b-volume": "volumes of 256³, batch 2, 4 workers",
    "q14d-tokens": "8192 token ids, batch 8, 4 workers",
    "q1-fastds-minimum": "small images, a dataset that costs nothing",
    "q2-fields-tuple": "image, mask, int and float in a sample",
    "q4-file_system-peak": "file_system strategy",
    "q5-pin-sleep0.15-w4-p2": "with a pinning thread",
    "q6-interleaved": "validation in the middle of an epoch",
    "q7-ranks2": "two processes",
    "q8-spawn-base_tensor": "spawn, a dataset that holds a tensor",
    "thp-always": "tmpfs with huge pages",
}


def measured_table(path: Path) -> str:
    """Bound and measurement side by side, as Markdown."""
    rows = {row["name"]: row for row in measured.rows(path)}
    lines = [
        "| loader | steady | bound | measured peak | smallest /dev/shm that survived |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, what in SHOWN.items():
        row, found = rows[name], footprint(parse(measured.workload(rows[name])))
        smallest = row["smallest_surviving_bytes"]
        cells = (found.steady_bytes, found.peak_bytes, row["peak_bytes"])
        survived = count(smallest) if smallest else "not searched"
        lines.append(f"| {what} | {' | '.join(map(count, cells))} | {survived} |")
    return "\n".join(lines)


def preset_table() -> str:
    """The presets and their sizes, as Markdown."""
    lines = ["| preset | job | needs | /dev/shm |", "|---|---|--:|--:|"]
    for preset in map(presets.load, presets.preset_ids()):
        shm = report.build(preset.workload, targets=[]).shm
        sizes = f"{size(shm.need_bytes)} | {size(shm.recommended_bytes)}"
        lines.append(f"| `{preset.id}` | {preset.summary} | {sizes} |")
    return "\n".join(lines)
