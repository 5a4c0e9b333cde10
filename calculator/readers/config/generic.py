"""Training files of any framework: YAML, JSON, TOML, .env, and Python files of dicts."""

from __future__ import annotations

import re

from calculator.readers.config.answer import answer
from calculator.readers.config.docker_line import read_size
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import note, warn
from calculator.readers.config.training import read_tree
from calculator.readers.reading import Reading
from calculator.typed import MAX_BYTES
from calculator.units import size

ORDER = 90
_BUILD = re.compile(
    r"\b(?:docker|podman|buildx)\b[^\n]{0,40}\bbuild\b[^\n]{0,400}--shm-size[= ](?P<size>\S{1,40})"
)
_VARIABLE = re.compile(
    r"^[^\S\n]*(?:export\s+)?[\w.-]{0,40}?shm[_-]?size\w{0,10}[\"']?\s*[=:]\s*[\"']?(?P<size>\d[\w.]{0,20})",
    re.IGNORECASE | re.MULTILINE,
)
_FRAMEWORKS = (
    ("axolotl", re.compile(r"\b(?:micro_batch_size|sample_packing|base_model)\b")),
    ("huggingface", re.compile(r"\bper_device_(?:train|eval)_batch_size\b")),
    ("detectron2", re.compile(r"\bIMS_PER_BATCH\b")),
    ("monai", re.compile(r"\bmonai\b|[\"']_target_[\"']\s*:\s*[\"'][\w.]*DataLoader|#dataloader")),
    ("deepspeed", re.compile(r"\btrain_micro_batch_size_per_gpu\b")),
    ("openmmlab", re.compile(r"\b(?:samples_per_gpu|workers_per_gpu)\b")),
    ("hydra", re.compile(r"\$\{[\w.]+\}|^defaults:|_target_:", re.MULTILINE)),
)


def reads(_: Paste) -> bool:
    """Anything may be one."""
    return True


def read(paste: Paste) -> Reading | None:
    """Read the file as what it parses as; None where nothing about loaders is in it."""
    framework = next((name for name, pattern in _FRAMEWORKS if pattern.search(paste.text)), "")
    kind = "json" if paste.is_json else "yaml"
    if paste.yaml is not None:
        found = read_tree(
            paste, paste.yaml, format=f"{framework or 'training'}-{kind}", framework=framework
        )
        if found is not None:
            return found
    name = (
        "env"
        if re.search(r"^[^\S\n]*(?:export\s+)?[A-Z][A-Z0-9_]*=", paste.text, re.MULTILINE)
        else "toml"
    )
    # lines of YAML that nests mean nothing without their places
    nested = paste.yaml is not None and any(each.mapping for each in paste.yaml.mapping.values())
    found = None if nested else read_tree(paste, paste.toml, format=name, framework=framework)
    return found or _size_only(paste, name)


def _size_only(paste: Paste, name: str) -> Reading | None:
    """Read a file or a line that sets a size of /dev/shm and nothing else."""
    if match := _BUILD.search(paste.text):
        shm = read_size(match["size"])
        parsed = {"build_shm_bytes": shm, "shm_bytes": None}
        said = [warn("build_shm_only")]
        return answer(paste, [], format="docker-build", warnings=said, parsed=parsed)
    match = _VARIABLE.search(paste.text)
    shm = read_size(match["size"]) if match else None
    if match is None or shm is None or shm > MAX_BYTES:
        return None
    line = paste.text.count("\n", 0, match.start("size")) + 1
    warnings = []
    if match["size"].isdigit():
        warnings.append(warn("unitless_bytes", value=match["size"], meant=size(shm)))
    return answer(
        paste, [], format=name, shm=shm, parsed={"shm_bytes": shm}, warnings=warnings,
        notes=[note("docker", value=match["size"], bytes=shm)],
        origins=[paste.origin("current_shm", line)],
    )  # fmt: skip
