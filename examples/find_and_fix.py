"""Find what a synthesiser gets wrong, repair it, and check the repair.

The synthesiser gets two things wrong: incomes are too high, and they no longer depend on age. ``explain`` finds both,
in bits. Run it with ``python examples/find_and_fix.py``.
"""

import numpy as np

import jsdiv

FAMILIES = ["logreg", "gaussian", "xgboost"]


def people(random, rows):
    age = random.normal(45, 12, rows)
    return {
        "age": age,
        "income": 20 + 0.6 * age + random.normal(0, 6, rows),
        "children": random.poisson(1.5, rows),
    }


def synthesise(random, rows):
    """Like real people, but with the incomes of other people, a few thousand higher."""
    table = people(random, rows)
    return table | {"income": random.permutation(table["income"]) + 5}


def main():
    random = np.random.default_rng(3)
    real, synthetic = people(random, 900), synthesise(random, 900)
    before = jsdiv.explain(real, synthetic, families=FAMILIES)
    guilty = before.columns[0]
    print(f"{before.held_out:.3f} bits; largest share: {guilty.name}: {guilty.how[0].message}")
    broken = before.pairs[0]
    print(f"dependence that differs: {' with '.join(broken.columns)}, {broken.beyond_columns.value:.3f} bits")

    fixed = people(random, 900)
    after = jsdiv.estimate(real, fixed, families=FAMILIES)
    print(f"after the repair: {after.jsd:.3f}")
    return before, after


if __name__ == "__main__":
    main()
