"""nnU-Net's environment: how many processes feed the queue.

Source: MIC-DKFZ/nnUNet `nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py` get_dataloaders and
`utilities/default_n_proc_DA.py`.
"""

from __future__ import annotations

import re
from typing import Any

from calculator.readers import amounts
from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import note, warn
from calculator.readers.reading import Estimate, LoaderReading, Reading
from calculator.workload import DEFAULT_SHM_BYTES

ORDER = 20
_COUNT = re.compile(r"\bnnUNet_n_proc_DA[\"']?\s*[=:]\s*[\"']?(?P<count>\$?[\w{}():-]{1,80})")


def reads(paste: Paste) -> bool:
    """Whether the variable is set."""
    return _COUNT.search(paste.text) is not None


def read(paste: Paste) -> Reading | None:
    """Read the number of processes; 0 loads in the main process."""
    match = _COUNT.search(paste.text)
    if match is None:
        return None
    line = paste.text.count("\n", 0, match.start()) + 1
    text = match["count"]
    common: dict[str, Any] = {
        "format": "env", "framework": "nnunetv2", "together": True,
        "origins": [paste.origin("loaders.0.num_workers", line)],
    }  # fmt: skip
    if not re.fullmatch(r"\d{1,4}", text):
        unknown = amounts.loader("train", workers=text, sample=paste.sample)
        return answer(paste, [unknown], notes=[note("nnunet")], **common)
    count = int(text)
    if count == 0:
        none = answer(paste, [], notes=[note("nnunet")], warnings=[warn("workers_zero")], **common)
        nothing = Estimate(per_rank_peak_bytes=0, container_peak_bytes=0, full_bytes=0,
                           need_bytes=0, recommended_bytes=DEFAULT_SHM_BYTES)  # fmt: skip
        return none.model_copy(update={"estimate": nothing})
    batch = paste.given.get("batch_size")
    size = batch if isinstance(batch, int) and 0 < batch < 10**6 else None
    train = _queue("train", size, count, max(6, count // 2), paste)
    val = _queue("val", size, max(1, count // 2), max(3, count // 4), paste)
    return answer(
        paste, [train, val], notes=[note("nnunet")],
        warnings=[warn("loaders_alive_together")], **common,
    )  # fmt: skip


def _queue(name: str, batch: int | None, count: int, cached: int, paste: Paste) -> LoaderReading:
    """Describe processes that fill a queue of `cached` batches; each holds one more."""
    read_ = amounts.loader(name, batch=batch, workers=count, prefetch=1, sample=paste.sample)
    batches = cached + count + 1
    one = read_.batch_bytes
    return read_.model_copy(
        update={
            "prefetch": None,
            "peak_batches": batches,
            "peak_bytes": one * batches if one else None,
            "peak_max_bytes": one * (batches + 1) if one else None,
            "context": "queue",
        }
    )
