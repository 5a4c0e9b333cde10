"""Pasted code: the cases, what each part of the language means, and what is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculator import resources
from calculator.errors import InputError
from calculator.readers.code import read_code
from calculator.workload import parse
from tests.cases.code import check

CASES = Path(__file__).parents[1] / "cases"


def _cases() -> list[dict[str, Any]]:
    files = [CASES.parent / "cases.json", CASES / "more_code.json"]
    found = [each for path in files for each in json.loads(path.read_text())["cases"]]
    return [each for each in found if each["kind"] == "code"]


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_a_case_is_read_right(case):
    outcome = check(case)
    assert not outcome.hard
    assert not outcome.soft_misses


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_the_form_takes_what_was_read(case):
    if "refused" in case["expected"]:
        return
    found = read_code(case["input"], case.get("given"))
    assert found.workload is not None
    parse({"ranks": 1, **found.workload})


LOADER = "loader = DataLoader(ds, batch_size={}, num_workers={})"


@pytest.mark.parametrize(
    ("workers", "expected", "asked"),
    [
        ("4", 4, False),
        ("2 * 3 + 1", 7, False),
        ("2 ** 3 // 3", 2, False),
        ("min(4, 9)", 4, False),
        ("max(4, 9)", 9, False),
        ("int('5')", 5, False),
        ("len([1, 2, 3])", 3, False),
        ("3 if True else 9", 3, False),
        ("3 if cuda else 9", 9, False),
        ("0 or 6", 6, False),
        ("min(os.cpu_count(), 8)", "min(os.cpu_count(), 8)", True),
        ("os.cpu_count()", "os.cpu_count()", True),
        ("4 * torch.cuda.device_count()", "4 * torch.cuda.device_count()", True),
        ("cfg.workers", "cfg.workers", True),
        ("10 ** 10 ** 10", "10 ** 10 ** 10", True),
        ("-3", "-3", True),
        ("1e999", "inf", True),
        ("'many'", "many", True),
    ],
)
def test_arithmetic_on_workers(workers, expected, asked):
    found = read_code(LOADER.format(8, workers))
    assert found.loaders[0].workers == expected
    assert ("loaders.0.num_workers" in [each.path for each in found.asked]) == asked


@pytest.mark.parametrize(
    ("line", "shape", "dtype"),
    [
        ("torch.zeros(3, 5)", (3, 5), "float32"),
        ("torch.randn((3, 5)).half()", (3, 5), "float16"),
        ("torch.zeros(3, 5).to(torch.bfloat16)", (3, 5), "bfloat16"),
        ("torch.randint(0, 9, (7,))", (7,), "int64"),
        ("np.zeros((3, 5))", (3, 5), "float64"),
        ("np.zeros((3, 5), np.uint8)", (3, 5), "uint8"),
        ("np.random.rand(3, 5).astype(np.float32)", (3, 5), "float32"),
        ("torch.from_numpy(np.zeros((4, 6, 3))).permute(2, 0, 1)", (3, 4, 6), "float64"),
        ("torch.zeros(3, 5).unsqueeze(0)", (1, 3, 5), "float32"),
        ("torch.zeros(4, 5).view(2, -1)", (2, 10), "float32"),
        ("torch.zeros(40, 5)[10:26]", (16, 5), "float32"),
        ("torch.zeros(40, 5)[i]", (5,), "float32"),
        ("torch.stack([torch.zeros(4), torch.zeros(4)])", (2, 4), "float32"),
        ("torch.cat([torch.zeros(4, 2), torch.zeros(4, 2)])", (8, 2), "float32"),
        ("cv2.resize(cv2.imread(p), (640, 480))", (480, 640, 3), "uint8"),
        ("F.interpolate(torch.zeros(3, 9, 9), size=(4, 6))", (3, 4, 6), "float32"),
    ],
)
def test_what_a_dataset_returns(line, shape, dtype):
    code = f"class D(Dataset):\n    def __getitem__(self, i):\n        return {line}\n"
    found = read_code(code + "loader = DataLoader(D(), 2, num_workers=2)").loaders[0]
    assert (found.sample_shape, found.dtype) == (shape, dtype)


@pytest.mark.parametrize(
    ("steps", "shape", "dtype"),
    [
        ("Resize((90, 120)), ToTensor()", (3, 90, 120), "float32"),
        ("Resize(256), CenterCrop(224), ToTensor()", (3, 224, 224), "float32"),
        ("RandomCrop([64, 32]), PILToTensor()", (3, 64, 32), "uint8"),
        ("Grayscale(), Resize((28, 28)), ToTensor()", (1, 28, 28), "float32"),
        ("Resize(256), ToTensor()", None, None),
        ("CenterCrop(8), ToTensor(), ConvertImageDtype(torch.half)", (3, 8, 8), "float16"),
    ],
)
def test_transforms_give_the_shape(steps, shape, dtype):
    code = f"tf = Compose([{steps}])\nDataLoader(ImageFolder('x', tf), 4, num_workers=2)"
    found = read_code(code)
    assert (found.loaders[0].sample_shape, found.loaders[0].dtype) == (shape, dtype)
    assert (found.estimate is None) == (shape is None)


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("torchrun --nproc_per_node=4 train.py", 4),
        ("torchrun --nnodes 2 --nproc-per-node 8 train.py", 8),
        ("accelerate launch --num_processes 16 --num_machines 2 train.py", 8),
        ("deepspeed --num_gpus 3 train.py", 3),
        ("srun --ntasks-per-node=4 python train.py", 4),
        ("mpirun -np 6 python train.py", 6),
        ("python train.py", 1),
    ],
)
def test_command_lines_give_the_ranks(command, ranks):
    assert read_code(f"# {command}\n" + LOADER.format(8, 2)).ranks == ranks


def test_all_gpus_of_a_machine_are_asked_for():
    found = read_code("# torchrun --nproc_per_node=gpu train.py\n" + LOADER.format(8, 2))
    assert "ranks" in [each.path for each in found.asked]


@pytest.mark.parametrize(
    "name",
    [
        "torch.utils.data.DataLoader",
        "tud.DataLoader",
        "DataLoader",
        "DL",
        "MyLoader",
        "d.DataLoader",
    ],
)
def test_the_loader_under_any_name(name):
    code = f"""
