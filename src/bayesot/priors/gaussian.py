"""Gaussian priors: cell by cell, or with a full covariance between cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular

from bayesot import _validate as validate
from bayesot._x64 import numerically
from bayesot.errors import InputError
from bayesot.priors.base import Parameter, Separable
from bayesot.problem import Problem

__all__ = ["Gaussian", "Normal"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Gaussian(Separable):
    """Gaussian prior: ``-½ Σ ((G - mean) / scale)²``, or with a covariance between the cells,
    ``-½ (vec G - vec mean)ᵀ Σ⁻¹ (vec G - vec mean)``.

    Parameters
    ----------
    mean
        A number or an array that broadcasts to n×m.
    scale
        Standard deviation of each cell, above zero; broadcasts to n×m.
    covariance
        Positive definite, of shape (nm, nm), cells in row-major order (``G.ravel()``).
        Give either this or ``scale``.

    Examples
    --------
    >>> import bayesot as bo
    >>> float(bo.priors.Gaussian(0.25, scale=0.1).log_density([[0.5, 0.0], [0.0, 0.5]]))
    -12.5

    """

    _leaves = 3

    mean: Any
    scale: Any
    covariance: Any

    def __init__(
        self, mean: Parameter = 0.0, *, scale: Parameter = None, covariance: Any = None
    ) -> None:
        if (scale is None) == (covariance is None):
            raise InputError(
                "`Gaussian` takes either `scale` or `covariance`, got "
                f"{'neither' if scale is None else 'both'}. "
                "Pass `scale=` for independent cells, `covariance=` for an nm×nm matrix."
            )
        mean = validate.as_float_array("mean", mean)
        if scale is not None:
            scale = validate.positive("scale", validate.as_float_array("scale", scale))
        if covariance is not None:
            covariance = _positive_definite(covariance)
        self._fill((mean, scale, covariance), ())

    @property
    def separable(self) -> bool:
        return self.covariance is None

    def elementwise(self, x: Any) -> Any:
        return -0.5 * ((x - self.mean) / self.scale) ** 2

    def log_density(self, plan: Any) -> Any:
        if self.separable:
            return super().log_density(plan)
        return numerically(self._correlated, plan, self)

    def _correlated(self, plan: Any) -> Any:
        deviation = plan - self.mean
        flat = deviation.reshape(*deviation.shape[:-2], -1)
        root = jnp.linalg.cholesky(jnp.asarray(self.covariance))
        white = solve_triangular(
            root, jnp.moveaxis(flat, -1, 0).reshape(root.shape[0], -1), lower=True
        )
        return -0.5 * jnp.sum(white**2, axis=0).reshape(flat.shape[:-1])

    def on(self, problem: Problem) -> Self:
        mean = self._spread(f"{type(self).__name__}.mean", self.mean, problem)
        if self.separable:
            scale = self._spread(f"{type(self).__name__}.scale", self.scale, problem)
            return type(self).tree_unflatten((), (mean, scale, None))
        cells = problem.shape[0] * problem.shape[1]
        if self.covariance.shape[0] != cells:
            raise InputError(
                f"`Gaussian.covariance` must have shape {(cells, cells)} for plans of shape "
                f"{problem.shape}, got {self.covariance.shape}. Its cells are in the order of "
                "`plan.ravel()`, zero-mass rows and columns included."
            )
        return type(self).tree_unflatten((), (mean, None, self.covariance))

    def _key(self) -> tuple[Any, ...]:
        parts = (self.mean, self.scale, self.covariance)
        return tuple(p if p is None else (np.shape(p), *np.ravel(p).tolist()) for p in parts)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Normal(Gaussian):
    """Component-wise normal prior: ``g(x) = -½ ((x - mean) / scale)²``; `Gaussian` with a scale."""

    def __init__(self, mean: Parameter = 0.0, scale: Parameter = 1.0) -> None:
        super().__init__(mean, scale=validate.as_float_array("scale", scale))


def _positive_definite(value: Any) -> np.ndarray:
    matrix = validate.as_float_array("covariance", value, ndim=2)
    remedy = "Symmetrise it, or add a small multiple of the identity."
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"`covariance` must be square, of shape (nm, nm), got {matrix.shape}. "
            "Its cells are in the order of `plan.ravel()`."
        )
    if not np.allclose(matrix, matrix.T, rtol=1e-10, atol=1e-14 * np.abs(matrix).max()):
        raise InputError(f"`covariance` must be symmetric, got a matrix that is not. {remedy}")
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError as error:
        smallest = np.linalg.eigvalsh(matrix)[0]
        raise InputError(
            f"`covariance` must be positive definite, got a smallest eigenvalue of {smallest:g}. "
            f"{remedy}"
        ) from error
    return matrix
