"""Volumes of very many files: how soon files are made, listed, looked up and deleted, and pods start on them."""
