"""The command `storage-acceptance`: a thin layer over pytest, the engine's commands and the embedded cluster.

If the wheel is installed, tests, profiles, limits, `deploy` and the pytest plugins are in this folder too.
"""
