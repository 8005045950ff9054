"""The parts of a release: the image with its bill of materials, and the notes. Run where a release is built."""
