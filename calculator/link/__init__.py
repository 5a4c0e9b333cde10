"""A job as a short text for the end of an address, and back.

Version 1 is `1;KEY=VALUE;KEY=VALUE...`, and `1` alone is the default job: only what differs
from the defaults is written.

    1;r=4;b=32;f=image:3x512x512:u8,label::int       4 processes, batch 32, two fields
    1;b=16;1b=32;1w=4                                a second loader with a batch of 32
    1;m=64g;t=compose                                seen as the block of a platform
    1;w=8&1;w=4                                      two jobs, to be compared

- The keys stand in `keys.py`.  Those of the first loader have no number; those of a further
  one begin with its position.  What a further loader does not say is as in the first, but for
  its name.  `l` is the number of loaders, written where the keys do not tell.
- A field is NAME:SHAPE, and then, as far as needed: its dtype, its kind, `s=` sizes that vary,
  `n=` stored elements, `v=` the whole of which it is a view, `o=` the field it shares storage with.
- Sizes are exact (`64m`); what is switched on is its key alone (`pm`), what is switched off `a=0`;
  `none` is what an empty input means.
- Text stands in UTF-8, percent-encoded where it is no letter, digit, or one of `._/-`.  Signs that
  part the link are written `~3B` there, so that an address whose signs were encoded on
  its way, once or twice, reads as before.
"""

from __future__ import annotations

from calculator.link.reading import Shared, read
from calculator.link.writing import write

__all__ = ["Shared", "read", "write"]
