"""Ultralytics YOLO: an args file, or a `yolo` command line.

Sources: ultralytics `engine/trainer.py` (batch for each rank, val on rank 0 with twice the
batch), `data/build.py` (prefetch_factor 4, workers capped), `models/yolo/*/train.py`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from calculator.readers import amounts
from calculator.readers.amounts import Sample
from calculator.readers.config.answer import answer
from calculator.readers.config.interpolate import resolve
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import ask, note, warn
from calculator.readers.config.training import devices, whole
from calculator.readers.config.tree import Node, number
from calculator.readers.reading import LoaderReading, Question, Reading, Remark
from calculator.typed import MAX_BYTES
from calculator.units import size

ORDER = 30
DEFAULTS: Final = {"batch": 16, "imgsz": 640, "workers": 8}
PREFETCH: Final = 4
_COMMAND = re.compile(r"\byolo[ \t][^\n|;&]*", re.IGNORECASE)
_BOTH: Final = {"batch", "workers"}
_OWN: Final = {
    "data",
    "model",
    "device",
    "mosaic",
    "close_mosaic",
    "task",
    "mode",
    "single_cls",
    "rect",
    "cache",
    "epochs",
}


def reads(paste: Paste) -> bool:
    """Whether the paste is one of Ultralytics'."""
    if paste.hint.startswith("ultralytics"):
        return True
    if _command(paste) is not None:
        return True
    keys = set(paste.yaml.mapping) if paste.yaml else set()
    model = str(paste.yaml.mapping["model"].scalar) if paste.yaml and "model" in keys else ""
    yolo = re.search(r"yolo|rtdetr", model, re.IGNORECASE) is not None
    own = _BOTH | _OWN
    return ("imgsz" in keys and bool(keys & own)) or (yolo and bool(keys & _BOTH))


