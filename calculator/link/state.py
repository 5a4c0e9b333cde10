"""One job of a link, part by part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from calculator import dtypes, resources
from calculator.deployment import Deployment
from calculator.errors import InputError
from calculator.link.escaping import unescape
from calculator.link.keys import DTYPES, FIELD, JOB, LOADER, TARGET, VERSION
from calculator.link.notes import Notes
from calculator.loader import Loader
from calculator.sample import Kind, SampleField
from calculator.workload import MAX_LOADERS, Workload, parse, usual_name

_JOB: Final = {key: path for path, key in JOB.items()}
_LOADER: Final = {key: name for name, key in LOADER.items()}
_FIELD: Final = {key: name for name, key in FIELD.items()}
_DTYPE: Final = {**{name: name for name in dtypes.ITEMSIZE}, **{v: k for k, v in DTYPES.items()}}
_KEY: Final = re.compile(r"(?P<position>[1-9][0-9]?)?(?P<key>[a-z]{1,2})", re.ASCII)


def _keys_of(kind: type) -> set[str]:
    """Return the keys of the inputs that are of this kind."""
    return {
        keys[name]
        for keys, model in ((JOB, Workload), (LOADER, Loader))
        for name, info in model.model_fields.items()
        if info.annotation is kind
    }


_SWITCHES: Final = _keys_of(bool)
_SHARES: Final = _keys_of(float)
_SHARE: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?(e-[0-9]{1,3})?", re.ASCII)
_ON: Final = "1"
"""What the key of a switch alone means."""
_ROUNDS: Final = 8
"""Each round drops every value that is wrong; few wrong ones show only once others are gone."""


@dataclass
class State:
    """What one job's parts say, as texts.

    `job` is dotted path -> value, `loaders` position -> input -> value, `number` how many loaders
    there are said to be.
    """

    is_one: bool = False
    job: dict[str, Any] = field(default_factory=dict)
    loaders: dict[int, dict[str, Any]] = field(default_factory=dict)
    number: int = 1
    target: str | None = None

    @classmethod
    def read(cls, text: str, notes: Notes) -> State:
        """Take a job's text apart; what has no meaning goes to the notes."""
        version, *parts = text.split(";")
        state = cls(is_one=version == VERSION)
        if not state.is_one:
            if re.fullmatch(r"[1-9][0-9]{0,3}", version):
                notes.newer = True
            elif text:
                notes.damaged = True
            return state
        for part in filter(None, parts):
            key, sign, value = part.partition("=")
            known = sign or key.lstrip("0123456789") in _SWITCHES
            if not known or not state._take(key, value if sign else _ON, notes):
                notes.unknown.append(key)
        return state

    def _take(self, key: str, value: str, notes: Notes) -> bool:
        """Take one part; return whether its key means anything."""
        found = _KEY.fullmatch(key)
        if found is None:
            return False
        position, name = int(found["position"] or 0), found["key"]
        if name in _LOADER and position < MAX_LOADERS:
            read = _fields(value, notes) if name == LOADER["fields"] else unescape(value)
            self.loaders.setdefault(position, {})[_LOADER[name]] = read
        elif position:
            return False
        elif name == TARGET:
            self._choose(value, notes)
        elif name == JOB["loaders"]:
            self._count(value, notes)
        elif name in _JOB:
            self.job[_JOB[name]] = _share(value) if name in _SHARES else unescape(value)
        else:
            return False
        return True

    def _choose(self, value: str, notes: Notes) -> None:
        if value in resources.public("targets", ".j2"):
            self.target = value
        else:
            notes.platforms.append(value)

    def _count(self, value: str, notes: Notes) -> None:
        number = int(value) if re.fullmatch(r"[0-9]{1,2}", value, re.ASCII) else 0
        if 1 <= number <= MAX_LOADERS:
            self.number = number
        else:
            notes.wrong.append(_label("loaders"))

    def workload(self, notes: Notes) -> Workload | None:
        """Return the job, if it is one; values that are wrong are dropped and go to the notes."""
        if not self.is_one:
            return None
        for _ in range(_ROUNDS):
            try:
                return parse(self._data())
            except InputError as error:
                dropped = [each.path for each in error.problems if self._drop(each.path)]
                notes.wrong.extend(map(_label, dropped))
                if not dropped:
                    break
        notes.damaged = True
        return None

    def _data(self) -> dict[str, Any]:
        """Put the input together: what a further loader does not say is as in the first."""
        data: dict[str, Any] = {}
        for path, value in self.job.items():
            group, _, name = path.rpartition(".")
            (data.setdefault(group, {}) if group else data)[name] = value
        first = self.loaders.get(0, {})
        data["loaders"] = [
            {**first, **own, "name": own.get("name") or usual_name(position)}
            for position in range(max(self.number, *(each + 1 for each in self.loaders), 1))
            for own in [self.loaders.get(position, {})]
        ]
        return data

    def _drop(self, path: str) -> bool:
        """Forget the value at a path; return whether there was one."""
        if not path.startswith("loaders."):
            return self.job.pop(path, None) is not None
        _, position, *rest = path.split(".")
        holder: Any = self.loaders.get(int(position), {})
        if rest and rest[0] not in holder:
            holder = self.loaders.get(0, {})
        return bool(rest) and _removed(holder, rest)


def _removed(holder: Any, parts: Sequence[str]) -> bool:
    """Remove what lies at a path inside of a loader; return whether it was there."""
    *parents, last = parts
    for part in parents:
        holder = holder[int(part)] if isinstance(holder, list) else holder.get(part, {})
    return isinstance(holder, dict) and holder.pop(last, None) is not None


def _share(text: str) -> float | str:
    """Read a share as it is: typed as text, a number above 1 would be a slip for percent."""
    return float(text) if _SHARE.fullmatch(text) else text


# ---------------------------------------------------------------- fields


def _fields(text: str, notes: Notes) -> list[dict[str, str]]:
    return [_field(each, notes) for each in text.split(",")]


def _field(text: str, notes: Notes) -> dict[str, str]:
    name, *rest = text.split(":")
    found = {"name": unescape(name)}
    if rest and rest[0]:
        found["shape"] = rest[0]
    for word in filter(None, rest[1:]):
        key, sign, value = word.partition("=")
        if sign and key in _FIELD:
            found[_FIELD[key]] = unescape(value)
        elif word in _DTYPE:
            found["dtype"] = _DTYPE[word]
        elif word in set(Kind):
            found["kind"] = word
        else:
            notes.unknown.append(word)
    return found


# ---------------------------------------------------------------- words

_MODELS: Final[Mapping[int, type[BaseModel]]] = {3: Loader, 5: SampleField}


def _label(path: str) -> str:
    """Return what the form calls an input."""
    parts = path.split(".")
    model: type[BaseModel] = Deployment if parts[0] == "deployment" else Workload
    if parts[0] == "loaders":
        model = _MODELS.get(len(parts), model)
    return model.model_fields[parts[-1]].title or parts[-1]
