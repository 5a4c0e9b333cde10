"""How the site is found: structured data, the picture for previews, and lists for search engines.

Structured data says what a page shows, in the same words. Addresses are absolute or nothing, so
they need the address at which the site will live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

from markupsafe import Markup

from calculator import __version__

NAME: Final = "/dev/shm sizer"  # noqa: S108 - not a path
PREVIEW: Final = "preview.png"
SITEMAP: Final = "sitemap.xml"
ROBOTS: Final = "robots.txt"
_CONTEXT: Final = "https://schema.org"


def software(description: str, canonical: str, image: str) -> dict[str, Any]:
    """Describe the tool as schema.org's SoftwareApplication.

    Args:
        description: one sentence, the page's own.
        canonical: the page's address, or "".
        image: the preview's address, or "".
    """
    told = {
        "@context": _CONTEXT,
        "@type": "SoftwareApplication",
        "name": NAME,
        "description": description,
        "applicationCategory": "DeveloperApplication",
        "operatingSystem": "Any",
        "softwareVersion": __version__,
        "isAccessibleForFree": True,
        "offers": {"@type": "Offer", "price": "0", "priceCurrency": "USD"},
    }
    return {**told, **{key: at for key, at in (("url", canonical), ("image", image)) if at}}


def questions(asked: Iterable[tuple[str, Markup]]) -> dict[str, Any]:
    """Describe questions and their answers, pieces of HTML, as schema.org's FAQPage."""
    return {
        "@context": _CONTEXT,
        "@type": "FAQPage",
        "mainEntity": [
            {
                "@type": "Question",
                "name": question,
                "acceptedAnswer": {"@type": "Answer", "text": answer.striptags()},
            }
            for question, answer in asked
        ],
    }


def lists(base_url: str, paths: Iterable[str]) -> Mapping[str, str]:
    """Return the files for search engines by name: none where the site's address is not known.

    Args:
        base_url: the site's address without a slash at its end, or "".
        paths: each page under it; the first page is "".
    """
    if not base_url:
        return {}
    entries = "".join(f"<url><loc>{escape(f'{base_url}/{path}')}</loc></url>\n" for path in paths)
    return {
        SITEMAP: '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
        ROBOTS: f"User-agent: *\nAllow: /\nSitemap: {base_url}/{SITEMAP}\n",
    }


def write(dist: Path, base_url: str, paths: Iterable[str]) -> None:
    """Write those files."""
    for name, text in lists(base_url, paths).items():
        (dist / name).write_bytes(text.encode())
