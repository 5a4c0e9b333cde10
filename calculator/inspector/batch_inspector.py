"""Describe a DataLoader for the /dev/shm calculator.

    describe(train_loader, val_loader).show()    # or one batch: describe(batch).show()

It makes one batch of each loader in this process, without workers, and prints the workload as
JSON, ready to paste.  It uses none of /dev/shm and no GPU, so a login node will do.  Random numbers
are as they were: the global ones, and every generator that dataset, sampler or collate_fn hold.
Samplers and iterators that they hold are copied and the copy is used; one that cannot be copied,
such as a generator, loses its first batch.  That, and what it could not see, it says on standard
error.  What else the dataset's code changes when it gives a sample stays changed.

A worker sends a batch by pickling it, and PyTorch's reducers move each storage they meet to
shared memory.  Here the same pickler with the same reducers is asked what it meets, and nothing
is moved: so views, expanded, shared, sparse and nested tensors count as they will, in batches of
any class.  One file, standard library and PyTorch 1.13 or newer, Python 3.8 or newer.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import itertools
import json
import math
import multiprocessing
import os
import platform
import random
import sys
import types
import weakref
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PAGE = 4096
VARY = "sizes vary, and this is one batch: give the sizes of the largest one"
MOST_FIELDS, MOST_SIZES, MOST_DIMENSIONS, LONGEST_NAME = 1000, 100_000, 16, 80
MOST_CONTAINERS, DEEPEST = 1_000_000, 40
WRONG = (Exception, SystemExit)
PLAIN = frozenset([str, bytes, int, float, bool, type(None)])
PROXIES = (weakref.ProxyType, weakref.CallableProxyType)
NO_CONTAINERS = (str, bytes, bytearray, type, types.ModuleType, random.Random, *PROXIES)
ORDERED: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
SEQUENCES: tuple[Any, ...] = ([], (), "", b"", {}, set(), range(0), range(1 << 70))
STEPPERS = frozenset(type(iter(each)) for each in SEQUENCES)
SAME_SIZE = {1: "uint8", 2: "int16", 4: "int32", 8: "int64", 16: "complex128"}
KNOWN = frozenset(
    "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz "
    "int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool complex128 complex64 complex32".split()
)


class Description:
    """What `describe` found: `workload` for the calculator, `notes` for people."""

    def __init__(self, workload: dict[str, Any], notes: list[str]) -> None:
        self.workload, self.notes = workload, notes

    def json(self) -> str:
        """Return the workload as the calculator takes it."""
        return json.dumps(self.workload, indent=1, ensure_ascii=False)

    def show(self) -> None:
        """Print the workload, and the notes on standard error."""
        for note in self.notes:
            print("note: " + note.encode("ascii", "backslashreplace").decode(), file=sys.stderr)
        text = self.json()
        try:
            text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
        except UnicodeError:
            text = json.dumps(self.workload, indent=1)
        print(text)

    __str__ = __repr__ = json


def describe(*loaders: Any) -> Description:
    """Describe one job's DataLoaders, or one batch as a worker would send it.  Never raises."""
    notes: list[str] = []
    workload = _machine()
    workload["loaders"] = []
    for each in loaders:
        found: dict[str, Any] = {}
        try:
            _loader(each, found, workload, notes)
        except WRONG as error:
            notes.append(f"could not make out all of {type(each).__name__}: {_said(error)}"[:300])
        workload["loaders"].append(found)
        if "fields" not in found:  # an empty list is refused; without one there are usual fields
            found["fields"] = []
            notes.append("no batch was seen: fill in the empty fields by hand, or nothing is sized")
    return Description(workload, list(dict.fromkeys(notes)))


def _said(error: BaseException) -> str:
    """Return an error as text, even one that cannot say what it is."""
    try:
        return repr(error)
    except WRONG:
        return type(error).__name__


# ---------------------------------------------------------------- the job around the loaders


