"""What BayesOT raises when it refuses.

::

    BayesOTError (Exception)            anything this package raises on purpose
    └── InputError (also ValueError)    bad input, caught at the door
        ├── Unsupported                 a sound request without an algorithm in this release
        └── MemoryRefused               a request that would need more memory than is free
    ConvergenceWarning (UserWarning)    there are draws, but they are not to be trusted yet

Bad input is a ``ValueError`` throughout, so ``except ValueError`` is all a caller needs:

>>> issubclass(Unsupported, ValueError)
True
"""

from __future__ import annotations

__all__ = ["BayesOTError", "ConvergenceWarning", "InputError", "MemoryRefused", "Unsupported"]


class BayesOTError(Exception):
    """Base class of every exception that BayesOT raises on purpose."""


class InputError(BayesOTError, ValueError):
    """An argument is not what it has to be; the message names it and says what to do."""


class Unsupported(InputError):
    """The request makes sense, but this release has no algorithm for it."""


class MemoryRefused(InputError):
    """The request would need more memory than is free, so it was not started."""


class ConvergenceWarning(UserWarning):
    """The chains have not converged, or too few draws were taken; the message says what to do."""
