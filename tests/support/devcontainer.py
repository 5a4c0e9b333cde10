"""The Dev Containers CLI, which editors and CI start a dev container with."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.components import HOME, missing, run
from tests.support.dockerd import Docker
from web.make.node import node


def up(engine: Docker, workspace: Path) -> tuple[str, str]:
    """Start the dev container of a folder; return its id, or "", and what was said on the way.

    Not looked at is how far its setup comes: busybox has no users to set one up for.
    """
    program = HOME / "node_modules" / "@devcontainers" / "cli" / "devcontainer.js"
    if not program.is_file():
        missing("the Dev Containers CLI is not there: build.py test fetches it")
    command: list[str | Path] = [node(), program, "up", "--workspace-folder", workspace]
    done = run(command, env={"DOCKER_HOST": engine.host})
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer.get("containerId", ""), done.stderr + done.stdout
