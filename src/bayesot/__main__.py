"""``python -m bayesot`` is the same as ``bayesot``."""

from bayesot.cli.main import main

if __name__ == "__main__":
    main()
