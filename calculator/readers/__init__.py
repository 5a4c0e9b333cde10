"""Readers of pasted text: `read` says what a paste is and what it means."""
