"""The commands of the shell's door, one module each: `add` its parser, `run` it."""

from __future__ import annotations

from calculator.commands import audit, config, diagnose, fit, listing, mend, probe, read, size

COMMANDS = (size, config, fit, diagnose, read, mend, audit, probe, listing)
"""In the order in which --help shows them."""
