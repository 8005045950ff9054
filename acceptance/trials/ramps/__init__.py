"""Control plane: the number of volumes that a class and its cluster bear, brought up and down again at a steady
rate."""
