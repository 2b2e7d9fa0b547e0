"""Two tables with the same distribution in every column that do not share a single row.

In P the two columns are always equal, in Q they never are. Comparing single columns finds no difference, but the
divergence between the joint distributions is 1. Run it with ``python examples/marginals_lie.py``.
"""

import jsdiv


def main():
    pair = jsdiv.simulate("xor", n=400)
    marginal = jsdiv.marginal(pair.p, pair.q)
    result = jsdiv.estimate(pair.p, pair.q, families=["logreg", "lr-pol", "rf"])
    print(f"each column on its own: syndat {marginal.syndat:.4f}, synthcity {marginal.synthcity:.4f}")
    print(f"jointly: {result.jsd:.3f}; the truth is {pair.truth.jsd:.0f}")
    for family in result.families:
        print(f"  {family.name:8} {family.jsd:.3f}")
    return marginal, result


if __name__ == "__main__":
    main()
