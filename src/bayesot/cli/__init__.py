"""The command line, `bayesot`: one command a file."""
