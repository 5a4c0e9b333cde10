"""Loaders of a training configuration, whatever its framework calls the keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from calculator.readers import amounts
from calculator.readers.amounts import UNKNOWN_SAMPLE, Sample
from calculator.readers.config import keys
from calculator.readers.config.answer import answer
from calculator.readers.config.evaluation import amid, off
from calculator.readers.config.interpolate import resolve
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import ask, note, warn
from calculator.readers.config.tree import Node, Path, find, walk
from calculator.readers.reading import LoaderReading, Origin, Question, Reading, Remark

MOST: Final = 10**6
MOST_RANKS: Final = 1024
MOST_WORKERS: Final = 4096
LONGEST_SIDE: Final = 10**5
MOST_CHANNELS: Final = 4
_NOT_LOADERS: Final = re.compile(
    r"optimizer|optim|scheduler|lr_|model|loss|augment|transforms?|logger|logging|callbacks?|metrics?",
    re.IGNORECASE,
)
_DATA: Final = re.compile(r"(?:^|_)(?:ds|dataset|data|dataloader|loader)$", re.IGNORECASE)


@dataclass
class Value:
    """One setting: a number, a truth value or text, its line, and the expression if unknown."""

    value: Any
    path: Path
    line: int
    expression: str = ""
    text: str = ""


Group = dict[str, Value]
_OF_LOADER: Final = {"batch", "val_batch", "total_batch"}


@dataclass
class Settings:
    """Everything of a file that loaders are made from: groups of settings by their place."""

    groups: dict[Path, Group] = field(default_factory=dict)

    def all(self, what: str) -> list[Value]:
        """Every setting of one meaning."""
        return [group[what] for group in self.groups.values() if what in group]

    def near(self, path: Path, what: str) -> Value | None:
        """The setting in this group, else in one around it, else the only one of the file."""
        for length in range(len(path), -1, -1):
            value = self.groups.get(path[:length], {}).get(what)
            if value is not None:
                return value
        inside = [
            group[what] for place, group in self.groups.items()
            if place[: len(path)] == path and what in group
        ]  # fmt: skip
        # what another loader says of itself says nothing of this one
        free = [
            group[what] for group in self.groups.values()
            if what in group and not _OF_LOADER & set(group)
        ]  # fmt: skip
        found = inside or free
        return found[0] if len({str(each.value) for each in found}) == 1 else None


def settings(root: Node) -> Settings:
    """Collect the settings of a tree."""
    found = Settings()
    for path, node in walk(root):
        if not path or isinstance(node.value, dict):
            continue
        # MONAI writes `train#dataloader#batch_size`, .env and others `DATALOADER.NUM_WORKERS`
        whole = tuple(part for name in path for part in re.split(r"[#.]|::", name) if part)
        if not whole:
            continue
        what = keys.canonical(whole[-1])
        if not what and len(whole) > 1:
            what = keys.canonical("_".join(whole[-2:]))
        if what and not _beside_loaders(whole[:-1]):
            value, why = resolve(root, path, node)
            if isinstance(node.value, list):
                value, why = [each.scalar for each in node.items], ""
            group = found.groups.setdefault(whole[:-1], {})
            if what not in group or keys.rank(whole[-1]) < keys.rank(group[what].path[-1]):
                group[what] = Value(value, path, node.line, why, str(node.scalar)[:200])
    return found


def _beside_loaders(path: Path) -> bool:
    """Whether a place is of the optimizer or the like; `model.train_ds` of NeMo is not."""
    below = [index for index, each in enumerate(path) if _NOT_LOADERS.fullmatch(each)]
    return bool(below) and not any(_DATA.search(each) for each in path[below[-1] + 1 :])


def whole(value: Any, low: int = 0) -> int | None:
    """Return a number of things; None where it is none."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fine = isinstance(value, int) and not isinstance(value, bool) and low <= value <= MOST
    return value if fine else None


def devices(value: Any) -> int | None:
    """Return how many devices `2`, `0,1`, `[0, 1]` or `cpu` are; None where it does not say."""
    if isinstance(value, list):
        return len(value) or None
    if isinstance(value, str):
        text = value.strip().removeprefix("cuda:").strip("[]() ")
        if "," in text:
            return len([each for each in text.split(",") if each.strip()])
        return 1 if text in {"cpu", "mps", "cuda"} else whole(text, 1)
    return whole(value, 1)


