"""The picture shown where somebody shares the page: question, answer, and the bar to scale."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from calculator.picture import bar
from calculator.report import Report
from calculator.units import GRAMMARS, size
from web.make import found

SIZE: Final = (1200, 630)
"""Width and height in pixels, as Open Graph asks for."""

_FINE: Final = 2
"""It is drawn this many times larger and then reduced: edges become smooth."""

_LEFT, _RIGHT = 80, 1120
_BAR_TOP, _BAR_BOTTOM = 452, 500
_TOKEN: Final = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\)")
_KINDS: Final = {
    "queued": "t-queued", "held": "t-held", "handover": "t-handover", "nccl": "t-nccl",
}  # fmt: skip


def draw(report: Report, title: str, styles: Path) -> bytes:
    """Return a PNG of a job's answer; the same input gives the same bytes.

    Args:
        report: the answer.
        title: what the job is.
        styles: the style sheet whose light colours it takes.
    """
    colour = tokens(styles)
    image = Image.new("RGB", (SIZE[0] * _FINE, SIZE[1] * _FINE), colour["bg"])
    pen = _Pen(ImageDraw.Draw(image))
    _draw_words(pen, report, title, colour)
    _draw_bar(pen, report, colour)
    made = io.BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).quantize(128).save(made, "PNG", optimize=True)
    return made.getvalue()


def tokens(styles: Path, *, dark: bool = False) -> dict[str, str]:
    """Return a theme's colours by name, out of the first rule of a style sheet."""
    first = styles.read_text("utf-8").partition("}")[0]
    return {name: by_night if dark else by_day for name, by_day, by_night in _TOKEN.findall(first)}


def backgrounds(styles: Path) -> dict[str, str]:
    """Return each theme's background by the theme's name, for the browser's own frame."""
    return {name: tokens(styles, dark=name == "dark")["bg"] for name in ("light", "dark")}


class _Pen:
    """Draws in the picture's own pixels on the larger one."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def text(self, at: tuple[float, float], said: str, height: int, fill: str, anchor: str) -> None:
        """Write on a baseline, or at the left of it; bold where the letters are large."""
        font = ImageFont.load_default(height * _FINE)
        place = (at[0] * _FINE, at[1] * _FINE)
        stroke = height * _FINE / 60 if height >= 40 else 0  # noqa: PLR2004 - a heading
        self._draw.text(
            place, said, fill=fill, font=font, anchor=anchor, stroke_width=stroke, stroke_fill=fill
        )

    def box(self, left: float, top: float, right: float, bottom: float, fill: str) -> None:
        """Fill a rectangle; one that is narrower than a dot is not seen."""
        edges = (left * _FINE, top * _FINE, right * _FINE - 1, bottom * _FINE - 1)
        if edges[2] >= edges[0]:
            self._draw.rectangle(edges, fill=fill)

    def width(self, said: str, height: int) -> float:
        """Return how wide a text becomes."""
        return float(ImageFont.load_default(height * _FINE).getlength(said)) / _FINE


def _draw_words(pen: _Pen, report: Report, title: str, colour: dict[str, str]) -> None:
    recommended = size(report.shm.recommended_bytes)
    pen.box(0, 0, SIZE[0], 12, colour["accent"])
    pen.text((_LEFT, 96), found.NAME, 30, colour["accent"], "ls")
    pen.text((_LEFT, 178), "How much /dev/shm does your DataLoader need?", 46, colour["ink"], "ls")
    pen.text((_LEFT, 226), title, 30, colour["soft"], "ls")
    pen.text((_LEFT - 6, 386), recommended, 132, colour["ink"], "ls")
    flag = f"--shm-size={GRAMMARS['docker'].write(report.shm.recommended_bytes)}"
    beside = _LEFT + pen.width(recommended, 132) + 40
    pen.text((beside, 384), flag, 40, colour["accent"], "ls")


def _draw_bar(pen: _Pen, report: Report, colour: dict[str, str]) -> None:
    picture = bar(report)
    pen.box(_LEFT, _BAR_TOP, _RIGHT, _BAR_BOTTOM, colour["track"])
    for each in picture.segments:
        left, right = _at(each.start), _at(each.start) + _at(each.width) - _LEFT
        pen.box(left, _BAR_TOP, right, _BAR_BOTTOM, colour[_KINDS.get(each.kind, "t-rest")])
    if picture.current:
        at = _at(picture.current.at)
        pen.box(at, _BAR_TOP, at + 4, _BAR_BOTTOM + 22, colour["critical"])
        words = f"{size(picture.current.bytes)} today"
        pen.text((at, _BAR_BOTTOM + 56), words, 28, colour["critical"], "ls")
    at = _at(picture.recommended.at)
    pen.box(at - 4, _BAR_TOP - 8, at, _BAR_BOTTOM + 22, colour["ink"])
    words = f"{size(picture.recommended.bytes)} recommended"
    pen.text((at, _BAR_BOTTOM + 56), words, 28, colour["ink"], "rs")


def _at(percent: str) -> float:
    return _LEFT + (_RIGHT - _LEFT) * float(percent.removesuffix("%")) / 100
