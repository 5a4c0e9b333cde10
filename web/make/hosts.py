"""Headers for hosts that read them from a file of the site, such as Netlify and Cloudflare Pages.

Other hosts are told in their own configuration (README.md) or send what they always send: the page
carries its policy itself, and works under any rule of keeping files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from web.make import hashed
from web.make.policy import CONTENT_SECURITY_POLICY

NAME: Final = "_headers"
KEPT: Final = "public, max-age=31536000, immutable"
"""For what never changes under its name."""


def write(site: Path) -> None:
    """Write the file."""
    rules = {
        "/*": {
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
            "X-Content-Type-Options": "nosniff",
        },
        f"/{hashed.ASSETS}/*": {"Cache-Control": KEPT},
        f"/{hashed.PYTHON}/*": {"Cache-Control": KEPT},
    }
    lines = []
    for path, headers in rules.items():
        lines += [path, *(f"  {name}: {value}" for name, value in headers.items())]
    (site / NAME).write_bytes("\n".join([*lines, ""]).encode())
