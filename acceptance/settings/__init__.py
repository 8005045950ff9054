"""What a run was asked to do: options, and what is known of the storage by its target file."""
