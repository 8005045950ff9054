"""The share of the published figures whose errors would be noticed.

    python benchmarks/published.py

Each figure is multiplied, one after the other, and checked by the golden tests of its file. Row `first version`: the
result of a review of that version, with ten figures drawn from all. Goal: each error of 10 % is noticed, up or down.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from selftests.unit.published_figures import changed, places, published
from selftests.unit.test_published_figures import HELD_BY, notices

FACTORS = (1.1, 0.9, 2.0, 0.5)


def main() -> int:
    """Print the table; return 0 whatever it shows."""
    print("| figures of | figures | noticed when multiplied by " + ", ".join(map(str, FACTORS)) + " | by all |")
    print("|---|---|---|---|")
    print("| first version, ten of all | 10 | | 3, one more by 2 and 0.5 |")
    for name, comparisons in HELD_BY.items():
        figures, detections = published(name), []
        for place in places(figures):
            variants = [changed(figures, place, factor=factor) for factor in FACTORS]
            detections.append([any(notices(comparison, variant) for comparison in comparisons) for variant in variants])
        cells = ", ".join(str(sum(column)) for column in zip(*detections, strict=True))
        print(f"| {name} | {len(detections)} | {cells} | {sum(map(all, detections))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