import torch.utils.data as tud
from torch.utils.data import DataLoader as DL
class MyLoader(DL):
    pass
x = {name}(ds, batch_size=3, num_workers=5)
"""
    found = read_code(code).loaders
    assert [(each.name, each.batch, each.workers) for each in found] == [("x", 3, 5)]


def test_every_value_shows_its_line():
    found = read_code("bs = 4\n\nworkers = 3\nx = DataLoader(ds, bs, num_workers=workers)")
    lines = {each.path: each.line for each in found.origins}
    assert lines["loaders.0.batch_size"] == 1
    assert lines["loaders.0.num_workers"] == 3
    assert lines["loaders.0"] == 4


def test_what_is_given_wins_over_what_is_read():
    code = "tf = Compose([CenterCrop(8), ToTensor()])\nDataLoader(ImageFolder('x', tf), 4, False)"
    found = read_code(code, {"sample_shape": [1, 9], "dtype": "float16"}).loaders[0]
    assert (found.sample_shape, found.dtype) == ((1, 9), "float16")


def test_a_mask_nobody_knows_is_asked_for():
    code = """
class D(Dataset):
    def __getitem__(self, i):
        return torch.zeros(3, 8, 8), self.load_mask(i)
DataLoader(D(), 4, num_workers=2)
"""
    found = read_code(code)
    assert found.estimate is None
    assert [each.path for each in found.asked] == ["loaders.0.fields.1.shape"]


def test_nothing_is_executed(tmp_path):
    victim = tmp_path / "victim"
    code = f"open({str(victim)!r}, 'w').write('x')\n__import__('os').system('touch {victim}')\n"
    read_code(code + LOADER.format(8, 2))
    assert not victim.exists()


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("loader = DataLoader(ds, batch_size={{ b }})", {}, "template"),
        ("{% for x in y %}\nDataLoader(ds)\n{% endfor %}", {}, "template"),
        ("x = 1\n" * 60_000, {}, "characters of code"),
        (")))(((", {}, "nothing in this text"),
        (LOADER.format(8, 2), {"sample_shape": [0]}, "above 0"),
        (LOADER.format(8, 2), {"dtype": "float7"}, "dtype"),
        (LOADER.format(8, 2), {"tensors": [[3]]}, r"\[shape, dtype\]"),
        (LOADER.format(8, 2), {"python": 3.14}, "version"),
    ],
)
def test_unusable_input_is_said_in_one_sentence(text, given, words):
    with pytest.raises(InputError, match=words):
        read_code(text, given)


def test_every_source_that_is_named_exists():
    sources = resources.table("facts", "sources")
    transforms = resources.table("facts", "transforms")
    remarks = resources.table("facts", "code")["remarks"]
    named = [each["source"] for each in remarks.values() if "source" in each]
    named += [each["source"] for each in transforms.values() if "source" in each]
    assert set(named) <= set(sources)


@pytest.mark.parametrize(
    ("code", "batch", "workers"),
    [
        ("def f(ds, **kw): return DataLoader(ds, batch_size=4, **kw)", 4, "kw"),
        ("def f(ds, **kw): return DataLoader(ds, batch_size=4, **kw)\nf(d, num_workers=3)", 4, 3),
        ("def f(ds, w=5): return DataLoader(ds, 4, num_workers=w)", 4, 5),
        ("DataLoader(ds, 4, num_workers=0 if debug else 6)", 4, 6),
        ("make = partial(DataLoader, num_workers=7)\nmake(ds, batch_size=2)", 2, 7),
        ("@click.option('--bs', default=9)\ndef f(bs): DataLoader(ds, bs, num_workers=1)", 9, 1),
        ("cfg = {'a': {'bs': 7}}\nDataLoader(ds, cfg['a']['bs'], num_workers=1)", 7, 1),
        ("class C:\n    bs = 5\nDataLoader(ds, C.bs, num_workers=1)", 5, 1),
        ("cfg = edict()\ncfg.bs = 6\nDataLoader(ds, cfg.bs, num_workers=1)", 6, 1),
        ("# torchrun --nproc_per_node=8 x.py\nDataLoader(ds, 64 // dist.get_world_size())", 8, 0),
        ("flags.DEFINE_integer('bs', 3, '')\nDataLoader(ds, flags.FLAGS.bs)", 3, 0),
        ("DataLoader(ds, batch_sampler=BatchSampler(s, 11, False), num_workers=1)", 11, 1),
        ("args = TrainingArguments('o')\nargs.dataloader_num_workers = 2", 8, 2),
        ("DataLoader(ds, **dict(batch_size=4, num_workers=2))", 4, 2),
        ("q = tio.Queue(subjects, 300, 10, tio.UniformSampler(16), 6)", 1, 6),
    ],
)
def test_where_numbers_come_from(code, batch, workers):
    found = read_code(code).loaders[0]
    assert (found.batch, found.workers) == (batch, workers)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("outs.append((x, y))", True),
        ("outs.append(x.detach().cpu())", True),
        ("self.buffer.append(x)", True),
        ("cache[i] = x", True),
        ("labels.extend(y.numpy())", True),
        ("outs.append(x.clone())", False),
        ("outs.append(x.to('cuda'))", False),
        ("losses.append(model(x).item())", False),
    ],
)
def test_batches_that_are_kept(body, kept):
    code = "loader = DataLoader(ds, 4, num_workers=2)\nouts, cache, labels = [], {}, []\n"
    found = read_code(f"{code}for x, y in loader:\n    {body}\n")
    assert ("batches_kept" in [each.id for each in found.warnings]) == kept


def test_a_trainer_may_run_under_a_launcher_so_its_processes_are_asked_for():
    call = "args = TrainingArguments(output_dir='o', dataloader_num_workers=4)\n"
    found = read_code(call)
    assert [each.path for each in found.asked if each.path == "ranks"] == ["ranks"]
    told = read_code(f"# torchrun --nproc_per_node=4 t.py\n{call}")
    assert told.ranks == 4
    assert "ranks" not in [each.path for each in told.asked]


@pytest.mark.parametrize(
    ("device", "ranks", "batch"),
    [("[0, 1]", 2, 16), ("'0,1,2,3'", 4, 8), ("0", 1, 32), ("'cpu'", 1, 32), ("[0]", 1, 32)],
)
def test_ultralytics_divides_its_batch_among_the_devices(device, ranks, batch):
    found = read_code(f"YOLO('n.pt').train(imgsz=640, batch=32, workers=8, device={device})\n")
    assert found.ranks == ranks
    assert [each.batch for each in found.loaders] == [batch, 2 * batch]


def _workload(first: str) -> dict[str, Any]:
    """Return what is read of a dataset and a loader of it."""
    found = read_code(f"{first}\nDataLoader(ds, batch_size=8, num_workers=2)").workload
    assert found is not None
    return found


COMMENTS = {
    "3x512x512 float32": ([3, 512, 512], "float32"),
    "(3, 512, 512) float32 and a label": ([3, 512, 512], "float32"),
    "returns (3x512x512 float32, int)": ([3, 512, 512], "float32"),
    "512x512 RGB": ([512, 512, 3], "float32"),
    "(512, 512, 3) uint8": ([512, 512, 3], "uint8"),
}


@pytest.mark.parametrize(("comment", "expected"), COMMENTS.items(), ids=COMMENTS)
def test_a_comment_at_a_dataset_describes_one_sample(comment, expected):
    """It is no tensor whose first dimension counts the samples."""
    workload = _workload(f'ds = Images("/data")  # {comment}')
    field = workload["loaders"][0]["fields"][0]
    assert [field["shape"], field["dtype"]] == list(expected)
    assert "dataset_tensor_bytes" not in workload


@pytest.mark.parametrize("comment", ["see issue 12x34", "5 x 3 epochs", "v2.1"])
def test_a_comment_about_something_else_describes_no_sample(comment):
    assert "fields" not in _workload(f'ds = Images("/data")  # {comment}')["loaders"][0]


def test_a_comment_at_a_tensor_is_about_all_of_it():
    first = 'x = torch.load("x.pt")  # (50000, 3, 32, 32) float32\nds = TensorDataset(x)'
    assert _workload(first)["loaders"][0]["fields"][0]["shape"] == [3, 32, 32]
