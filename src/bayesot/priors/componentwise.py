"""Familiar univariate densities on every cell, as in Frogner and Poggio (2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax.nn import softplus
from jax.scipy.special import xlog1py, xlogy

from bayesot import _validate as validate
from bayesot.priors.base import Parameter, Separable

__all__ = ["Beta", "ChiSquare", "Gamma", "Logistic", "Weibull"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Gamma(Separable):
    """Gamma prior: ``g(x) = (shape - 1) log x - x / scale``; both parameters above zero.

    >>> import bayesot as bo
    >>> bo.priors.Gamma(2.0, scale=0.1)
    Gamma(shape=2.0, scale=0.1)
    """

    _leaves = 2

    shape: Any
    scale: Any

    def __init__(self, shape: Parameter, scale: Parameter = 1.0) -> None:
        self._fill((_positive("shape", shape), _positive("scale", scale)), ())

    def elementwise(self, x: Any) -> Any:
        return xlogy(self.shape - 1, x) - x / self.scale


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Beta(Separable):
    """Beta prior: ``g(x) = (alpha - 1) log x + (beta - 1) log(1 - x)``; both above zero."""

    _leaves = 2

    alpha: Any
    beta: Any

    def __init__(self, alpha: Parameter, beta: Parameter) -> None:
        self._fill((_positive("alpha", alpha), _positive("beta", beta)), ())

    def elementwise(self, x: Any) -> Any:
        return xlogy(self.alpha - 1, x) + xlog1py(self.beta - 1, -x)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ChiSquare(Separable):
    """Chi-square prior: ``g(x) = (df / 2 - 1) log x - x / 2``, with ``df`` above zero."""

    _leaves = 1

    df: Any

    def __init__(self, df: Parameter) -> None:
        self._fill((_positive("df", df),), ())

    def elementwise(self, x: Any) -> Any:
        return xlogy(self.df / 2 - 1, x) - x / 2


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Logistic(Separable):
    """Logistic prior: ``g(x) = -z - 2 log(1 + e^-z)`` with ``z = (x - loc) / scale``."""

    _leaves = 2

    loc: Any
    scale: Any

    def __init__(self, loc: Parameter = 0.0, scale: Parameter = 1.0) -> None:
        self._fill((validate.as_float_array("loc", loc), _positive("scale", scale)), ())

    def elementwise(self, x: Any) -> Any:
        z = (x - self.loc) / self.scale
        return -z - 2 * softplus(-z)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Weibull(Separable):
    """Weibull prior: ``g(x) = (shape - 1) log x - (x / scale)^shape``; both above zero."""

    _leaves = 2

    shape: Any
    scale: Any

    def __init__(self, shape: Parameter, scale: Parameter = 1.0) -> None:
        self._fill((_positive("shape", shape), _positive("scale", scale)), ())

    def elementwise(self, x: Any) -> Any:
        return xlogy(self.shape - 1, x) - jnp.power(x / self.scale, self.shape)


def _positive(name: str, value: Parameter) -> Any:
    return validate.positive(name, validate.as_float_array(name, value))
