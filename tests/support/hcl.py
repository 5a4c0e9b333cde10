"""HCL, the language of Nomad's jobs, as a parser of its grammar reads it."""

from __future__ import annotations

from typing import Any

import hcl2


def read(text: str) -> dict[str, Any]:
    """Return the attributes and blocks; each name of a block leads to a list of its bodies.

    Raises:
        ValueError: it is not HCL; says where.
    """
    plain = hcl2.SerializationOptions(strip_string_quotes=True, explicit_blocks=False)
    try:
        content: dict[str, Any] = hcl2.loads(text, serialization_options=plain)
    except Exception as error:
        raise ValueError(str(error)) from error
    return content
