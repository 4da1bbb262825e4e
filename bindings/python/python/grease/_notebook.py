"""How things look in a notebook: tables, pictures, and only as much of either as somebody can read.

Colours are the page's own, or see-through, so that light and dark themes both work. Everything a caller hands over is escaped.
"""

from __future__ import annotations

import html
from typing import Iterable, Sequence, Union

#: Rows of a table, or items with their explanations, that are shown; a count says how many more there are.
SHOWN = 10
#: Characters of a name that are shown.
LONGEST = 80

_LEFT = "text-align:left;vertical-align:top"
_RIGHT = "text-align:right;vertical-align:top;font-variant-numeric:tabular-nums"


class Markup(str):
    """Text that is HTML already."""


Cell = Union[str, int, float, None]


def said(cell: Cell) -> Markup:
    """What a cell of a table shows."""
    if isinstance(cell, Markup):
        return cell
    if cell is None:
        return Markup("–")
    if isinstance(cell, float):
        return Markup(f"{cell:.3f}")
    return Markup(f"{cell:,}" if isinstance(cell, int) else html.escape(cut(cell)))


def cut(text: str) -> str:
    """A text, or its beginning where it is very long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Markup:
    """A table; columns of numbers stand on the right."""
    rows = list(rows)
    sides = [_RIGHT if any(isinstance(row[at], (int, float)) for row in rows) else _LEFT for at in range(len(columns))]
    head = "".join(f'<th style="{side}">{html.escape(name)}</th>' for side, name in zip(sides, columns))
    body = "".join(
        "<tr>" + "".join(f'<td style="{side}">{said(cell)}</td>' for side, cell in zip(sides, row)) + "</tr>" for row in rows
    )
    return Markup(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def bar(share: float) -> Markup:
    """A share of one as a number and a bar behind it."""
    percent = max(0.0, min(1.0, share)) * 100
    drawn = f"linear-gradient(to right,rgba(70,130,220,.4) {percent:.1f}%,rgba(127,127,127,.12) {percent:.1f}%)"
    return Markup(f'<div style="min-width:7em;padding:0 .4em;background:{drawn}">{share:.3f}</div>')


def note(text: str) -> Markup:
    """A line in small letters."""
    return Markup(f'<p style="margin:.3em 0;opacity:.75"><small>{html.escape(text)}</small></p>')


def more(left_out: int, what: str, where: str) -> Markup:
    """How many are not shown, and where they are; nothing where all are."""
    return note(f"… and {left_out:,} more {what}: {where}") if left_out > 0 else Markup("")


def picture(svg: str) -> Markup:
    """A picture that is never wider than the page."""
    return Markup(svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1))


def block(*parts: str) -> str:
    """Several things below each other."""
    return f"<div>{''.join(parts)}</div>"


class Picture(str):
    """An SVG picture: text to store, and a picture in a notebook."""

    def __repr__(self) -> str:
        return f"Picture({len(self):,} characters of SVG)"

    def _repr_html_(self) -> str:
        return picture(self)
