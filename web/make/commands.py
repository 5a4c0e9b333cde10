"""What build.py can be told to do."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from web.make import checks, mutants, proof, serve, site
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say


def run(root: Path, options: Namespace) -> int:
    """Carry out one command; return the process's exit status."""
    places = Places(root)
    try:
        if options.command == "mutate":
            return mutants.check(places)
        if options.command == "prove":
            return proof.run(places)
        site.build(places, base_url=options.base_url)
        if options.command == "serve":
            serve.serve(places.dist, options.port)
        if options.command == "test":
            return checks.check(places, options.rest)
    except BuildError as failure:
        say(f"stopped: {failure}")
        return 1
    except KeyboardInterrupt:
        return 130
    if options.command == "build":
        say("dist/ is ready")
    return 0
