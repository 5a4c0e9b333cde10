"""How the source of a preset is called for people."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit


def readable(url: str) -> str:
    """Return a short name of a page: repository, folder and file on GitHub, elsewhere the host."""
    match PurePosixPath(urlsplit(url).path).parts:
        case [_, _, repository, "blob" | "tree", _, *_, folder, file] if _on_github(url):
            return f"{repository}: {folder}/{file}"
        case [_, _, repository, *_, file] if _on_github(url):
            return f"{repository}: {file}"
    return urlsplit(url).netloc


def words(url: str) -> str:
    """Return what a page can be found by: owner and repository, or the host."""
    match PurePosixPath(urlsplit(url).path).parts:
        case [_, owner, repository, *_] if _on_github(url):
            return f"{owner} {repository}"
    return urlsplit(url).netloc


def _on_github(url: str) -> bool:
    return urlsplit(url).netloc == "github.com"
