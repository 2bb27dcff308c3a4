"""Scripted verifiers: they ask, and decide by a rule that can be told."""

from __future__ import annotations

from explorer.players.scripted.verifiers.verifier import ScriptedVerifier

__all__ = ["ScriptedVerifier"]
