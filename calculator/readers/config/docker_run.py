"""`docker run` and `podman run` lines: parsed as their own parsers do, and mended.

Source: docker/cli `cli/command/container/opts.go` (which options take a value), moby
`pkg/parsers`, containers/podman `docs/source/markdown/options/shm-size.md` and `ipc.md`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.program import program
from calculator.readers.config.say import memory_warnings, note, warn
from calculator.readers.reading import Reading, Remark
from calculator.units import GRAMMARS, MIB, SizeError, ceil_to, parse_size, read_docker, read_tmpfs, size

ORDER = 50
SHM: Final = "/dev/shm"  # noqa: S108 - the very subject
_START = re.compile(
    r"(?:^|[\s;&|(`\"'])(?P<tool>docker|podman|nerdctl|nvidia-docker)\s+(?:container\s+|pod\s+|service\s+)?"
    r"(?P<verb>run|create)\s"
)
_SWITCHES: Final = {
    "--rm", "--privileged", "--init", "--read-only", "--no-healthcheck", "--oom-kill-disable",
    "--publish-all", "--sig-proxy", "--tty", "--interactive", "--detach", "--quiet", "--replace",
    "--disable-content-trust", "--tls-verify", "--no-hosts", "--rmi", "--http-proxy", "--help",
    "--use-api-socket", "--share-parent", "--systemd", "--env-host",
}  # fmt: skip
_LETTERS: Final = frozenset("ditPq")


@dataclass
class Option:
    """One option of a line: its name, its value, and the places of its words."""

    name: str
    value: str | None
    first: int
    last: int


@dataclass
class Line:
    """One command line, taken apart."""

    tool: str
    verb: str
    words: list[str]
    options: list[Option] = field(default_factory=list)
    image_at: int | None = None
    number: int = 1

    def values(self, *names: str) -> list[str]:
        """The values of an option, in order."""
        return [each.value for each in self.options if each.name in names and each.value is not None]

    def last(self, *names: str) -> str | None:
        """The value that counts: the last one."""
        found = self.values(*names)
        return found[-1] if found else None

    @property
    def image(self) -> str | None:
        """The image, where there is one."""
        return None if self.image_at is None else self.words[self.image_at]

    @property
    def command(self) -> list[str]:
        """What runs inside."""
        return [] if self.image_at is None else self.words[self.image_at + 1 :]


def reads(paste: Paste) -> bool:
    """Whether there is such a line."""
    return _START.search(paste.text[:100_000]) is not None and not re.search(
        r"^\s*(?:steps|services|jobs|FROM |- run:)", paste.text, re.M
    )


def joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each command line, continued ones joined."""
    pending, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        bare = line.rstrip()
        if bare.endswith(("\\", "`", "^")) and len(pending) < 20_000:
            pending += bare[:-1] + " "
            continue
        yield first, pending + bare
        pending, first = "", 0
    if pending:
        yield first, pending


def split(text: str) -> list[str]:
    """Split a command line into words; an open quote is forgiven."""
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def lines(text: str) -> list[Line]:
    """Return the lines of a paste that start or make a container or a pod."""
    found: list[Line] = []
    for number, line in joined(text[:100_000]):
        match = _START.search(line[:20_000])
        if match is None:
            continue
        verb = "pod create" if re.search(r"\bpod\s+create\b", match[0]) else match["verb"]
        verb = "service create" if re.search(r"\bservice\s+create\b", match[0]) else verb
        words = split(line[match.end() :])
        found.append(_options(Line(match["tool"], verb, words, number=number)))
    return found[:50]


def _options(line: Line) -> Line:
    index, words = 0, line.words
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-":
            line.image_at = index
            break
        if word == "--":
            line.image_at = index + 1 if index + 1 < len(words) else None
            break
        name, equals, value = word.partition("=")
        letters = word[1:]
        if not word.startswith("--") and not equals and set(letters) <= _LETTERS:
            line.options.append(Option(word, None, index, index))
        elif not word.startswith("--") and len(word) > 2:
            at = next((i for i, each in enumerate(letters) if each not in _LETTERS), 0)
            rest = letters[at + 1 :].removeprefix("=")
            takes = 0 if rest else 1
            given = rest or (words[index + 1] if index + 1 < len(words) else "")
            line.options.append(Option(f"-{letters[at]}", given, index, index + takes))
            index += takes
        elif equals or name in _SWITCHES:
            line.options.append(Option(name, value if equals else None, index, index))
        else:
            given = words[index + 1] if index + 1 < len(words) else ""
            line.options.append(Option(name, given, index, index + 1))
            index += 1
        index += 1
    if line.verb == "pod create":
        line.image_at = None
    return line


# ---------------------------------------------------------------- what it says


