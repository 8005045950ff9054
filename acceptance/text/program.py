"""The command that users have: what messages and reports tell them to type."""

PROGRAM = "storage-acceptance"
