"""What a person typed reaches the container word for word, whatever an operator does with text."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from tests.support import kubernetes
from tests.support.components import run
from tests.targets.operator_pods import PODS, decoded, pods
from tests.targets.readers.kubernetes import expand
from tests.targets.readers.words import yaml
from tests.targets.rendered import block
from tests.targets.typed import ARGV, HOSTILE, IMAGE


@pytest.mark.parametrize("target", PODS)
def test_image_and_command_come_back_exactly(target, tmp_path) -> None:
    found = pods(target, block(target, deployment=HOSTILE).text)
    for pod in found:
        (container,) = pod["spec"]["containers"]
        if target != "argo-workflow":
            assert container["image"] == IMAGE
        if "command" in container:
            variables = {each["name"]: each["value"] for each in container.get("env", [])}
            assert [expand(word, **variables) for word in container["command"]] == ARGV
        assert kubernetes.errors(pod) == []
    assert decoded(found, tmp_path) == "pod/a\n" * len(found)


def test_argo_finds_no_parameter_in_what_was_typed() -> None:
    found = block("argo-workflow", deployment=HOSTILE)
    assert "{{" not in json.dumps(yaml(found.text))
    image = yaml(found.text)["spec"]["templates"][0]["container"]["image"]
    assert image.replace("{ {", "{{").replace("{ {", "{{") == IMAGE
    assert "taken apart here, in the command" in found.caveats[1].text
    assert "BRACE" not in block("argo-workflow").text


ECHO = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]


def entrypoint(words: list[str]) -> tuple[str, str]:
    typed = {"command": shlex.join(words)}
    spec = yaml(block("rayjob", deployment=typed).text)["spec"]
    return spec["entrypoint"], spec.get("submissionMode", "K8sJobMode")


def run_by_ray(line: str) -> list[str]:
    """Run an entrypoint as Ray does, in a shell; the program prints its arguments."""
    done = run(["sh", "-c", line])
    found: list[str] = json.loads(done.stdout)
    return found


def submitted(line: str) -> str:
    """What the submitter makes of an entrypoint: read by a shell, joined by `ray job submit`."""
    words = json.loads(run(["bash", "-c", f"{shlex.join(ECHO)} {line}"]).stdout)
    return subprocess.list2cmdline(words)


def test_ray_runs_the_words_that_were_typed() -> None:
    line, mode = entrypoint([*ECHO, *ARGV])
    assert mode == "HTTPMode"
    assert run_by_ray(line) == ARGV


def test_plain_words_survive_the_submitters_shell_too(tmp_path) -> None:
    script = tmp_path / "echo.py"
    script.write_text("import json, sys\nprint(json.dumps(sys.argv[1:]))\n", encoding="utf-8")
    plain = ["--epochs=3", "a/b.py", "x@y:1", "50%"]
    line, mode = entrypoint([sys.executable, str(script), *plain])
    assert mode == "K8sJobMode"
    assert run_by_ray(submitted(line)) == plain


def test_the_submitters_shell_would_run_what_is_quoted() -> None:
    """Why a command that needs quotes is not left to it."""
    line, _ = entrypoint(["echo", "$(echo run)"])
    assert run(["sh", "-c", line]).stdout == "$(echo run)\n"
    assert run(["sh", "-c", submitted(line)]).stdout == "run\n"
