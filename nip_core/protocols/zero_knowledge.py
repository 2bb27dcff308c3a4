"""The zero-knowledge handler under the path at which it is documented."""

from __future__ import annotations

from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol

__all__ = ["ZeroKnowledgeProtocol"]
