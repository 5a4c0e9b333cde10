"""The part of Python's standard library that the page takes along.

Left out is what nothing on a page can use: processes, sockets and servers, terminals, debuggers,
test tools, and formats the engine does not read. Packages are left out or kept whole: a module that
is imported late breaks late.
"""

from __future__ import annotations

from pathlib import Path

from web.make import archive

LEFT_OUT = frozenset(
    {
        # processes, terminals, sockets, servers and their clients
        *("multiprocessing", "pty", "tty", "getpass", "_pyrepl", "rlcompleter", "cmd"),
        *("code", "ftplib", "imaplib", "poplib", "smtplib", "socketserver", "wsgiref", "xmlrpc"),
        *("netrc", "webbrowser", "http", "sqlite3"),
        # tools for developers
        *("pdb", "bdb", "profile", "cProfile", "pstats", "trace", "timeit", "unittest", "doctest"),
        *("pydoc", "tabnanny", "pyclbr", "modulefinder", "compileall", "py_compile", "pickletools"),
        *("symtable", "zipapp", "ensurepip", "idlelib", "lib2to3", "turtle", "tkinter"),
        # formats, and what newer modules replace
        *("xml", "mailbox", "plistlib", "wave", "optparse", "shelve", "fileinput", "filecmp"),
        *("nturl2path", "sched", "colorsys", "sre_compile", "sre_constants", "sre_parse"),
        *("antigravity", "this", "__hello__", "__phello__", "site-packages"),
    }
)


def modules(stock: Path) -> dict[str, bytes]:
    """Return the kept modules of Pyodide's own archive, by file name."""
    return {
        name: text
        for name, text in archive.read(stock).items()
        if name.endswith(".py") and name.partition("/")[0].removesuffix(".py") not in LEFT_OUT
    }