def read(paste: Paste) -> Reading | None:
    """Read the arguments; what is not set has Ultralytics' defaults."""
    root = _root(paste)
    values = {key: resolve(root, (key,), node)[0] for key, node in root.mapping.items()}
    lists = {
        key: [each.scalar for each in node.items]
        for key, node in root.mapping.items()
        if node.items
    }
    values |= lists
    device = values.get("device")
    ranks = _ranks(device)
    asked: list[Question] = []
    total = whole(values.get("batch", DEFAULTS["batch"]), 1)
    if total is None:
        asked.append(
            ask("loaders.0.batch_size", "batch_size", f"batch: {values.get('batch')}", name="train")
        )
    batch = None if total is None else max(total // ranks, 1)
    workers = whole(values.get("workers", DEFAULTS["workers"]))
    task = _task(values)
    sample = _sample(values.get("imgsz", DEFAULTS["imgsz"]), task, paste)
    double = 1 if task == "obb" else 2
    train = _loader("train", batch, workers, PREFETCH, sample)
    twice = None if batch is None else batch * double
    val_workers = None if workers is None else workers * 2
    only = {"ranks": 1} if ranks > 1 else {}
    val = _loader("val", twice, val_workers, PREFETCH, sample, **only)
    newer = _loader("val", twice, val_workers, 2, sample, **only)
    resident, warnings, notes, extra = _cache(values, paste)
    if values.get("multi_scale"):
        warnings.append(warn("variable_shapes"))
    warnings.insert(0, warn("loaders_alive_together"))
    notes.insert(0, note("ultralytics"))
    if ranks > 1:
        notes.insert(1, note("ultralytics_ddp", batch=batch or "?", ranks=ranks))
    lines = {"loaders.0.batch_size": "batch", "loaders.0.num_workers": "workers",
             "loaders.0.fields.0.shape": "imgsz", "ranks": "device"}  # fmt: skip
    return answer(
        paste, [train, val], format="ultralytics-yaml", framework="ultralytics", ranks=ranks,
        together=True, asked=asked, warnings=warnings, notes=notes, extra=extra,
        origins=[paste.origin(path, root.mapping[key].line) for path, key in lines.items()
                 if key in root.mapping],
        form={"dataset_tensor_bytes": resident or None, **_python(paste)},
        loaders_newer=(train, newer),
    )  # fmt: skip


def _root(paste: Paste) -> Node:
    match = _command(paste)
    if match:
        line = paste.text.count("\n", 0, match.start()) + 1
        pairs = re.findall(r"(\w+)=(\[[^\]\n]{0,80}\]|\S+)", match[0])
        return Node({key: _argument(value, line) for key, value in pairs}, line)
    return paste.yaml if paste.yaml is not None else paste.toml


def _task(values: dict[str, Any]) -> str:
    """The task that is named, else the one that the model's name ends with."""
    named = str(values.get("task") or "").lower()
    model = re.search(r"-(obb|cls|seg|pose)\b", str(values.get("model") or "").lower())
    if named or model is None:
        return named or "detect"
    return {"cls": "classify"}.get(model[1], model[1])


def _command(paste: Paste) -> re.Match[str] | None:
    """Return the first `yolo` command line that sets something."""
    found = _COMMAND.finditer(paste.text[:100_000])
    return next((each for each in found if re.search(r"\w=\S", each[0])), None)


def _argument(text: str, line: int) -> Node:
    bare = text.strip("'\"")
    if bare.lower() in {"true", "false"}:
        return Node(bare.lower() == "true", line)
    return Node(bare if "," in bare else number(bare), line)


def _ranks(device: Any) -> int:
    """`0` is one device, not none; `0,1` and a list are as many as they name."""
    if isinstance(device, int | float | None):
        return 1
    text = str(device) if not isinstance(device, list) else device
    single = isinstance(text, str) and "," not in text
    return 1 if single else min(devices(text) or 1, 64)


def _sample(side: Any, task: str, paste: Paste) -> Sample:
    if paste.sample.bytes is not None:
        return paste.sample
    sides = side if isinstance(side, list) else [side]
    numbers = [whole(each, 1) for each in sides][:2]
    if not numbers or any(each is None or each > 10**5 for each in numbers):
        return Sample()
    height, width = (numbers * 2)[:2]
    dtype = "float32" if task == "classify" else "uint8"
    return Sample((((3, height or 1, width or 1), dtype),))


def _loader(
    name: str, batch: int | None, workers: int | None, prefetch: int, sample: Sample, **more: Any
) -> LoaderReading:
    return amounts.loader(
        name, batch=batch, workers=workers, prefetch=prefetch if workers != 0 else None,
        sample=sample, collate="stack", pin_memory=True, **more,
    )  # fmt: skip


def _cache(
    values: dict[str, Any], paste: Paste
) -> tuple[int, list[Remark], list[str], dict[str, Any]]:
    """Return what a cache of images in memory means."""
    cached = values.get("cache")
    if cached is not True and str(cached).lower() not in {"ram", "true"}:
        return 0, [], [], {}
    count, shape = whole(paste.given.get("cached_images"), 1), paste.given.get("cached_shape")
    resident = 0
    if count and isinstance(shape, list):
        held = amounts.sample_of({"sample_shape": shape, "dtype": "uint8"}).bytes or 0
        resident = count * held
    notes = [note("ultralytics_cache")]
    if not _moves(paste) or resident > MAX_BYTES:
        return 0, [], notes, {}
    shown = size(resident) if resident else "all"
    extra = {"resident_bytes_if_tensor_cache": resident} if resident else {}
    return resident, [warn("spawn_dataset_tensors", bytes=shown)], notes, extra


def _moves(paste: Paste) -> bool:
    """Whether workers are not forked: Python 3.14 or later, macOS, Windows, or set so."""
    version = re.match(r"(\d+)\.(\d+)", str(paste.given.get("python", "")))
    newer = version is not None and (int(version[1]), int(version[2])) >= (3, 14)
    method = str(paste.given.get("start_method", ""))
    platform = str(paste.given.get("platform", "")).lower()
    return newer or method in {"spawn", "forkserver"} or platform in {"macos", "windows", "darwin"}


def _python(paste: Paste) -> dict[str, Any]:
    version = str(paste.given.get("python", ""))
    return {"python_version": version} if re.fullmatch(r"\d\.\d{1,2}", version) else {}
