"""Many texts are looked for by the pieces they share."""

from hypothesis import given
from hypothesis import strategies as st

from calculator.diagnose.signatures import triggers
from calculator.diagnose.stems import present, stems


def test_every_trigger_belongs_to_one_piece_that_it_has():
    members = [each for _, group in stems() for each in group]
    assert sorted(members) == sorted(triggers())
    assert all(piece in each for piece, group in stems() for each in group)
    assert len(stems()) < len(triggers()) / 2


@given(st.lists(st.sampled_from(triggers()), max_size=4), st.text("abcde \n", max_size=20))
def test_what_is_found_is_what_is_there(texts, between):
    low = between.join(texts)
    assert sorted(present(low)) == sorted(each for each in triggers() if each in low)
