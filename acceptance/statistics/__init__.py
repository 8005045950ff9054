"""How sure a figure is: intervals, ratios, and how often one may look. Numbers in, numbers out."""
