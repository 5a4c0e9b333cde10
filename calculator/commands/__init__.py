"""The commands of the shell's door, one module each: `add` its parser, `run` it."""
