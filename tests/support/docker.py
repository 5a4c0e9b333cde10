"""Docker's command line without an engine: reader of flags, of Compose files and of stacks."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.components import HOME, component, missing, run


@cache
def surroundings() -> dict[str, str]:
    """Return the variables with which Docker finds Compose and no engine."""
    home = HOME / "docker"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.json").write_text("{}", "utf-8")
    return {"DOCKER_CONFIG": str(home), "DOCKER_HOST": "unix:///nonexistent.sock"}


def docker(*arguments: str | Path) -> CompletedProcess[str]:
    """Run Docker's command line; what it accepts ends with "Cannot connect" to an engine."""
    return run([component("docker"), *arguments], env=surroundings())


def compose_config(file: Path) -> CompletedProcess[str]:
    """Let Compose read a file, and print as JSON what it makes of it: sizes are bytes then."""
    if docker("compose", "version").returncode != 0:
        missing("docker compose v2 is not installed")
    return docker("compose", "--file", file, "config", "--format", "json")


def stack_config(file: Path) -> CompletedProcess[str]:
    """Let Swarm read a file, and print as YAML what `docker stack deploy` would take of it."""
    return docker("stack", "config", "--compose-file", file)
