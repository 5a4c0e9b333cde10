"""Training files of any framework: YAML, JSON, TOML, .env, and Python files of dicts."""

from __future__ import annotations

import re

from calculator.readers.config.paste import Paste
from calculator.readers.config.training import read_tree
from calculator.readers.reading import Reading

ORDER = 90
_FRAMEWORKS = (
    ("axolotl", re.compile(r"\b(?:micro_batch_size|sample_packing|base_model)\b")),
    ("huggingface", re.compile(r"\bper_device_(?:train|eval)_batch_size\b")),
    ("detectron2", re.compile(r"\bIMS_PER_BATCH\b")),
    ("monai", re.compile(r"\bmonai\b|[\"']_target_[\"']\s*:\s*[\"'][\w.]*DataLoader|#dataloader")),
    ("deepspeed", re.compile(r"\btrain_micro_batch_size_per_gpu\b")),
    ("openmmlab", re.compile(r"\b(?:samples_per_gpu|workers_per_gpu)\b")),
    ("hydra", re.compile(r"\$\{[\w.]+\}|^defaults:|_target_:", re.M)),
)


def reads(_: Paste) -> bool:
    """Anything may be one."""
    return True


def read(paste: Paste) -> Reading | None:
    """Read the file as what it parses as; None where nothing about loaders is in it."""
    framework = next((name for name, pattern in _FRAMEWORKS if pattern.search(paste.text)), "")
    kind = "json" if paste.is_json else "yaml"
    if paste.yaml is not None:
        found = read_tree(paste, paste.yaml, format=f"{framework or 'training'}-{kind}", framework=framework)
        if found is not None:
            return found
    name = "env" if re.search(r"^\s*(?:export\s+)?[A-Z][A-Z0-9_]*=", paste.text, re.M) else "toml"
    return read_tree(paste, paste.toml, format=name, framework=framework)
