"""What makes the page work without a network, and an app: service worker, manifest, icons."""

from __future__ import annotations

import hashlib
import io
import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw

from calculator import link, presets
from web.make import found, hashed, preview
from web.make.assets import WEB
from web.make.stamps import files, sha256

WORKER: Final = "sw.js"
MANIFEST: Final = "manifest.webmanifest"
ICONS: Final = {"icon-192.png": (192, "any"), "icon-512.png": (512, "any"),
                "icon-maskable.png": (512, "maskable")}  # fmt: skip
"""Each icon's size in pixels and purpose."""

_PAGES: Final = ("", "favicon.svg", MANIFEST)
_COSTLY: Final = ("snapshot",)
"""Files whose name begins so make a start shorter; the page works without them."""
_DIGITS: Final = 12


def write(site: Path) -> None:
    """Write them into a site that is finished but for its compressed copies."""
    light = preview.tokens(WEB / "css" / "base.css")
    (site / MANIFEST).write_bytes(json.dumps(manifest(light), indent=1).encode())
    for name, (size, purpose) in ICONS.items():
        (site / name).write_bytes(icon(size, light, whole=purpose == "maskable"))
    told = json.dumps(listed(site), separators=(",", ":"))
    (site / WORKER).write_bytes(f"const BUILD = {told};\n\n".encode() + script())


def script() -> bytes:
    """Return the service worker without the list of what it keeps."""
    return (WEB / WORKER).read_bytes()


# ---------------------------------------------------------------- what the service worker keeps


def listed(site: Path) -> dict[str, Any]:
    """Tell the service worker what this build consists of."""
    folders = {
        f"{kind}/{hashed.folder(site, kind).name}/": _integrity(hashed.folder(site, kind))
        for kind in (hashed.ASSETS, hashed.PYTHON)
    }
    costly = [f"{at}{name}" for at in folders for name in folders[at] if name.startswith(_COSTLY)]
    return {
        "version": _version(site),
        "folders": folders,
        "costly": costly,
        "pages": list(_PAGES),
        "presets": _presets(),
    }


def _integrity(folder: Path) -> dict[str, str]:
    """Return what each file must be, as a browser checks it when it fetches one."""
    return {
        path.relative_to(folder).as_posix(): f"sha256-{b64encode(_digest(path)).decode()}"
        for path in files(folder)
    }


def _digest(path: Path) -> bytes:
    return bytes.fromhex(sha256(path))


def _version(site: Path) -> str:
    """Name the build by all its files but the service worker, which will hold the name."""
    digest = hashlib.sha256(script())
    for path in files(site):
        if path.name != WORKER:
            digest.update(f"{path.relative_to(site).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()[:_DIGITS]


def _presets() -> dict[str, str]:
    """Return each preset's page, with what says the same behind the # of the first page."""
    return {
        f"p/{name}.html": f"#{link.write(presets.load(name).workload)}"
        for name in presets.preset_ids()
    }


# ---------------------------------------------------------------- the app


def manifest(colours: Mapping[str, str]) -> dict[str, Any]:
    """Describe the page as an app that can be installed."""
    return {
        "name": found.NAME,
        "short_name": "shm sizer",
        "description": "How large /dev/shm must be for PyTorch DataLoader workers",
        "lang": "en",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": colours["bg"],
        "theme_color": colours["accent"],
        "categories": ["developer", "utilities"],
        "icons": [
            {"src": name, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
            for name, (size, purpose) in ICONS.items()
        ]
        + [{"src": "favicon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }


_UNITS: Final = 32
_FINE: Final = 4
_BARS: Final = ((6, 0.35), (13.5, 0.7), (21, 1.0))
"""Top edge and strength of the three bars of favicon.svg."""


def icon(size: int, colours: Mapping[str, str], *, whole: bool) -> bytes:
    """Draw favicon.svg as a PNG; the same input gives the same bytes.

    Args:
        size: width and height in pixels.
        colours: the light theme's.
        whole: fill the square, with the bars in the middle four fifths, which no mask cuts off.
    """
    edge = size * _FINE
    image = Image.new("RGBA", (edge, edge), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    radius = 0 if whole else edge * 7 / _UNITS
    pen.rounded_rectangle((0, 0, edge - 1, edge - 1), radius, colours["accent"])
    for top, strength in _BARS:
        box = [_placed(at, edge, whole=whole) for at in (6, top, 26, top + 5)]
        mask = Image.new("L", image.size, 0)
        ImageDraw.Draw(mask).rounded_rectangle(box, edge * 1.5 / _UNITS, int(255 * strength))
        image.paste(colours["accent-ink"], mask=mask)
    made = io.BytesIO()
    image.resize((size, size), Image.Resampling.LANCZOS).save(made, "PNG", optimize=True)
    return made.getvalue()


def _placed(at: float, edge: int, *, whole: bool) -> float:
    """Scale a place of the drawing; with a mask around, towards the middle."""
    middle = _UNITS / 2
    return (middle + (at - middle) * (0.75 if whole else 1)) * edge / _UNITS
