"""Follow a table as it drifts away from its base, day by day, and find the column that causes it.

Run it with ``python examples/watch_drift.py``.
"""

import numpy as np

import jsdiv

FAMILIES = ["logreg", "gaussian"]


def day(number, random):
    """Load follows temperature; from day 3 on, the pressure sensor drifts upwards."""
    temperature = random.normal(20, 4, 400)
    return {
        "temperature": temperature,
        "load": 0.5 * temperature + random.normal(0, 1, 400),
        "pressure": random.normal(1 + 0.4 * max(0, number - 2), 0.5, 400),
    }


def main():
    random = np.random.default_rng(4)
    base = day(0, random)
    days = {f"day {number}": day(number, random) for number in range(1, 6)}
    drift = jsdiv.compare(base, days, over_time=True, families=FAMILIES)
    print(drift)
    cause = jsdiv.explain(base, days["day 5"], families=FAMILIES).columns[0]
    print(f"\ncause on day 5: {cause.name}, {cause.how[0].message}")
    return drift, cause.name


if __name__ == "__main__":
    main()
