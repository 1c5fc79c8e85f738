#!/usr/bin/env python3
"""Writes tests/data/statistics_reference.tsv: what SciPy and NumPy make of given numbers.

The tests of src/stats/ compare Headroom's own statistics with this table. Run it again only to add
cases (needs scipy and numpy): tests/tooling/statistics_reference.py
"""

import pathlib

import numpy as np
import scipy
from scipy import stats

A3, B3 = [47932, 48891, 51268], [44202, 45234, 46423]
PAIRS = [
    (A3, B3),
    ([47932, 48891, 51268], [44582, 46509, 46789]),
    ([5512, 5966], [8726, 8848, 9252]),
    ([1.5, 2.5, 2.5, 3.0], [2.5, 2.0, 3.5, 4.0]),
    ([10.1, 9.9, 10.3, 10.0, 9.7], [10.6, 10.4, 10.9, 10.2, 10.8]),
    ([0.437, 0.5, 0.654], [0.439, 0.677, 0.5, 0.61, 0.48]),
    ([100.0] * 3, [100.0] * 3),
    ([7, 7, 8, 9, 9, 12, 11], [10, 12, 13, 9, 14, 12]),
]


def difference_of_means(x, y, axis):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def rows():
    for a, b in PAIRS:
        test = stats.permutation_test((a, b), difference_of_means, n_resamples=np.inf, vectorized=True)
        yield "permutation", a, b, [], test.pvalue
        yield "shift", a, b, [], np.median(np.subtract.outer(b, a))
        if np.std(a) > 0:
            for margin in (0.02, 0.05, 0.2):
                low = stats.ttest_ind(np.log(b), np.log(a) - np.log1p(margin), equal_var=False, alternative="greater")
                high = stats.ttest_ind(np.log(b), np.log(a) + np.log1p(margin), equal_var=False, alternative="less")
                yield "equivalence", a, b, [margin], max(low.pvalue, high.pvalue)
    for effect, runs, alpha in [(2.5, 5, 0.05), (2.5, 5, 0.025), (1, 10, 0.05), (0.2, 100, 0.05), (5, 3, 0.05), (0.01, 4, 0.05)]:
        degrees, shift = 2 * runs - 2, effect * np.sqrt(runs / 2)
        critical = stats.t.ppf(1 - alpha / 2, degrees)
        power = stats.nct.sf(critical, degrees, shift) + stats.nct.cdf(-critical, degrees, shift)
        yield "power", [], [], [effect, runs, alpha], power
    for p in ([0.01, 0.04, 0.03], [0.5, 0.001, 0.02, 0.02], [0.9, 0.8]):
        # Holm by its definition: the largest of the smaller ones, each times those left.
        order = np.argsort(p, kind="stable")
        adjusted = np.empty(len(p))
        adjusted[order] = np.minimum(1, np.maximum.accumulate((len(p) - np.arange(len(p))) * np.array(p)[order]))
        for index, value in enumerate(adjusted):
            yield "holm", p, [], [index], value


def text(numbers):
    return ",".join(repr(float(number)) for number in numbers)


def main():
    path = pathlib.Path(__file__).parent.parent / "data" / "statistics_reference.tsv"
    with path.open("w", encoding="utf-8") as out:
        out.write(f"# SciPy {scipy.__version__}, NumPy {np.__version__}; tests/tooling/statistics_reference.py\n")
        out.write("# what\ta\tb\tparameters\texpected\n")
        for what, a, b, parameters, expected in rows():
            out.write(f"{what}\t{text(a)}\t{text(b)}\t{text(parameters)}\t{float(expected)!r}\n")


if __name__ == "__main__":
    main()
