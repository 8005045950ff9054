"""Loads the suite's plugins even if pytest runs with another configuration file than tox.ini."""

pytest_plugins = ["fixtures.plugins"]
