"""The tests that come with the suite: what a StorageClass must do, one subject a file."""
