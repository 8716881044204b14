"""Samplers: strategies for drawing plans from a posterior."""

from bayesot.samplers.base import Sampler
from bayesot.samplers.swap import Swap

__all__ = ["Sampler", "Swap"]
