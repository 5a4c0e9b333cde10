"""The sizing engine: how much /dev/shm a PyTorch training job needs, and why.

The core is pure: no clock, no network, no browser.  `calculator.api` is the door for
the page, `calculator.__main__` the door for the shell; both run the same pipeline.
"""

__version__ = "0.1.0"
