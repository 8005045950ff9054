"""Student's t distribution. The suite only needs its quantile, which does not justify a dependency on scipy."""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300
_PRECISION = 1e-15


def t_cdf(t: float, *, degrees: int) -> float:
    """Return the chance that a t-distributed value with `degrees` degrees of freedom is at most `t`.

    P(T <= t) = 1 - I_x(degrees/2, 1/2) / 2 for t >= 0 with x = degrees / (degrees + t^2), I being the regularized
    incomplete beta function: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.1 with 26.5.27.
    """
    tail = 0.5 * _incomplete_beta(degrees / (degrees + t * t), a=degrees / 2, b=0.5)
    return 1.0 - tail if t >= 0 else tail


@lru_cache(maxsize=256)
def t_quantile(probability: float, *, degrees: int) -> float:
    """Return the value that a t-distributed one is below with this `probability`, exact to about 1e-10.

    It bisects the distribution function, which rises everywhere. Raises ValueError outside 0 < probability < 1
    and for fewer than one degree of freedom.
    """
    if not 0.0 < probability < 1.0 or degrees < 1:
        raise ValueError(f"expected 0 < probability < 1 and degrees >= 1, found {probability!r} and {degrees!r}")
    if probability < 0.5:
        return -t_quantile(1.0 - probability, degrees=degrees)
    low, high = 0.0, 1.0
    while t_cdf(high, degrees=degrees) < probability:
        high *= 2.0
    while high - low > 1e-11 * max(1.0, high):
        middle = (low + high) / 2
        if t_cdf(middle, degrees=degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(x: float, *, a: float, b: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b); NIST DLMF 8.17.22 and the symmetry 8.17.4."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):  # here the fraction would converge slowly
        return 1.0 - _incomplete_beta(1.0 - x, a=b, b=a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _beta_fraction(x, a=a, b=b) / a


def _beta_fraction(x: float, *, a: float, b: float) -> float:
    """Return the continued fraction of DLMF 8.17.22 by Lentz's method (Press et al., Numerical Recipes, 5.2, 6.4)."""
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for coefficient in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + coefficient * d)
            c = _away_from_zero(1.0 + coefficient / c)
            step = c * d
            fraction *= step
        if abs(step - 1.0) < _PRECISION:
            break
    return fraction


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
