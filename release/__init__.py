"""What a release is made of: the image with its bill of materials, and the notes. Run where a release is made."""
