"""Control plane: how many volumes a class and its cluster bear, brought up and down again at a steady rate."""
