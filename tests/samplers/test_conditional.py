"""Draws along a line: exact by inversion, or by slices that leave the density as it is."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import log_expit

from bayesot._x64 import double_precision
from bayesot.samplers.conditional import LEAST, SHRINKS, Line, draw_exponential, draw_slice

EPS = np.finfo(float).eps
SIZES = 10.0 ** np.arange(-12, 7)
RATES = np.concatenate([-SIZES[::-1], [0.0], SIZES])
LENGTHS = SIZES
U = np.concatenate([[0.0, 1e-250, 1e-15, 1e-8], (np.arange(64) + 0.5) / 64, [1 - 2.0**-53]])


def flat(x, y):
    return 0.0 * x


def exponential(rate, length, uniforms) -> tuple[np.ndarray, np.ndarray]:
    """Draws from lines of a given length: where on it the plan is has no influence."""
    with double_precision():
        line = Line(back=jnp.asarray(0.25 * length), ahead=jnp.asarray(0.75 * length), rate=rate)
        x, y = draw_exponential(line, flat, jnp.asarray(uniforms)[None])
    return np.asarray(x), np.asarray(y)


GRID = np.broadcast_arrays(RATES[:, None, None], LENGTHS[:, None], U)


@cache
def on_grid() -> tuple[np.ndarray, np.ndarray]:
    return exponential(*GRID)


def below(x, rate, length):
    """Probability of less than x for a rate that is not negative; in extended precision."""
    r, t = np.longdouble(rate), np.longdouble(length)
    steep = r * t > 1e-15
    safe = np.where(steep, r, 1)
    return np.where(steep, np.expm1(-safe * x) / np.expm1(-safe * t), x / t)


def test_exponential_inverts_the_distribution():
    rate, length, u = GRID
    x, y = on_grid()
    nearer = np.where(rate >= 0, x, y)  # from the end where the density is greatest
    error = np.abs(below(nearer.astype(np.longdouble), np.abs(rate), length) - u)
    # A relative error δ of x moves the probability by x f(x) δ ≤ δ, as the density f falls. Below
    # rate·length = 1e-12 it is replaced by a uniform one, whose distribution is off by 1e-12 / 8.
    assert error.max() <= 8 * EPS + 1.3e-13


def test_exponential_agrees_with_the_distribution_at_random():
    rng = np.random.default_rng(0)
    count = 20_000
    bound = np.sqrt(np.log(2 / 1e-9) / (2 * count))  # Dvoretzky, Kiefer, Wolfowitz, Massart
    for rate, length in ((0.0, 2.0), (3.0, 1.0), (-3.0, 1.0), (1e6, 1e-3), (-1e-3, 10.0)):
        x, _ = exponential(np.full(count, rate), np.full(count, length), rng.random(count))
        r = abs(rate)
        cdf = np.sort(below(np.sort(x if rate >= 0 else length - x), r, length).astype(float))
        steps = np.arange(count + 1) / count
        assert max(np.abs(cdf - steps[1:]).max(), np.abs(cdf - steps[:-1]).max()) <= bound


def test_exponential_stays_on_the_line_and_is_monotone():
    rate, length, _ = GRID
    x, y = on_grid()
    assert np.isfinite(x).all() and np.isfinite(y).all()
    assert x.min() >= 0 and y.min() >= 0
    assert np.all(x <= length) and np.all(y <= length)
    np.testing.assert_allclose(x + y, length, rtol=2 * EPS)
    rises = np.where(rate >= 0, 1, -1)[..., 1:] * np.diff(x, axis=-1)
    # inverting twice rounds, and so may two neighbours; these are a 64th of the whole apart
    assert rises[..., 4:-1].min() >= 0
    assert np.all(rises >= -4 * EPS * length[..., 1:])


def test_exponential_keeps_tiny_distances_to_full_precision():
    rate, length, u = GRID
    x, y = on_grid()
    nearer = np.where(rate >= 0, x, y)
    r, t, v = (np.longdouble(array) for array in (np.abs(rate), length, u))
    steep = r * t > 1e-12
    safe = np.where(steep, r, 1)
    exact = np.where(steep, -np.log1p(v * np.expm1(-safe * t)) / safe, v * t)
    inside = (u < 0.9) & (u > 0)  # above, the uniform itself is too coarse
    # at rate·length = 1e-12 the uniform law takes over, which is off by half of that
    np.testing.assert_allclose(nearer[inside], exact[inside].astype(float), rtol=6e-13, atol=0)
    assert nearer[(u == 1e-250) & (length == 1.0)].min() > 0


def test_exponential_is_symmetric_in_the_ends():
    x, y = on_grid()
    assert np.array_equal(x[: len(SIZES)], y[len(SIZES) + 1 :][::-1])
    assert np.array_equal(y[: len(SIZES)], x[len(SIZES) + 1 :][::-1])


@pytest.mark.parametrize("rate", [0.0, 1.0, -1.0, 1e12, -1e12, 1e300])
def test_a_line_of_no_length_is_a_point(rate):
    uniforms = np.full((2 + SHRINKS, 3), 0.3)
    with double_precision():
        line = Line(jnp.zeros(3), jnp.zeros(3), rate, 1.5)
        for ends in (
            draw_exponential(line, flat, jnp.asarray(uniforms)),
            draw_slice(line, lambda x, y: jnp.log(jnp.maximum(x, LEAST)), jnp.asarray(uniforms)),
        ):
            assert all(np.array_equal(end, np.zeros(3)) for end in ends)


# Slices: exact draws from x^(a-1) y^(b-1) exp(-r x) on x + y = length, one move, and the same law


LENGTH = 0.3
COUNT = 30_000
TARGETS = [(0.1, 0.1, 0.0), (0.1, 3.0, 20.0), (0.5, 0.5, -4.0), (1.0, 1.0, 30.0)]
TARGETS += [(3.0, 0.5, 0.0), (3.0, 2.0, -1e4), (200.0, 200.0, 0.0), (200.0, 0.1, 50.0)]


class Truth:
    """The distribution of ``v = log(x / y)``, by a fine trapezoidal rule."""

    def __init__(self, a: float, b: float, rate: float) -> None:
        # The logarithm of the density falls with slope a to the left and b to the right, sooner
        # or later: 45 nats below the mode nothing is left.
        wide = np.linspace(-800.0, 800.0, 200_001)
        kept = wide[self._log(wide, a, b, rate) > self._log(wide, a, b, rate).max() - 45]
        self.v = np.linspace(kept[0], kept[-1], 200_001)
        density = np.exp(self._log(self.v, a, b, rate) - self._log(kept, a, b, rate).max())
        mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
        self.cdf = mass / mass[-1]
        self.mean = float((self.v * density).sum() / density.sum())
        self.sd = float(np.sqrt(((self.v - self.mean) ** 2 * density).sum() / density.sum()))

    @staticmethod
    def _log(v, a, b, rate):
        log_x, log_y = log_expit(v), log_expit(-v)
        return a * log_x + b * log_y - rate * LENGTH * np.exp(log_x)

    def draw(self, uniforms: np.ndarray) -> np.ndarray:
        return np.interp(uniforms, self.cdf, self.v)

    def below(self, v: np.ndarray) -> np.ndarray:
        return np.interp(v, self.v, self.cdf)


@jax.jit
def one_move(back, ahead, rate, spread, a, b, uniforms):
    def log_prior(x, y):
        xs, ys = jnp.maximum(x, LEAST), jnp.maximum(y, LEAST)
        return (a - 1) * jnp.log(xs) + (b - 1) * jnp.log(ys)

    return draw_slice(Line(back, ahead, rate, spread), log_prior, uniforms)


@cache
def truth(a: float, b: float, rate: float) -> Truth:
    return Truth(a, b, rate)


def within(values: np.ndarray, expected: float, what: str) -> None:
    error = values.std() / np.sqrt(len(values)) + 1e-6
    assert abs(values.mean() - expected) <= 5 * error, what


@pytest.mark.parametrize("spread", [0.1, 2.0, 30.0])
@pytest.mark.parametrize(("a", "b", "rate"), TARGETS)
def test_slice_moves_leave_the_density_as_it_is(a, b, rate, spread):
    exact = truth(a, b, rate)
    rng = np.random.default_rng(1)
    start = exact.draw(rng.random(COUNT))
    back, ahead = LENGTH * np.exp(log_expit(start)), LENGTH * np.exp(log_expit(-start))
    with double_precision():
        moved = one_move(back, ahead, rate, spread, a, b, rng.random((2 + SHRINKS, COUNT)))
        x, y = map(np.asarray, moved)
    assert x.min() > 0 and y.min() > 0
    np.testing.assert_allclose(x + y, LENGTH, rtol=1e-13)
    end = np.log(x) - np.log(y)

    standard = (end - exact.mean) / exact.sd
    within(standard, 0.0, "mean")
    within(standard**2, 1.0, "variance")
    before, after = exact.below(start), exact.below(end)
    for level in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99):
        within((after < level).astype(float), level, f"quantile {level}")
    # The same about differences, whose noise is far smaller when moves are small
    within(((end - exact.mean) ** 2 - (start - exact.mean) ** 2) / exact.sd**2, 0.0, "change")
    # Slice moves are reversible: any pair of places is as likely in either order
    within(np.sin(6 * before) * after - np.sin(6 * after) * before, 0.0, "reversibility")
    within((before < 0.3) * (after > 0.6) * 1.0 - (after < 0.3) * (before > 0.6), 0.0, "balance")


@pytest.mark.parametrize(("a", "b", "rate"), TARGETS)
def test_slice_moves_forget_at_the_right_spread(a, b, rate):
    exact = truth(a, b, rate)
    rng = np.random.default_rng(2)
    start = exact.draw(rng.random(COUNT))
    back, ahead = LENGTH * np.exp(log_expit(start)), LENGTH * np.exp(log_expit(-start))
    with double_precision():
        moved = one_move(back, ahead, rate, exact.sd, a, b, rng.random((2 + SHRINKS, COUNT)))
        x, y = map(np.asarray, moved)
    # Few proposals from a wide interval forget more per evaluation than many that always succeed.
    assert np.mean((x != back) | (y != ahead)) > 0.8
    assert np.corrcoef(start, np.log(x) - np.log(y))[0, 1] < 0.7


@pytest.mark.parametrize("a", [0.1, 1.0, 3.0])
def test_slice_moves_leave_a_vertex(a):
    """From an exact zero, where the density is taken at the least positive number."""
    rng = np.random.default_rng(3)
    exact = truth(a, 3.0, 0.0) if a == 0.1 else None
    x, y = np.zeros(2000), np.full(2000, LENGTH)
    with double_precision():
        for _ in range(80):
            x, y = one_move(x, y, 0.0, 30.0, a, 3.0, rng.random((2 + SHRINKS, 2000)))
            assert np.isfinite(x).all() and np.isfinite(y).all()
    assert np.asarray(x).min() > 0
    assert np.median(x) > 1e-12
    assert exact is None or exact.sd > 5
