"""A bar to scale, laid out for a template: shares of its width in percent, heights in pixels.

A piece that consists of equal parts is drawn as one cell each, as long as they can be told
apart in a window of 320 px; else as one cell for each of its groups; else as one, hatched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from calculator.marks import Mark, fits, levelled

MOST_CELLS: Final = 64
"""More than these nobody counts."""

CELL: Final = Fraction(1, 100)
"""A narrower cell cannot be told from its neighbour."""

SLIVER: Final = Fraction(1, 300)
"""What is narrower than this is drawn as a line, so that it is seen at all."""

CAPTION_PX: Final = 22
LABEL_PX: Final = 16
BAR_PX: Final = 26
DROP_PX: Final = 5


@dataclass(frozen=True)
class Piece:
    """`number` equal parts of `each_bytes`; `groups` equal groups of them, 1 if there are none.

    `numbered` parts carry their number, others the piece's `label`, where there is room.
    """

    kind: str
    name: str
    number: int
    each_bytes: int
    groups: int = 1
    label: str = ""
    numbered: bool = False
    loader: str = ""

    @property
    def bytes(self) -> int:
        """All parts together."""
        return self.number * self.each_bytes


@dataclass(frozen=True)
class Rect:
    """A rectangle of a bar; `middle` is where its label stands."""

    kind: str
    start: str
    width: str
    middle: str
    label: str
    sliver: bool
    hatched: bool


@dataclass(frozen=True)
class Drawn:
    """A piece as it is drawn: as so many `cells` of `per_cell` parts each.

    `share` is that of the bar, in percent; `sliver` says that it is too narrow to be seen.
    """

    piece: Piece
    cells: int
    per_cell: int
    share: float
    sliver: bool


@dataclass(frozen=True)
class Tick:
    """A mark with its label: from `top` down through the bar, `height` long."""

    mark: Mark
    at: str
    text_y: int
    top: int
    height: int


@dataclass(frozen=True)
class Heading:
    """A word over a part of a bar, where there is room, and the line that ends the part before."""

    text: str
    at: str


@dataclass(frozen=True)
class Bar:
    """A bar of `bytes` from end to end; `y` is its upper edge, `caption_y` a line of text."""

    bytes: int
    drawn: tuple[Drawn, ...]
    rects: tuple[Rect, ...]
    ticks: tuple[Tick, ...]
    headings: tuple[Heading, ...]
    top: int
    caption_y: int
    heading_y: int
    y: int
    bottom: int
    height: int = BAR_PX


def lay(
    pieces: Iterable[Piece],
    end: int,
    top: int,
    marks: Iterable[tuple[str, str, int, str]] = (),
    *,
    headed: bool = False,
) -> Bar:
    """Lay pieces end to end on a bar of `end` bytes whose caption begins at `top`.

    Args:
        pieces: from left to right; those of no bytes are left out.
        end: bytes of the whole bar, at least 1.
        top: where its caption begins, in pixels.
        marks: kind, name, bytes and label of each.
        headed: write the loaders' names over their pieces.
    """
    present = [piece for piece in pieces if piece.bytes]
    placed = levelled(
        Mark(kind, name, value, Fraction(value, end), text) for kind, name, value, text in marks
    )
    levels = 1 + max((mark.level for mark in placed), default=-1)
    heads = _headings(present, end) if headed else ()
    lines = max(levels, 1 if heads else 0)
    y = top + CAPTION_PX + lines * LABEL_PX + (DROP_PX if lines else 0)
    drawn = tuple(_drawn(piece, end) for piece in present)
    return Bar(
        bytes=end,
        drawn=drawn,
        rects=tuple(_rects(drawn, end)),
        ticks=tuple(_tick(mark, y) for mark in placed),
        headings=heads,
        top=top,
        caption_y=top + CAPTION_PX - 6,
        heading_y=y - DROP_PX - 2,
        y=y,
        bottom=y + BAR_PX,
    )


def percent(share: Fraction) -> str:
    """Write a share of a width as SVG takes it."""
    return f"{float(100 * share):.4f}%"


def _drawn(piece: Piece, end: int) -> Drawn:
    cells = _cells(piece, Fraction(piece.bytes, end))
    share = Fraction(piece.bytes, end)
    return Drawn(piece, cells, piece.number // cells, float(100 * share), share < SLIVER)


def _cells(piece: Piece, share: Fraction) -> int:
    for number in (piece.number, piece.groups):
        if number <= MOST_CELLS and share / number >= CELL:
            return number
    return 1


def _rects(drawn: Sequence[Drawn], end: int) -> Iterable[Rect]:
    start = Fraction(0)
    for each in drawn:
        piece, width = each.piece, Fraction(each.piece.bytes, end * each.cells)
        for number in range(1, each.cells + 1):
            label = f"{number}" if piece.numbered and each.per_cell == 1 else piece.label
            yield Rect(
                kind=piece.kind,
                start=percent(start),
                width=percent(width),
                middle=percent(start + width / 2),
                label=label if fits(label, width) else "",
                sliver=width < SLIVER,
                hatched=each.per_cell > 1 and each.cells == 1,
            )
            start += width


def _headings(pieces: Sequence[Piece], end: int) -> tuple[Heading, ...]:
    found, start = [], 0
    for loader in dict.fromkeys(piece.loader for piece in pieces):
        size = sum(piece.bytes for piece in pieces if piece.loader == loader)
        text = loader if fits(loader, Fraction(size, end)) else ""
        found.append(Heading(text, percent(Fraction(start, end))))
        start += size
    return tuple(found) if len(found) > 1 else ()


def _tick(mark: Mark, y: int) -> Tick:
    text_y = y - DROP_PX - 2 - mark.level * LABEL_PX
    return Tick(mark, percent(mark.share), text_y, text_y - 10, y + BAR_PX - text_y + 10)