def _machine() -> dict[str, Any]:
    import torch

    local, world = _number("LOCAL_WORLD_SIZE", 1), _number("WORLD_SIZE", 1)
    found: dict[str, Any] = {"ranks": local}
    if world > local and world % local == 0:
        found["job_ranks"] = world
    version = str(torch.__version__).partition("+")[0]
    found.update(torch_version=version, python_version=platform.python_version().rstrip("+"))
    found["start_method"] = multiprocessing.get_start_method(allow_none=True) or _usual_method()
    with contextlib.suppress(Exception):
        found["sharing_strategy"] = torch.multiprocessing.get_sharing_strategy()
    found["accelerator"] = False
    with contextlib.suppress(Exception):
        found["accelerator"] = bool(torch.cuda.is_available())
    with contextlib.suppress(Exception):
        found["accelerator"] = bool(torch.accelerator.is_available())
    page = _page_bytes()
    if page != PAGE:
        found["page_bytes"] = page
    return found


def _usual_method() -> str:
    return multiprocessing.get_all_start_methods()[0]


def _number(name: str, usual: int) -> int:
    with contextlib.suppress(ValueError):
        return max(int(os.environ.get(name, "")), 0) or usual
    return usual


def _page_bytes() -> int:
    """Return the page of the tmpfs here; with huge=always it takes whole 2 MiB pages."""
    with contextlib.suppress(Exception), open("/proc/mounts", encoding="utf-8") as mounts:
        shm = [line.split() for line in mounts if line.split()[1:2] == ["/dev/shm"]]
        if shm and "huge=always" in shm[-1][3].split(","):
            return 2 * 1024 * 1024
    with contextlib.suppress(Exception):
        return int(os.sysconf("SC_PAGE_SIZE"))
    return PAGE


def _loader(loader: Any, found: dict[str, Any], workload: dict[str, Any], notes: list[str]) -> None:
    """Fill in what can be said of one loader; what was found stays if the rest fails."""
    if not all(hasattr(loader, name) for name in ("dataset", "collate_fn", "num_workers")):
        notes.append("this is a batch, not a loader: add num_workers, prefetch_factor and so on")
        found.update(_batch(loader, _common_length(loader), set(), notes)[0])
        return
    found.update(_settings(loader, workload, notes))
    held: dict[int, int] = {}
    try:
        held = _held(loader, workload, notes)
    except WRONG as error:
        notes.append(f"could not see what the dataset holds ({_said(error)})"[:300])
    try:
        with _undisturbed(loader):
            batch, samples = _dry_run(loader, notes)
        if samples == 0:
            raise ValueError("the first batch has no sample")
    except WRONG as error:
        text = f"could not make a batch ({_said(error)}"[:300]
        notes.append(text + "): it is NOT known what this loader sends")
        return
    described, owned = _batch(batch, samples, set(held), notes)
    if described["collate"] == "stack" and _is_default(loader.collate_fn):
        described["collate"] = "default"
    found.update(described)
    if loader.batch_size is None and samples is not None:
        notes.append(f"batch_sampler: the first batch has {samples} samples, others may differ")
    _keep(held, owned, loader.num_workers, workload, notes)


def _keep(
    held: dict[int, int], owned: str, workers: int, workload: dict[str, Any], notes: list[str]
) -> None:
    """Say what the dataset holds, where it comes to /dev/shm."""
    forks, size = workload["start_method"] == "fork", sum(held.values())
    if held and (not forks or owned == "all"):
        for key, more in (("dataset_tensor_bytes", size), ("dataset_tensors", len(held))):
            workload[key] = more + workload.get(key, 0)
    if owned == "some" and forks:
        notes.append("part of a batch is the dataset's own: each worker moves all it ever returns")
        workload["process_shm_bytes"] = workers * size + workload.get("process_shm_bytes", 0)


