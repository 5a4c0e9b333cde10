"""The site: every step in its order, then dist/ in one move."""

from __future__ import annotations

import shutil

from web.make import (
    assets,
    budgets,
    bundle,
    compressed,
    engine,
    hashed,
    hosts,
    licenses,
    offline,
    onefile,
    pages,
    record,
    resolve,
    runtime,
    wheels,
)
from web.make.failure import BuildError
from web.make.places import Places


def build(places: Places, *, base_url: str = "") -> None:
    """Make dist/. What has not changed since the last build is not made again."""
    places.build.mkdir(exist_ok=True)
    runtime.fetch(places)
    wheels.fetch(places)
    engine.install(places)
    assemble(places)
    publish(places, base_url)


def assemble(places: Places) -> None:
    """Make the browser's Python from what has been fetched."""
    engine.build(places)
    resolve.resolve(places)
    bundle.make(places)


def publish(places: Places, base_url: str) -> None:
    """Put the finished site in dist/'s place; a build that fails on the way leaves the old one."""
    fresh, old = places.build / "site", places.build / "site-before"
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)
    fresh.mkdir()
    python = hashed.put(places.python, fresh / hashed.PYTHON)
    styled = assets.write(fresh, python)
    pages.write(fresh, base_url=base_url, assets=styled)
    licenses.write(places, fresh, styled)
    onefile.write(places, fresh)
    hosts.write(fresh)
    offline.write(fresh)
    compressed.beside(places, fresh)
    budgets.check(places, fresh)
    record.write(places, fresh, base_url)
    try:
        if places.dist.exists():
            places.dist.rename(old)
        fresh.rename(places.dist)
    except OSError as error:
        raise BuildError("could not replace dist/", because=str(error)) from None
    shutil.rmtree(old, ignore_errors=True)
