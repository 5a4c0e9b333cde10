"""A named summand of the need: an explanation is made with its number."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from calculator.units import count


class Term(BaseModel):
    """One summand of the need.

    `formula` is exact: the product of the whole numbers in it is `bytes`.  `source` is
    where the reason can be read, a short name of facts/sources.toml.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    bytes: int
    formula: str
    why: str
    source: str


Factor = tuple[int, str]
"""A number of a formula and what it counts."""


def term(id_: str, name: str, factors: list[Factor], why: str, source: str) -> Term:
    """Multiply the factors; a single rank is not worth a factor."""
    product = 1
    for value, _ in factors:
        product *= value
    shown = [factor for factor in factors if factor != (1, "ranks")]
    formula = " × ".join(f"{count(value)} {what}" for value, what in shown)
    return Term(id=id_, name=name, bytes=product, formula=formula, why=why, source=source)