def _settings(loader: Any, workload: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Read what the loader was told, and note what it cannot tell."""
    context = getattr(loader, "multiprocessing_context", None)
    if context is not None:
        workload["start_method"] = context.get_start_method(allow_none=True) or _usual_method()
    if workload["start_method"] != "fork" and workload.get("sharing_strategy") == "file_system":
        workload["sharing_strategy"] = "file_descriptor"
        notes.append("workers that are spawned do not inherit file_system: file_descriptor it is")
    pins = bool(getattr(loader, "pin_memory", False))
    if pins and not workload["accelerator"]:
        notes.append("pin_memory without an accelerator here: set accelerator if the job has one")
    known = {} if loader.batch_size is None else {"batch_size": loader.batch_size}
    return {
        **known,
        "num_workers": loader.num_workers,
        "prefetch_factor": getattr(loader, "prefetch_factor", None),
        "persistent_workers": bool(getattr(loader, "persistent_workers", False)),
        "pin_memory": pins,
    }


def _is_default(collate: Any) -> bool:
    return getattr(collate, "__name__", "") == "default_collate" and str(
        getattr(collate, "__module__", "")
    ).startswith("torch.")


# ---------------------------------------------------------------- one batch, without workers


@contextlib.contextmanager
def _undisturbed(loader: Any) -> Iterator[None]:
    """Put every random state back that making a batch may use, and the places in open files."""
    import torch

    names = ("dataset", "sampler", "batch_sampler", "collate_fn", "generator")
    places = [getattr(loader, name, None) for name in names]
    ordinary, own = torch.get_rng_state(), random.getstate()
    numpy = sys.modules.get("numpy")
    arrays = numpy.random.get_state() if numpy else None
    kept: dict[int, tuple[Any, Any]] = {}
    for _, each in _leaves(places, foreign=False, callables=True):
        kept.update((id(each), (each, state)) for state in _state(each))
    try:
        yield
    finally:
        torch.set_rng_state(ordinary)
        random.setstate(own)
        if numpy:
            numpy.random.set_state(arrays)
        for each, state in kept.values():
            with contextlib.suppress(Exception):
                _put_back(each, state)


def _state(each: Any) -> Iterator[Any]:
    """Yield the state of a generator of random numbers, or the place in a file; of others none."""
    import torch

    kind, random_of_numpy = type(each), getattr(sys.modules.get("numpy"), "random", None)
    with contextlib.suppress(Exception):
        if issubclass(kind, torch.Generator) or kind is getattr(random_of_numpy, "RandomState", 0):
            yield each.get_state()
        elif issubclass(kind, random.Random):
            yield each.getstate()
        elif kind is getattr(random_of_numpy, "Generator", 0):
            yield each.bit_generator.state
        elif issubclass(kind, getattr(random_of_numpy, "BitGenerator", ())):
            yield each.state
        elif issubclass(kind, io.IOBase) and each.seekable():
            yield each.tell()


def _put_back(each: Any, state: Any) -> None:
    if isinstance(each, io.IOBase):
        if each.tell() != state:
            each.seek(state)
    elif isinstance(each, random.Random):
        each.setstate(state)
    elif hasattr(each, "set_state"):
        each.set_state(state)
    else:
        getattr(each, "bit_generator", each).state = state


def _dry_run(loader: Any, notes: list[str]) -> tuple[Any, Any]:
    """Make the first batch as a worker would; return it, and its samples if collated."""
    import torch

    dataset, collate = loader.dataset, loader.collate_fn
    batches = getattr(loader, "batch_sampler", None)
    if _steps(dataset):
        dataset = _own_copy(dataset, (), "the dataset", notes)
    if isinstance(dataset, torch.utils.data.IterableDataset):
        items = iter(dataset)
        if loader.batch_size is None:
            return collate(next(items)), None
        samples = list(itertools.islice(items, loader.batch_size))
        return collate(samples), len(samples)
    chosen = loader.sampler if batches is None else batches
    data = getattr(chosen, "data_source", getattr(loader.sampler, "data_source", None))
    shared = [each for each in (loader.dataset, data) if each is not None]
    indices = next(iter(_own_copy(chosen, shared, "the sampler", notes)))
    if batches is None:
        return collate(dataset[indices]), None
    if callable(getattr(dataset, "__getitems__", None)):
        return collate(dataset.__getitems__(indices)), len(indices)
    return collate([dataset[index] for index in indices]), len(indices)


def _steps(thing: Any) -> bool:
    """Whether it is an iterator or holds one: what is taken from it is gone."""
    inside = (each for _, each in _leaves(thing, foreign=False, callables=True))
    return any(_is_iterator(type(each)) for each in inside)


def _is_iterator(kind: Any) -> bool:
    """Whether it steps, and is no file, whose place is put back, nor a proxy of something."""
    return hasattr(kind, "__next__") and not issubclass(kind, (io.IOBase, *PROXIES))


def _own_copy(thing: Any, shared: Sequence[Any], what: str, notes: list[str]) -> Any:
    """Copy what may count its steps, but not what is `shared`, and nothing like a lock.

    A sampler may shuffle an array of its own in place; those of a dataset are too large to copy.
    """
    memo = {id(each): each for each in shared}
    kept = [each for _, each in _leaves(thing, foreign=False, callables=True, skip=shared)]
    for each in kept:
        kind = type(each)
        if kind in STEPPERS:
            memo[id(each)] = copy.copy(each)
        elif _is_data(kind):
            memo.update({} if shared else {id(each): each})
        elif not (kind in PLAIN or _is_iterator(kind) or _fillable(kind)):
            memo[id(each)] = each
    try:
        return copy.deepcopy(thing, memo)
    except WRONG as error:
        notes.append(
            f"{what} cannot be copied ({_said(error)[:120]}): if it is an iterator or counts, "
            "the first batch is gone from it, so make the loader anew before you use it"
        )
        return thing


def _is_data(kind: Any) -> bool:
    import torch

    return issubclass(kind, torch.Tensor) or hasattr(kind, "__array__")


def _fillable(kind: Any) -> bool:
    """Whether something without parts may get some: an empty list, an object of one's own."""
    if issubclass(kind, (io.IOBase, types.ModuleType)):
        return False
    return issubclass(kind, (dict, list, set, deque)) or kind.__dictoffset__ != 0


# ---------------------------------------------------------------- what would be moved


class _Sink:
    """A file that keeps nothing."""

    def write(self, data: Any) -> int:
        return len(data)


def _sent(thing: Any) -> dict[int, Any]:
    """Return the storages, by identity, that sending `thing` to another process would move."""
    from multiprocessing.reduction import ForkingPickler

    import torch.multiprocessing

    found: dict[int, Any] = {}

    class Watching(ForkingPickler):
        def persistent_id(self, each: Any) -> Any:
            if isinstance(each, torch.UntypedStorage):
                if each.nbytes():
                    found[each._cdata] = each  # noqa: SLF001  the reducers' own notion of identity
                return "storage"
            if isinstance(each, torch.Tensor) and each.device.type != "cpu":
                return "elsewhere"
            module = str(type(each).__module__)
            if module.startswith("numpy") and hasattr(each, "dtype") and not each.dtype.hasobject:
                return "array"  # through the pipe; not worth copying here
            return None

    Watching(_Sink(), -1).dump(thing)
    return found


def _storages(thing: Any, notes: list[str], what: str) -> dict[int, Any]:
    """Return the same, or, where it cannot be pickled, what its tensors would move."""
    try:
        return _sent(thing)
    except WRONG as error:
        notes.append(f"{what} cannot be sent as it is ({_said(error)})"[:200])
    return _storages_inside(thing)


def _storages_inside(thing: Any, *, foreign: bool = True) -> dict[int, Any]:
    """Return what the tensors in it would move, each by itself."""
    import torch

    found: dict[int, Any] = {}
    for _, leaf in _leaves(thing, foreign=foreign):
        if issubclass(type(leaf), torch.Tensor):
            with contextlib.suppress(*WRONG):
                found.update(_sent(leaf))
    return found


def _held(loader: Any, workload: dict[str, Any], notes: list[str]) -> dict[int, int]:
    """Return the storages that the dataset holds, with their bytes.

    What is spawned is pickled, by the job itself, too.  Under fork no code of the dataset is run.
    """
    init = getattr(loader, "worker_init_fn", None)
    if workload["start_method"] != "fork" and loader.num_workers:
        pickled = (loader.dataset, loader.collate_fn, init)
        found = _storages(pickled, notes, "the dataset with collate_fn and worker_init_fn")
    else:
        found = _storages_inside(loader.dataset, foreign=False)
    return {identity: storage.nbytes() for identity, storage in found.items()}


def _leaves(
    thing: Any, *, foreign: bool = True, callables: bool = False, skip: Sequence[Any] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield what is in any structure, with the way to it.

    `foreign` mappings are asked for their items, which may read or compute them: of a batch only.
    Numbers and texts are left out elsewhere: a dataset may hold millions.
    With `callables`, what functions and callable objects hold is yielded too, and each iterator.
    """
    seen: set[int] = {id(each) for each in skip}

    def walk(each: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        inside = (
            _readable(_inside(each, foreign=foreign, callables=callables))
            if len(path) < DEEPEST
            else iter(())
        )
        first = next(inside, None)
        if first is None or (callables and _is_iterator(type(each))):
            yield path, each
        if first is not None and id(each) not in seen and len(seen) < MOST_CONTAINERS:
            seen.add(id(each))
            for key, value in itertools.chain([first], inside):
                if type(value) in PLAIN:
                    if foreign:
                        yield (*path, key), value
                elif foreign or not _is_plain(value):
                    yield from walk(value, (*path, key))

    return walk(thing, ())


def _is_plain(each: Any) -> bool:
    """Whether it is a row of numbers and texts, told without a look at each by itself."""
    return type(each) in (list, tuple) and PLAIN.issuperset(map(type, each))


def _readable(parts: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield parts as far as the object gives them."""
    with contextlib.suppress(*WRONG):
        yield from parts


def _inside(each: Any, *, foreign: bool, callables: bool) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of a container or of an object of one's own, whose own code is not run.

    So the type is asked, never the object: even isinstance reads an attribute of it.
    """
    import torch

    kind = type(each)
    if issubclass(kind, (torch.Tensor, *NO_CONTAINERS)) or hasattr(kind, "__array__"):
        return
    plain = next((base for base in ORDERED if issubclass(kind, base)), None)
    if issubclass(kind, dict):
        yield from dict.items(each)
    elif foreign and issubclass(kind, Mapping):
        yield from each.items()
    elif plain is tuple and hasattr(kind, "_fields"):
        yield from zip(kind._fields, tuple.__iter__(each))
    elif plain:
        yield from enumerate(plain.__iter__(each))
    elif callables and kind in FUNCTIONS:
        yield from _bound(each)
    elif callables or not callable(each) or issubclass(kind, torch.nn.Module):
        yield from _attributes(each)


def _attributes(each: Any) -> Iterator[tuple[Any, Any]]:
    with contextlib.suppress(AttributeError):
        yield from dict.items(object.__getattribute__(each, "__dict__"))
    for kind in type(each).__mro__:
        for name, slot in kind.__dict__.items():
            if isinstance(slot, types.MemberDescriptorType) and "__slots__" in kind.__dict__:
                with contextlib.suppress(AttributeError):
                    yield name, slot.__get__(each)


def _bound(function: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what a function carries along."""
    for name in ("__self__", "__defaults__", "func", "args", "keywords"):
        yield name, getattr(function, name, None)
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # not filled yet
            yield "__closure__", cell.cell_contents


# ---------------------------------------------------------------- in the calculator's words


class _Leaf:
    """A tensor in a batch: its name, the way to it, and the storages that travel for it."""

    def __init__(self, path: tuple[Any, ...], tensor: Any) -> None:
        import torch

        self.path, self.tensor = path, tensor
        self.name = _name(path, "batch")
        self.storages = {key: each.nbytes() for key, each in _sent(tensor).items()}
        self.shape = [int(each) for each in tensor.shape] if not _ragged(tensor) else []
        self.dtype, self.itemsize = _dtype(tensor)
        self.sparse = tensor.layout is torch.sparse_coo
        elements = math.prod(self.shape) if self.shape or not _ragged(tensor) else -1
        if self.sparse:
            self.stored = int(tensor._nnz())  # noqa: SLF001  nnz() needs a coalesced tensor
            wanted = [self.stored * 8 * len(self.shape), self.stored * self.itemsize]
        else:
            wanted = [elements * self.itemsize]
        self.exact = sorted(self.storages.values()) == sorted(each for each in wanted if each)

    def field(self, shape: Sequence[int]) -> dict[str, Any]:
        """Describe one sample of it."""
        shape = [each for each in shape if each] or [1]
        if len(shape) > MOST_DIMENSIONS:
            shape = [math.prod(shape)]
        return {"name": self.name, "shape": list(shape), "dtype": self.dtype}


def _name(path: tuple[Any, ...], usual: str) -> str:
    """Return a name the calculator takes for the way to a part: one line, nothing invisible."""
    try:
        text = ".".join(map(str, path))
    except WRONG:
        text = ""
    return "".join(each if each.isprintable() else "?" for each in text[:70]) or usual


def _ragged(tensor: Any) -> bool:
    return bool(getattr(tensor, "is_nested", False))


def _dtype(tensor: Any) -> tuple[str, int]:
    size = int(tensor.element_size())
    name = str(tensor.dtype).replace("torch.", "")
    return (name if name in KNOWN else SAME_SIZE.get(size, "uint8")), size


def _batch(
    batch: Any, samples: Any, held: set[int], notes: list[str]
) -> tuple[dict[str, Any], str]:
    """Describe one batch; tell whether its storages are the dataset's own: all, some or none."""
    import torch

    moved = {key: each.nbytes() for key, each in _storages(batch, notes, "the batch").items()}
    tensors = [
        (path, each) for path, each in _leaves(batch) if issubclass(type(each), torch.Tensor)
    ]
    elsewhere = [each for _, each in tensors if each.device.type != "cpu"]
    if elsewhere:
        notes.append(f"{len(elsewhere)} tensors are not on the CPU and do not count")
    if any(_ragged(each) and each.layout is torch.strided for _, each in tensors):
        notes.append(
            "a nested tensor of the strided layout is copied where it arrives: what your loop "
            "holds of it is not in /dev/shm, one batch less than the calculator says"
        )
    leaves = []
    for path, each in tensors if len(tensors) <= MOST_SIZES else ():  # a look at each takes time
        with contextlib.suppress(*WRONG):
            leaves.append(_Leaf(path, each))
    owned = {key for key in moved if key in held}
    leaves = [leaf for leaf in leaves if leaf.storages and set(leaf.storages) <= set(moved)]
    if owned and owned == set(moved):
        found = _in_lists(leaves, samples) or _one_by_one(leaves, moved, samples, notes)
        return {**found, "collate": "list", "returns_dataset_tensors": True}, "all"
    if owned:
        moved = {key: size for key, size in moved.items() if key not in held}
        leaves = [leaf for leaf in leaves if not set(leaf.storages) & held]
    return _words(batch, leaves, moved, samples, notes), "some" if owned else ""


def _words(
    batch: Any, leaves: list[_Leaf], moved: dict[int, int], samples: Any, notes: list[str]
) -> dict[str, Any]:
    """Choose the words that fit exactly; without better ones each storage is named by itself."""
    if not moved:
        notes.append("no tensor in the batch: what is in it goes through a pipe")
        return {"batch_size": samples, "collate": "numpy", "fields": _arrays(batch)}
    used = Counter(key for leaf in leaves for key in leaf.storages)
    simple = all(leaf.exact for leaf in leaves) and set(used) == set(moved)
    if samples is not None and simple and max(used.values()) == 1:
        found = _stacked(leaves, samples) or _in_lists(leaves, samples)
        if found:
            if any("sizes" in field for field in found["fields"]):
                notes.append(VARY)
            return found
    if _vary(leaves, samples):
        notes.append(VARY)
    return _one_by_one(leaves, moved, samples, notes)


def _vary(leaves: list[_Leaf], samples: Any) -> bool:
    """Tell whether a list with one tensor a sample has them in several sizes."""
    shapes: dict[tuple[Any, ...], list[tuple[int, ...]]] = {}
    for leaf in leaves:
        for step, key in enumerate(leaf.path):
            if isinstance(key, int):
                alike = (leaf.path[:step], leaf.path[step + 1 :], leaf.dtype)
                shapes.setdefault(alike, []).append(tuple(leaf.shape))
    return any(len(each) == samples and len(set(each)) > 1 for each in shapes.values())


def _stacked(leaves: list[_Leaf], samples: int) -> dict[str, Any]:
    """Describe tensors whose first dimension is the batch's."""
    fields: list[dict[str, Any]] = []
    for leaf in leaves:
        if leaf.shape[:1] != [samples] or len(fields) == MOST_FIELDS:
            return {}
        fields.append(leaf.field(leaf.shape[1:]))
        if leaf.sparse:
            if leaf.stored % samples:
                return {}
            fields[-1]["nnz"] = leaf.stored // samples
    return {"batch_size": samples, "collate": "stack", "fields": _distinct(fields)}


def _in_lists(leaves: list[_Leaf], samples: Any) -> dict[str, Any]:
    """Describe one tensor a sample and field: the position of the sample is a step of each way."""
    for step in range(max((len(leaf.path) for leaf in leaves), default=0)):
        groups: dict[tuple[Any, ...], list[_Leaf]] = {}
        for leaf in leaves:
            groups.setdefault(leaf.path[:step] + leaf.path[step + 1 :], []).append(leaf)
        if len(groups) > MOST_FIELDS:
            continue
        fields = [_group(path, group, samples) for path, group in groups.items()]
        if all(fields) and all(len(field.get("sizes", ())) <= MOST_SIZES for field in fields):
            return {"batch_size": samples, "collate": "list", "fields": _distinct(fields)}
    return {}


def _group(path: tuple[Any, ...], group: list[_Leaf], samples: Any) -> dict[str, Any]:
    first = group[0]
    kinds = {(leaf.dtype, leaf.sparse, leaf.stored if leaf.sparse else 0) for leaf in group}
    if len(group) != samples or len(kinds) > 1:
        return {}
    name = _name(path, "sample")
    field = {**first.field(first.shape), "name": name}
    if first.sparse:
        return {**field, "nnz": first.stored}
    if any(leaf.shape != first.shape for leaf in group):
        sizes = [math.prod(leaf.shape) for leaf in group]
        row = first.shape[1:]
        if first.shape and all(leaf.shape[1:] == row for leaf in group):
            sizes = [leaf.shape[0] for leaf in group]
        else:
            row = []
        field.update(shape=[max(sizes), *row], sizes=[max(each, 1) for each in sizes])
    return field


def _one_by_one(
    leaves: list[_Leaf], moved: dict[int, int], samples: Any, notes: list[str]
) -> dict[str, Any]:
    """Describe each storage with its own size: always exact."""
    collate = "own" if samples is not None else "list"
    named = [key for leaf in leaves for key in leaf.storages]
    if len(named) + len(set(moved) - set(named)) > MOST_FIELDS:
        return _storages_alone(sorted(moved.values(), reverse=True), notes)
    taken: set[str] = set()
    fields: list[dict[str, Any]] = []
    names: dict[int, Any] = {}
    for leaf in leaves:
        several = len(leaf.storages) > 1
        for number, (key, size) in enumerate(leaf.storages.items()):
            whole = samples is not None and leaf.shape[:1] == [samples]
            field = leaf.field([size] if several else leaf.shape[1:] if whole else leaf.shape)
            part = f" part {number + 1}" if several else ""
            field["name"] = _free(leaf.name + part, taken)
            if several or size % leaf.itemsize:
                field["dtype"] = "uint8"
                field["view_of"] = [size]
            elif not (leaf.exact and (whole or samples is None)):
                field["view_of"] = [size // leaf.itemsize]
            if key in names:
                field["same_storage_as"] = names[key]
            names.setdefault(key, field["name"])
            fields.append(field)
    for key, size in moved.items():
        if key not in names:
            name = _free("storage", taken)
            fields.append({"name": name, "shape": [size], "dtype": "uint8", "view_of": [size]})
    return {"batch_size": samples, "collate": collate, "fields": fields}


def _storages_alone(sizes: list[int], notes: list[str]) -> dict[str, Any]:
    """Describe more storages than the calculator takes fields: each is a sample with its size."""
    notes.append(
        f"more tensors than the calculator takes fields: its {len(sizes)} storages are described "
        "as samples of varying size, so batch_size counts storages here"
    )
    columns = -(-len(sizes) // MOST_SIZES)
    rows = -(-len(sizes) // columns)
    sizes = sizes + [1] * (rows * columns - len(sizes))  # too many by a few pages at most
    fields = []
    for column in range(columns):
        part = sizes[column * rows : (column + 1) * rows]
        name = f"storages {column + 1}" if column else "storages"
        fields.append({"name": name, "shape": [part[0]], "dtype": "uint8", "sizes": part})
    return {"batch_size": rows, "collate": "list", "fields": fields}


def _distinct(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    taken: set[str] = set()
    return [{**field, "name": _free(field["name"], taken)} for field in fields]


def _free(name: str, taken: set[str]) -> str:
    """Return the name, or the next that is free, and take it."""
    ends = itertools.chain([""], (f" ({number})" for number in itertools.count(2)))
    tries = (name[: LONGEST_NAME - len(end)] + end for end in ends)
    found = next(each for each in tries if each not in taken)
    taken.add(found)
    return found


def _arrays(batch: Any) -> list[dict[str, Any]]:
    """Name what goes through the pipe; it costs nothing in /dev/shm."""
    found: list[dict[str, Any]] = []
    taken: set[str] = set()
    for path, each in itertools.islice(_leaves(batch), 20):
        field: dict[str, Any] = {"name": _free(_name(path, "batch"), taken), "kind": "str"}
        with contextlib.suppress(*WRONG):
            shape = [int(part) for part in getattr(each, "shape", ()) if part]
            name = str(getattr(each, "dtype", ""))
            if name in KNOWN:
                kept = shape[:MOST_DIMENSIONS] or [1]
                field = {"name": field["name"], "shape": kept, "dtype": name}
        found.append(field)
    return found or [{"name": "nothing", "kind": "str"}]


def _common_length(batch: Any) -> Any:
    """Guess the samples of a bare batch: the first dimension that its tensors have in common."""
    import torch

    shapes = [
        each.shape
        for _, each in _leaves(batch)
        if issubclass(type(each), torch.Tensor) and not _ragged(each)
    ]
    firsts = {int(shape[0]) for shape in shapes if len(shape)}
    return (firsts.pop() or None) if len(firsts) == 1 else None
