"""The training program on a command line: launchers give the processes, options the loader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from calculator.readers.config import keys
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import ask
from calculator.readers.config.training import Settings, Value, devices, loaders, suggest, whole
from calculator.readers.config.tree import number
from calculator.readers.reading import LoaderReading, Origin, Question

Found = tuple[list[LoaderReading], int | None, list[Origin], list[Question]]

LAUNCHERS: Final = {
    "torchrun",
    "torch.distributed.run",
    "torch.distributed.launch",
    "deepspeed",
    "accelerate",
}
_SHORT: Final = {"-b": "batch_size", "-j": "workers"}
_OWN: Final = {
    "--nproc_per_node", "--nproc-per-node", "--num_processes", "--num-processes", "--num_gpus",
    "--num-gpus", "--gpus-per-node", "--gpus_per_node", "--gpu-ids", "--gpu_ids", "--include",
    "--ntasks-per-node", "--gpus", "--devices", "--ngpus", "--n_gpus", "--num_machines", "--nnodes",
}  # fmt: skip


def program(words: Sequence[str], paste: Paste, line: int = 1) -> Found:
    """Read launcher and options of a program's command line.

    Args:
        words: the command line, split.
        paste: for the sample that is given, or named in a comment.
        line: number of the line, for the origins.
    """
    options = _options(words)
    ranks = _ranks(words, options)
    found = Settings({(): {}})
    for name, text in options:
        what = keys.canonical(_SHORT.get(name, name))
        if not what and "." in name:
            what = keys.canonical(name.rpartition(".")[2])
        if what and what != "ranks":
            unknown = "$" in text
            value = None if unknown else number(text) if text else True
            found.groups[()].setdefault(what, Value(value, (name,), line, text if unknown else ""))
    asking = [
        ask("ranks", "ranks", text[:120]) for name, text in options
        if name in _OWN and ranks is None and re.match(r"\$|gpu$|auto$", text)
    ]  # fmt: skip
    if not {"batch", "workers", "total_batch"} & set(found.groups[()]):
        return [], ranks, [], asking[:1]
    suggested, asked, _ = suggest(found, paste.sample)
    made, origins, unknown_ = loaders(found, paste.sample, ranks or 1, suggested)
    if not made:
        return [], ranks, [], asking[:1]
    return (
        made,
        ranks,
        [paste.origin(each.path, line) for each in origins],
        [*asked, *unknown_, *asking[:1]],
    )


def _options(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return option and value; `key=value` words count as Hydra's overrides."""
    found: list[tuple[str, str]] = []
    for index, word in enumerate(words):
        if word.startswith("-") and len(word) > 1:
            name, equals, value = word.partition("=")
            after = words[index + 1] if index + 1 < len(words) else ""
            short = re.fullmatch(r"(-[bj])(\d{1,6})", word)
            if short:
                found.append((short[1], short[2]))
            elif equals:
                found.append((name, value))
            else:
                found.append((name, "" if after.startswith("-") else after))
        elif re.match(r"\+{0,2}[A-Za-z_][\w.]*=", word):
            name, _, value = word.lstrip("+").partition("=")
            found.append((name, value))
    return found


def _ranks(words: Sequence[str], options: Sequence[tuple[str, str]]) -> int | None:
    for name, text in options:
        if name in _OWN and name not in {"--num_machines", "--nnodes"}:
            if name == "--gpus" and any(each in {"docker", "podman"} for each in words):
                continue
            if name in {"--gpu_ids", "--gpu-ids"} and text and "," in text:
                return devices(text)
            count = whole(number(text), 1) or (devices(text) if "," in text else None)
            if count:
                machines = dict(options).get("--num_machines", "1")
                share = whole(number(machines), 1) or 1
                return max(count // share, 1) if "processes" in name else count
    return None
