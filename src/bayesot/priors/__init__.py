"""Priors on transport plans: one family a file, multiplied with ``*``."""

from bayesot.priors.base import Prior, Product, Separable
from bayesot.priors.componentwise import Beta, ChiSquare, Gamma, Logistic, Weibull
from bayesot.priors.custom import Custom
from bayesot.priors.dirichlet import Dirichlet
from bayesot.priors.entropy import Entropy, Tsallis
from bayesot.priors.gaussian import Gaussian, Normal
from bayesot.priors.uniform import Uniform

__all__ = [
    "Beta",
    "ChiSquare",
    "Custom",
    "Dirichlet",
    "Entropy",
    "Gamma",
    "Gaussian",
    "Logistic",
    "Normal",
    "Prior",
    "Product",
    "Separable",
    "Tsallis",
    "Uniform",
    "Weibull",
]
