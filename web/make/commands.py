"""What build.py can be told to do."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from web.make import checks, lab, mutants, proof, serve, site
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say


def run(root: Path, options: Namespace) -> int:
    """Carry out one command; return the process's exit status."""
    places = Places(root)
    try:
        without_site: dict[str, Callable[[Places], int]] = {
            "lab": partial(lab.run, options=options),
            "mutate": mutants.check,
            "prove": proof.run,
        }
        if options.command in without_site:
            return without_site[options.command](places)
        if options.command == "test":
            return checks.check(places, options.base_url, options.rest)
        site.build(places, base_url=options.base_url)
        if options.command == "serve":
            serve.serve(places.dist, options.port)
        if options.command == "bench":
            return bench(places, options)
    except BuildError as failure:
        say(f"stopped: {failure}")
        return 1
    except KeyboardInterrupt:
        return 130
    if options.command == "build":
        say("dist/ is ready")
    return 0


def bench(places: Places, options: Namespace) -> int:
    """Measure how fast the page is."""
    from web.bench import run  # noqa: PLC0415  what drives the browser is there for checks only

    return run.run(places, runs=options.runs, only=options.only, strict=options.check)
