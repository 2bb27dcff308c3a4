"""The settings of an experiment under the path at which they are documented."""

from __future__ import annotations

from nip_core.parameters import ExperimentSettings

__all__ = ["ExperimentSettings"]
