"""Which of three synthesisers is closest to the real table, and is that more than chance? Writes a report to share.

Run it with ``python examples/judge_three_synthesisers.py [REPORT.html]``.
"""

import sys

import numpy as np

import jsdiv


def real_rows(random, rows):
    base = random.normal(size=rows)
    return np.column_stack([base, 0.8 * base + 0.6 * random.normal(size=rows), random.exponential(size=rows)])


def main(report="synthesisers.html"):
    random = np.random.default_rng(2)
    real = real_rows(random, 700)
    candidates = {
        "copula": real_rows(random, 700),
        "noisy": real_rows(random, 700) + 0.5 * random.normal(size=(700, 3)),
        "independent": np.column_stack([random.permutation(column) for column in real.T]),
    }
    result = jsdiv.compare(real, candidates, families=["logreg", "lr-pol", "gaussian", "xgboost"])
    print(result)
    result.save_html(report)
    print(f"\nReport: {report}")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
