"""What configuration blocks need to know besides the job: names, image, command, GPUs."""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from calculator.typed import BlankIsNone, Input, Whole, ask


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("must be one line of text, without control characters")
    return value


def _image(value: str) -> str:
    if not value:
        raise ValueError("must not be empty")
    if value.startswith("-"):
        raise ValueError("must not start with a hyphen: it would be read as an option")
    return value


def _words(value: str) -> str:
    try:
        shlex.split(value)
    except ValueError as error:
        raise ValueError(f"is not a command line: {str(error).lower()}") from None
    return value


def _label(value: str) -> str:
    if value and not re.fullmatch(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?", value):
        raise ValueError(
            "must be lower-case letters, digits and hyphens, 40 at most, starting with a letter"
        )
    return value


def _dns(value: str) -> str:
    if value and not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", value):
        raise ValueError("must be lower-case letters, digits and hyphens, 63 at most")
    return value


def _named(value: str) -> str:
    if not value:
        raise ValueError("must not be empty")
    return value


Trim = BeforeValidator(_trimmed)
Line = Annotated[str, StringConstraints(max_length=1000), Trim, AfterValidator(_line)]
Image = Annotated[Line, AfterValidator(_image)]
Command = Annotated[Line, AfterValidator(_words)]
Namespace = Annotated[str, Trim, AfterValidator(_dns)]
Label = Annotated[str, Trim, AfterValidator(_label)]
"""A DNS label that Kubernetes, Docker and a shell take unquoted."""


class Deployment(Input):
    """How the job is started: only configuration blocks use it, the job's answer does not."""

    image: Annotated[Image, ask("Image", "Of the training container.")] = "your-image:latest"
    command: Annotated[
        Command,
        ask(
            "Command",
            "Passed word by word; empty: torchrun for the processes above. For shell syntax "
            "write sh -c '...'.",
        ),
    ] = ""
    name: Annotated[
        Annotated[Label, AfterValidator(_named)],
        ask("Name", "Of container, pod or job."),
    ] = "trainer"
    namespace: Annotated[Namespace, ask("Namespace", "On Kubernetes; empty: the current one.")] = ""
    gpus: Annotated[
        Annotated[Whole, Field(ge=0, le=1024)] | None,
        BlankIsNone,
        ask("GPUs of a container", "Empty: one for each training process in it."),
    ] = None
    ranks_per_pod: Annotated[
        Annotated[Whole, Field(ge=1, le=1024)] | None,
        BlankIsNone,
        ask(
            "Processes in each pod",
            "Only for launchers that start many pods, such as PyTorchJob; empty: what the "
            "launcher does by default, one.",
        ),
    ] = None

    @property
    def processes(self) -> int | None:
        """Processes that the command starts in each pod, where it says so itself."""
        found = re.findall(r"--nproc[-_]per[-_]node[= ](\d{1,4})(?!\S)", " ".join(self.argv))
        return int(found[0]) if found and int(found[0]) else None

    @property
    def argv(self) -> list[str]:
        """The words of the command; none where the default is meant."""
        return shlex.split(self.command)