def read(paste: Paste) -> Reading | None:
    """Read the lines, say what is wrong with them, and write the mended ones."""
    found = lines(paste.text)
    if not found:
        return None
    main = next((each for each in found if each.verb in {"run", "create"}), found[0])
    pods = [each for each in found if each.verb == "pod create"]
    warnings: list[Remark] = []
    parsed, shm = _parsed(main, warnings)
    _unit(main, warnings)
    _misplaced(main, warnings)
    pod = main.last("--pod")
    if (pod or pods) and main.last("--shm-size") and main.verb != "pod create":
        warnings.append(warn("ipc_shm_conflict"))
    if main.verb == "service create" and main.last("--shm-size"):
        warnings.append(warn("swarm_ignores_shm_size"))
    ipc = main.last("--ipc") or ""
    moot = ipc == "host"
    loaders, ranks, origins, asked = program(main.command, paste, main.number)
    memory = parsed.get("memory_bytes")
    notes = [note("docker", value=_shown(main), bytes=shm)] if shm else []
    if shm is None and not moot and not pods:
        notes.append(note("docker_default"))
    if memory and (shm or paste.wanted):
        warnings += memory_warnings(shm or paste.wanted, memory)
    answered = answer(
        paste, loaders, format="podman" if main.tool == "podman" else "docker-run",
        ranks=ranks, memory=memory, shm=None if moot else shm, cpus=parsed.get("cpus"),
        warnings=warnings, notes=notes, origins=origins, asked=asked, parsed=parsed,
        effective="host /dev/shm" if moot else "",
    )  # fmt: skip
    estimate = answered.estimate
    wanted = paste.wanted or (estimate.recommended_bytes if estimate else None)
    text, patched = _mended(found, main, wanted, shm)
    if not patched:
        return answered
    said = (*answered.notes, note("recreate")) if False else answered.notes
    return answered.model_copy(update={"text": text, "patched": patched, "notes": said})


def _shown(line: Line) -> str:
    return line.last("--shm-size") or "the tmpfs size"


def _size(text: str | None) -> int | None:
    """Read a size as Docker does, else as it was surely meant."""
    if not text:
        return None
    for reader in (read_docker, parse_size):
        try:
            return reader(text)
        except (SizeError, ValueError):
            continue
    return None


def _parsed(line: Line, warnings: list[Remark]) -> tuple[dict[str, Any], int | None]:
    ipc = line.last("--ipc")
    shm = _size(line.last("--shm-size"))
    tmpfs = _tmpfs(line)
    if tmpfs is not None:
        shm = tmpfs[1] if tmpfs[1] is not None else shm
    cpus = line.last("--cpus")
    values: dict[str, Any] = {
        "shm_bytes": shm, "memory_bytes": _size(line.last("-m", "--memory")),
        "memory_swap_bytes": _size(line.last("--memory-swap")), "ipc": ipc, "image": line.image,
        "gpus": line.last("--gpus"), "name": line.last("--name"), "pod": line.last("--pod"),
        "cpus": float(cpus) if cpus and re.fullmatch(r"\d{1,4}(\.\d{1,3})?", cpus) else None,
        "ulimits": line.values("--ulimit") or None, "runtime": line.last("--runtime"),
        "command": " ".join(line.command) or None, "tool": line.tool,
        "privileged": any(each.name == "--privileged" for each in line.options) or None,
    }  # fmt: skip
    if ipc == "host":
        if line.last("--shm-size"):
            warnings.append(warn("ipc_host_makes_shm_size_moot"))
        warnings.append(warn("host_ipc_security"))
    elif ipc and ipc.startswith("container:") and line.last("--shm-size"):
        warnings.append(Remark(id="ipc_shm_conflict", text=warn("ipc_joined").text)
                        if False else warn("ipc_shm_conflict"))  # fmt: skip
    for bound in line.values("-v", "--volume", "--mount"):
        if re.match(rf"{SHM}(?::|$)", bound) or re.search(rf"type=bind.*(?:target|dst|destination)={SHM}\b", bound):
            warnings.append(warn("hostpath_shm"))
            break
    cleaned = {key: value for key, value in values.items() if value is not None}
    if "cpus" in cleaned and cleaned["cpus"] == int(cleaned["cpus"]):
        cleaned["cpus"] = int(cleaned["cpus"])
    return cleaned, shm


def _tmpfs(line: Line) -> tuple[str, int | None] | None:
    """Return the size text of a tmpfs on /dev/shm, and its bytes; None without such a tmpfs."""
    for value in line.values("--tmpfs"):
        place, _, options = value.partition(":")
        if place.rstrip("/") == SHM:
            text = next((e.partition("=")[2] for e in options.split(",") if e.startswith("size=")), "")
            return text, _size(text)
    for value in line.values("--mount"):
        if re.search(rf"type=tmpfs.*(?:target|dst|destination)={SHM}(?:,|$)", value) or re.search(
            rf"(?:target|dst|destination)={SHM},.*type=tmpfs", value
        ):
            match = re.search(r"tmpfs-size=([^,]{1,40})", value)
            return (match[1], _size(match[1])) if match else ("", None)
    return None


