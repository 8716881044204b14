"""The Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jax.scipy.special import xlogy

from bayesot import _validate as validate
from bayesot.priors.base import Parameter, Separable

__all__ = ["Dirichlet"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Dirichlet(Separable):
    """Dirichlet prior on the cells: ``g(x) = (α - 1) log x``.

    Parameters
    ----------
    concentration
        ``α > 0``, a number or an array that broadcasts to n×m. One is the uniform prior; below one
        the density is infinite where a cell is zero, which makes sparse plans likely.

    Examples
    --------
    >>> import bayesot as bo
    >>> bo.priors.Dirichlet([[2.0, 1.0]])  # one concentration per column
    Dirichlet(concentration=<1×2>)

    """

    _leaves = 1

    concentration: Any

    def __init__(self, concentration: Parameter) -> None:
        value = validate.as_float_array("concentration", concentration)
        self._fill((validate.positive("concentration", value),), ())

    def elementwise(self, x: Any) -> Any:
        return xlogy(self.concentration - 1, x)
