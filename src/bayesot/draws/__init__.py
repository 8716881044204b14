"""What sampling gives: draws of the plan, what can be asked of them, and whether to trust them."""

from bayesot.draws.diagnostics import Diagnostics
from bayesot.draws.draws import Draws, Interval
from bayesot.draws.storage import load

__all__ = ["Diagnostics", "Draws", "Interval", "load"]
