"""Sizes: writers and readers of every grammar, rounding, and what people see."""

from __future__ import annotations

import pytest

from calculator.units import (
    GIB,
    GRAMMARS,
    KIB,
    MIB,
    SizeError,
    ceil_to,
    exact,
    grow,
    ladder,
    parse_size,
    size,
    typed,
)

EDGES = [1, 4096, MIB - 1, MIB, MIB + 1, 64 * MIB, 5_550_112_768, GIB, 8 * GIB, 1025 * GIB + 1]


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=GRAMMARS)
@pytest.mark.parametrize("value", EDGES)
def test_what_is_written_reads_back_as_at_least_the_size(grammar, value) -> None:
    assert value <= grammar.read(grammar.write(value)) < value + MIB


@pytest.mark.parametrize(
    ("grammar", "text", "value"),
    [
        ("docker", "16g", 17179869184),
        ("gb", "16GB", 17179869184),
        ("gb", "512 mb", 536870912),
        ("gb", "1.5", 1610612736),
        ("docker", "16GB", 17179869184),
        ("docker", "16GiB", 17179869184),
        ("docker", "1.5g", 1610612736),
        ("docker", "64m", 67108864),
        ("docker", "64 m", 67108864),
        ("docker", "512b", 512),
        ("docker", "67108864", 67108864),
        ("kubernetes", "16Gi", 17179869184),
        ("kubernetes", "16G", 16000000000),
        ("kubernetes", "1500m", 2),
        ("kubernetes", "1.5Gi", 1610612736),
        ("kubernetes", "1e9", 1000000000),
        ("kubernetes", "128974848", 128974848),
        ("tmpfs", "16G", 17179869184),
        ("tmpfs", "16g", 17179869184),
        ("tmpfs", "65536k", 67108864),
        ("tmpfs", "0x1000", 4096),
    ],
)
def test_each_platform_reads_its_own_spelling(grammar, text, value) -> None:
    assert GRAMMARS[grammar].read(text) == value


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("docker", "16Gi"),
        ("gb", "16Gi"),
        ("gb", "16g"),
        ("docker", "16ib"),
        ("docker", "-1"),
        ("docker", "g"),
        ("docker", ""),
        ("kubernetes", "16GB"),
        ("kubernetes", "16 Gi"),
        ("kubernetes", "16gi"),
        ("tmpfs", "16Gi"),
        ("tmpfs", "16gb"),
        ("tmpfs", "1.5G"),
        ("tmpfs", "016"),
    ],
)
def test_each_platform_refuses_what_it_refuses(grammar, text) -> None:
    with pytest.raises(SizeError):
        GRAMMARS[grammar].read(text)


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=GRAMMARS)
@pytest.mark.parametrize("value", [0, -1])
def test_no_platform_is_told_nothing_or_less(grammar, value) -> None:
    with pytest.raises(SizeError):
        grammar.write(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64m", 67108864),
        ("64 MiB", 67108864),
        ("64MB", 67108864),
        ("8g", 8589934592),
        ("8Gi", 8589934592),
        ("8 GiB", 8589934592),
        ("5.9 GiB", 6335076761),
        (" 5,550,112,768 bytes ", 5550112768),
        ("0", 0),
        ("1E", 1 << 60),
    ],
)
def test_people_may_type_a_size_in_many_ways(text, value) -> None:
    assert parse_size(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "-1g", "8 apples", "8ib", "1e9g", "NaN", "٨g", "8g 4m", "1,5g", "1_000", "1,23,456"],
)
def test_people_are_told_what_is_no_size(text) -> None:
    with pytest.raises(SizeError, match="is not a size; expected"):
        parse_size(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (4096, "4 KiB"),
        (602112, "588 KiB"),
        (38535168, "36.75 MiB"),
        (67108864, "64 MiB"),
        (693764096, "661.6 MiB"),
        (5550112768, "5.17 GiB"),
        (8589934592, "8 GiB"),
    ],
)
def test_people_see_sizes_in_the_unit_that_fits(value, text) -> None:
    assert size(value) == text


def test_a_unit_can_be_asked_for() -> None:
    assert size(602112, "MiB") == "0.574 MiB"
    assert size(77070336, "MiB") == "73.5 MiB"


@pytest.mark.parametrize("value", [*EDGES, 0, 67108865])
def test_a_form_shows_a_size_that_reads_back_as_itself(value) -> None:
    assert parse_size(exact(value)) == value


@pytest.mark.parametrize(
    ("value", "gib"),
    [
        (1, 1),
        (GIB, 1),
        (GIB + 1, 2),
        (3 * GIB, 4),
        (9 * GIB, 16),
        (17 * GIB, 24),
        (33 * GIB, 48),
        (97 * GIB, 128),
        (129 * GIB, 192),
        (193 * GIB, 256),
        (400 * GIB, 512),
        (513 * GIB, 768),
    ],
)
def test_the_ladder_goes_up_to_the_next_usual_size(value, gib) -> None:
    assert ladder(value) == gib * GIB


def test_headroom_is_exact_and_rounds_up() -> None:
    assert grow(10, 0.1) == 11
    assert grow(1, 0.1) == 2
    assert grow(10**15, 0.3) == 1_300_000_000_000_000
    assert grow(7, 0) == 7


def test_rounding_up_keeps_what_fits() -> None:
    assert [ceil_to(value, 4096) for value in (0, 1, 4096, 4097)] == [0, 4096, 4096, 8192]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (64 * MIB, "64 MiB"),
        (65_536_000, "64000 KiB"),
        (24_684_096 * KIB, "24105.5625 MiB"),
        (1_572_864 * KIB, "1536 MiB"),
        (24_684_097 * KIB, "24684097 KiB"),
        (67_108_865, "67108865"),
        (0, "0"),
    ],
)
def test_a_long_number_has_a_fraction_where_that_is_short_and_exact(value, text) -> None:
    assert typed(value) == text
    assert parse_size(text) == value
