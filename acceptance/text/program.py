"""The command that users have: messages and reports tell them to type it."""

PROGRAM = "storage-acceptance"
