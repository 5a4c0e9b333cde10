"""Tables of the README, made from the engine and the measured rows."""

from __future__ import annotations

from pathlib import Path

from calculator import presets, report
from calculator.units import count, size
from web.make import measured


def measured_table(path: Path) -> str:
    """Bound and measurement side by side, as Markdown."""
    lines = [
        "| loader | steady | bound | measured peak | smallest /dev/shm that survived |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in measured.telling(path):
        sizes = (row["steady"], row["bound"], row["peak"])
        survived = count(row["smallest"]) if row["smallest"] else "not searched"
        lines.append(f"| {row['what']} | {' | '.join(map(count, sizes))} | {survived} |")
    return "\n".join(lines)


def preset_table() -> str:
    """The presets and their sizes, as Markdown."""
    lines = ["| preset | job | needs | /dev/shm |", "|---|---|--:|--:|"]
    for preset in map(presets.load, presets.preset_ids()):
        shm = report.build(preset.workload, targets=[]).shm
        sizes = f"{size(shm.need_bytes)} | {size(shm.recommended_bytes)}"
        lines.append(f"| `{preset.id}` | {preset.summary} | {sizes} |")
    return "\n".join(lines)