def loaders(
    found: Settings, sample: Sample, ranks: int, suggested: Sample = UNKNOWN_SAMPLE
) -> tuple[list[LoaderReading], list[Origin], list[Question]]:
    """Make loaders of the settings: one for each place that has a batch size or workers."""
    made: list[LoaderReading] = []
    origins: list[Origin] = []
    asked: list[Question] = []
    for name, path, batch in _places(found):
        settled = {
            "batch_size": batch,
            "num_workers": (found.near(path, "val_workers") if name == "val" else None)
            or found.near(path, "workers"),
            "prefetch_factor": found.near(path, "prefetch"),
            "pin_memory": found.near(path, "pin_memory"),
            "persistent_workers": found.near(path, "persistent_workers"),
        }
        index = len(made)
        for key, value in settled.items():
            if value is not None:
                origins.append(Origin(path=f"loaders.{index}.{key}", line=value.line, text=""))
                if value.expression:
                    which = key if key in {"batch_size", "num_workers"} else "num_workers"
                    asked.append(
                        ask(f"loaders.{index}.{key}", which, value.expression[:120], name=name)
                    )
        workers = settled["num_workers"]
        total = batch is not None and batch is found.groups.get(path, {}).get("total_batch")
        size = whole(batch.value, 1) if batch else None
        made.append(
            amounts.loader(
                name,
                batch=-(-size // ranks) if size and total else size,
                workers=_workers(workers),
                prefetch=_number(settled["prefetch_factor"], 1),
                sample=sample,
                pin_memory=_truth(settled["pin_memory"]),
                persistent_workers=_truth(settled["persistent_workers"]),
                suggested=suggested.tensors,
            )
        )
    return made, origins, asked


def _places(found: Settings) -> Iterator[tuple[str, Path, Value | None]]:
    """Yield name, place and batch size of each loader, training first."""
    with_batch = [
        (path, group) for path, group in found.groups.items()
        if {"batch", "total_batch", "val_batch"} & set(group)
    ]  # fmt: skip
    places: list[tuple[str, Path, Value | None]] = []
    for path, group in with_batch:
        batch = group.get("batch") or group.get("total_batch")
        if batch is not None:
            name = _name(path)
            alone = name != "loader" or "val_batch" not in group
            places.append((name if alone else "train", path, batch))
        if "val_batch" in group:
            places.append(("val", path, group["val_batch"]))
    if not places:
        only = [path for path, group in found.groups.items() if "workers" in group]
        places = [(_name(path), path, None) for path in only]
    elif len(places) > 1:
        # A base group whose value the more special ones repeat is no loader of its own.
        special = [each for each in places if each[0] != "loader"]
        places = special or places[:1]
    places.sort(key=lambda each: each[0] == "val")
    yield from places[:16]


def _name(path: Path) -> str:
    for part in reversed(path):
        if keys.VAL_NAMES.search(part):
            return "val"
        if keys.TRAIN_NAMES.search(part):
            return "train"
    return "loader"


def _workers(value: Value | None) -> int | str | None:
    if value is None:
        return None
    if value.expression:
        return value.expression[:120]
    count = whole(value.value)
    if count is not None and count > MOST_WORKERS:
        return str(count)  # hardly meant: it is asked for
    text = value.value if isinstance(value.value, str) else ""
    return count if count is not None or not text.strip() else text.strip()[:120]


def _number(value: Value | None, low: int) -> int | None:
    return None if value is None else whole(value.value, low)


def _truth(value: Value | None) -> bool | None:
    if value is None:
        return None
    if isinstance(value.value, str):
        return {"true": True, "1": True, "false": False, "0": False}.get(value.value.lower())
    return bool(value.value) if isinstance(value.value, bool | int) else None


def suggest(found: Settings, stated: Sample) -> tuple[Sample, list[Question], list[str]]:
    """Return the sample that a size in the file suggests; none if one is stated."""
    tokens = [note("tokens")]
    if stated.bytes is not None:
        return UNKNOWN_SAMPLE, [], tokens if _is_tokens(stated) or found.all("length") else []
    lengths = [whole(each.value, 1) for each in found.all("length")]
    if lengths and lengths[0] and not found.all("side"):
        tensors = tuple(((lengths[0],), "int64") for _ in range(3))
        shape = f"3 x {lengths[0]}"
        question = ask("loaders.0.fields", "suggested", "", shape=shape, dtype="int64")
        return Sample(tensors), [question], tokens
    for each in found.all("side"):
        if shape_ := _shape(each.value):
            text = "x".join(map(str, shape_))
            question = ask("loaders.0.fields", "suggested", "", shape=text, dtype="float32")
            return Sample(((shape_, "float32"),)), [question], []
    return UNKNOWN_SAMPLE, [], []


def _is_tokens(sample: Sample) -> bool:
    return bool(sample.tensors) and all(
        len(shape) <= 1 and dtype == "int64" for shape, dtype in sample.tensors
    )


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return an image's shape from its side, its sides, or all dimensions."""
    numbers = value if isinstance(value, list) else [value]
    sides = [side for each in numbers if (side := whole(each, 1)) and side <= LONGEST_SIDE]
    if len(sides) != len(numbers):
        return None
    match sides:
        case [side]:
            return (3, side, side)
        case [height, width]:
            return (3, height, width)
        case [channels, _, _] if channels > MOST_CHANNELS:
            return (1, *sides)
        case [_, _, _] | [_, _, _, _]:
            return tuple(sides)
        case _:
            return None


def read_tree(
    paste: Paste,
    root: Node,
    *,
    format: str,  # noqa: A002 - the word of the result
    framework: str = "",
    **more: Any,
) -> Reading | None:
    """Read a training configuration; None where it sets nothing about loaders."""
    found = settings(root)
    ranks_value = found.all("ranks")
    said = devices(ranks_value[0].value) if ranks_value else None
    said = said if said is None or said <= MOST_RANKS * _machines(root) else None
    if said and keys.plain(ranks_value[0].path[-1]) == "num_processes":
        said = max(said // _machines(root), 1)
    if not (found.all("workers") or found.all("batch") or found.all("total_batch")):
        return _launcher(paste, root, said, format)
    ranks = min(said or _given_ranks(paste) or 1, MOST_RANKS)
    suggested, asked, notes = suggest(found, paste.sample)
    if off(root):
        for group in found.groups.values():
            group.pop("val_batch", None)
    made, origins, unknown = loaders(found, paste.sample, ranks, suggested)
    questions = [*asked, *unknown]
    if ranks_value and said is None and not _given_ranks(paste):
        questions.append(ask("ranks", "ranks", str(ranks_value[0].value)[:120]))
    elif found.all("total_batch") and not said and not _given_ranks(paste):
        questions.append(ask("ranks", "ranks"))
    if ranks_value and said:
        origins.append(Origin(path="ranks", line=ranks_value[0].line, text=""))
    warnings = list(_warnings(made, found, between=amid(root)))
    together = len(made) > 1 and amid(root)
    if together:
        more["form"] = {"schedule": "interleaved"}
    return answer(
        paste, made, format=format, framework=framework, ranks=ranks, together=together,
        origins=[paste.origin(each.path, each.line) for each in origins],
        asked=questions, warnings=warnings, notes=[*more.pop("notes", ()), *notes], **more,
    )  # fmt: skip


def _machines(root: Node) -> int:
    """Over how many machines the processes are spread."""
    found = (whole(node.scalar, 1) for _, node in find(root, "num_machines"))
    return next((each for each in found if each), 1)


def _given_ranks(paste: Paste) -> int | None:
    return next(
        (count for key in ("ranks", "gpus", "devices") if (count := devices(paste.given.get(key)))),
        None,
    )


def _launcher(paste: Paste, root: Node, ranks: int | None, format: str) -> Reading | None:  # noqa: A002
    """Read a launcher's file, which gives the processes and nothing else."""
    named = any(next(find(root, each), None) for each in ("distributed_type", "num_processes"))
    if not ranks or not named:
        return None
    return answer(paste, [], format=format, framework="accelerate", ranks=min(ranks, MOST_RANKS))


def _warnings(made: Sequence[LoaderReading], found: Settings, *, between: bool) -> Iterator[Remark]:
    if len(made) > 1 and between:
        yield warn("loaders_alive_together")
    if made and all(each.workers == 0 for each in made) and found.all("prefetch"):
        yield warn("invalid_prefetch_without_workers")
    for values in found.groups.values():
        for each in values.values():
            text = each.expression or each.text
            if re.search(r"env:|\$\{\w+:?-|^\$\w+$|^\$\{[A-Z_]+\}$", text):
                yield warn("interpolated_value", value=text[:80])
                return
