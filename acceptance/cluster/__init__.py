"""The cluster under test: talking to it, waiting for it, making objects in it and removing them again."""