def _unit(line: Line, warnings: list[Remark]) -> None:
    docker = "a number with b, k, m or g, such as 8g"
    for option in ("--shm-size", "-m", "--memory"):
        text = line.last(option)
        if not text:
            continue
        if "$" in text:
            warnings.append(warn("interpolated_value", value=text[:80]))
            continue
        try:
            meant = read_docker(text)
        except SizeError:
            warnings.append(warn("unit_invalid", value=text[:80], expected=docker))
            continue
        if text.isdigit() and option == "--shm-size":
            warnings.append(warn("unitless_bytes", value=text, meant=size(meant)))
    tmpfs = _tmpfs(line)
    if tmpfs and tmpfs[0] and line.values("--tmpfs"):
        try:
            read_tmpfs(tmpfs[0])
        except SizeError:
            if not tmpfs[0].endswith("%"):
                kernel = "the kernel takes whole numbers with k, m or g, such as 128m"
                warnings.append(warn("unit_invalid", value=tmpfs[0][:80], expected=kernel))


def _misplaced(line: Line, warnings: list[Remark]) -> None:
    flags = [word for word in line.command if re.match(r"--(?:shm-size|ipc|gpus|memory|ulimit)\b", word)]
    if flags:
        warnings.append(warn("flag_after_image", flag=flags[0][:80]))
    for option in line.options:
        if option.value and option.last > option.first and re.match(r"--?[a-z][\w-]*", option.value):
            warnings.append(warn("flag_swallowed", option=option.name, value=option.value[:80]))


# ---------------------------------------------------------------- the mended line


def _mended(
    found: list[Line], main: Line, wanted: int | None, shm: int | None
) -> tuple[str | None, dict[str, Any]]:
    """Return the mended lines, and the values in them; nothing where nothing is to be mended."""
    tmpfs = _tmpfs(main)
    late = _late(main)
    target = max(wanted or 0, shm or 0, late or 0) or None
    if target is None:
        return None, {}
    whole = ceil_to(target, MIB)
    if tmpfs is not None:
        literal = GRAMMARS["tmpfs"].write(whole).lower()
        words = [re.sub(r"(?<![\w-])size=[^,]*|tmpfs-size=[^,]*", "", word) for word in main.words]
        words = [_with_tmpfs(word, literal, whole) for word in main.words]
        text = _text(main, words)
        return text, {"tmpfs_size_literal": f"size={literal}", "shm_bytes": whole,
                      "tmpfs_size_bytes": whole}  # fmt: skip
    literal = GRAMMARS["docker"].write(whole)
    pods = [each for each in found if each.verb == "pod create"]
    joined_pod = main.last("--pod")
    if pods or joined_pod:
        lines_ = [_text(each, ["--shm-size", literal, *_without(each)]) for each in pods]
        if not pods:
            lines_ = [f"podman pod create --name {joined_pod} --shm-size {literal}"]
        runs = [_text(each, _without(each)) for each in found if each.verb != "pod create"]
        return "\n".join([*lines_, *runs]), {
            "pod_create_shm_bytes": whole, "shm_bytes": whole, "shm_size": literal,
            "shm_size_literal": literal, "run_shm_bytes": None,
        }  # fmt: skip
    if main.verb == "service create":
        mount = f"type=tmpfs,destination={SHM},tmpfs-size={whole}"
        return _text(main, ["--mount", mount, *_without(main)]), {"shm_bytes": whole}
    words = _without(main, drop_ipc=main.last("--ipc") == "host" and bool(wanted))
    text = _text(main, [f"--shm-size={literal}", *words])
    return text, {"shm_bytes": whole, "shm_size": literal, "shm_size_literal": literal}


def _with_tmpfs(word: str, literal: str, whole: int) -> str:
    if SHM not in word:
        return word
    if "tmpfs-size=" in word:
        return re.sub(r"tmpfs-size=[^,]*", f"tmpfs-size={whole}", word)
    if re.search(r"(?<=[:,])size=[^,]*", word):
        return re.sub(r"(?<=[:,])size=[^,]*", f"size={literal}", word)
    if word.startswith("type=") or ",type=" in word:
        return f"{word},tmpfs-size={whole}"
    return f"{word},size={literal}" if ":" in word else f"{word}:size={literal}"


def _late(line: Line) -> int | None:
    """The size in a flag that stands after the image."""
    words = line.command
    for index, word in enumerate(words):
        if word.startswith("--shm-size"):
            return _size(word.partition("=")[2] or (words[index + 1] if index + 1 < len(words) else ""))
    return None


def _without(line: Line, *, drop_ipc: bool = False) -> list[str]:
    """The words without any size of /dev/shm, a swallowed one and one behind the image included."""
    kept: list[str] = []
    skip = False
    for index, word in enumerate(line.words):
        if skip:
            skip = False
            continue
        if word.startswith("--shm-size"):
            skip = "=" not in word
            continue
        if drop_ipc and (word == "--ipc=host" or (word == "--ipc" and line.words[index + 1 : index + 2] == ["host"])):
            skip = "=" not in word
            continue
        kept.append(word)
    return kept


def _text(line: Line, words: list[str]) -> str:
    return " ".join([line.tool, line.verb, *(_quoted(word) for word in words)])


def _quoted(word: str) -> str:
    """Quote a word for the shell, but leave a variable a variable."""
    if re.fullmatch(r"[\w@%+=:,./${}()-]+", word):
        return word
    return f'"{word}"' if "$" in word and '"' not in word else shlex.quote(word)
