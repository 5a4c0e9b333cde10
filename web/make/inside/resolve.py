"""Runs inside Pyodide: install the engine with micropip and freeze what that took."""

import micropip


async def resolve(engine: str, index: str) -> str:
    """Return micropip's lock after it installed the engine and its dependencies from the index."""
    await micropip.install(engine, index_urls=[index], reinstall=False)
    frozen: str = micropip.freeze()
    return frozen


resolve  # noqa: B018  the value of a script run by Pyodide is its last expression
