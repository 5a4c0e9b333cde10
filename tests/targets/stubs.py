"""A torch that only notes what it is asked for, and refuses what the real one refuses."""

from __future__ import annotations

from pathlib import Path

MULTIPROCESSING = """
def set_sharing_strategy(strategy):
    assert strategy in {"file_descriptor", "file_system"}
    print("strategy", strategy)
"""

# Its rules: pytorch v2.13.0 torch/utils/data/dataloader.py, DataLoader.__init__ and
# _SingleProcessDataLoaderIter.
DATA = """
class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, collate_fn=None, pin_memory=False,
                 timeout=0, multiprocessing_context=None, *, prefetch_factor=None,
                 persistent_workers=False):
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing.")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        assert num_workers or (timeout == 0 and multiprocessing_context is None)
        print("loader", dataset, batch_size, num_workers, prefetch_factor, timeout)
"""


def torch(folder: Path) -> Path:
    """Lay the stub into a folder for PYTHONPATH."""
    data = folder / "torch" / "utils" / "data"
    data.mkdir(parents=True)
    for place in (folder / "torch", folder / "torch" / "utils"):
        (place / "__init__.py").touch()
    (folder / "torch" / "multiprocessing.py").write_text(MULTIPROCESSING, "utf-8")
    (data / "__init__.py").write_text(DATA, "utf-8")
    return folder
