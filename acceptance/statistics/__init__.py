"""The uncertainty of figures: intervals, ratios, and the number of interim analyses. Numbers in, numbers out."""
