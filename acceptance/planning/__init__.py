"""What a run would create and do, and how long that takes: said before it begins, and while it goes on."""
