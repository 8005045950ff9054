"""Loads the suite's plugins also where pytest is run with another configuration file than tox.ini."""

pytest_plugins = ["fixtures.plugins"]
