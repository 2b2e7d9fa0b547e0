"""What is surprising in the paper's tables, from experiments/published/results.csv. docs/paper.md quotes the output.

python3 tools/check_published.py [DIRECTORY OF THE PAPER'S REAL TABLES]
"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
FAMILIES = ["mlp", "rf", "logreg", "xgboost", "lr-pol", "tabpfn"]
ROUNDING = 0.0055  # the paper prints two decimals


def load():
    with open(ROOT / "experiments/published/results.csv", newline="", encoding="utf-8") as file:
        return {
            (row["source"], row["experiment"], row["setting"], row["family"]): row
            for row in csv.DictReader(file)
            if row["error_x100"] or row["estimate"]
        }


def settings(rows, experiment, source="paper"):
    return list(dict.fromkeys(key[2] for key in rows if key[:2] == (source, experiment)))


def kind_of_error(rows, experiment):
    """For each printed entry: is it the mean error of the files, the error of their mean, both, or neither?"""
    print(f"\n{experiment}: printed entry against the per-seed files (×100)")
    counts = {}
    for setting in settings(rows, experiment):
        for family in FAMILIES:
            paper = rows.get(("paper", experiment, setting, family))
            files = rows.get(("files", experiment, setting, family))
            if not paper or not files:
                continue
            printed = float(paper["error_x100"])
            mean_error = float(files["error_x100"])
            of_mean = 100 * abs(float(files["estimate"]) - float(files["reference_jsd"]))
            is_mean, is_of_mean = (abs(printed - value) < ROUNDING for value in (mean_error, of_mean))
            kind = (
                "both are equal"
                if is_mean and is_of_mean
                else "mean error"
                if is_mean
                else "error of the mean"
                if is_of_mean
                else "neither"
            )
            counts.setdefault(family, {}).setdefault(kind, []).append(
                f"{setting}: {printed:.2f} (mean error {mean_error:.2f}, error of the mean {of_mean:.2f})"
            )
    for family, kinds in counts.items():
        print(f"  {family:8}", ", ".join(f"{len(lines)} {kind}" for kind, lines in kinds.items()))
    for family, kinds in counts.items():
        for kind in ("error of the mean", "neither"):
            for line in kinds.get(kind, [])[:3]:
                print(f"    {kind}: {family} {line}")


def implied_reference(rows):
    """LogReg sees nothing here: its estimate plus its printed error is the reference that the table was made with."""
    print("\ndependence: the reference that the printed errors of LogReg imply")
    for setting in settings(rows, "dependence"):
        paper, files = (rows[source, "dependence", setting, "logreg"] for source in ("paper", "files"))
        implied = float(files["estimate"]) + float(paper["error_x100"]) / 100
        print(f"  {setting:8} implied {implied:.4f}   reference of the files {float(files['reference_jsd']):.4f}")


def oracle(rows):
    """The published oracle, on the test rows, beside the best family."""
    print("\noracle on the published test rows beside the families (mean absolute error ×100, per-seed files)")
    for experiment in ("dependence", "dimension"):
        for setting in settings(rows, experiment, "files"):
            errors = {family: float(rows["files", experiment, setting, family]["error_x100"]) for family in FAMILIES}
            best = min(errors, key=errors.get)
            floor = float(rows["files", experiment, setting, "mlp"]["oracle_error_x100"])
            print(
                f"  {experiment:10} {setting:8} oracle {floor:5.2f}   best {best:7} {errors[best]:5.2f}   worst "
                f"{max(errors.values()):5.2f}"
            )


def finite_row(rows):
    print("\nfinite: the row N = 100 as printed and in the per-seed files (mean absolute error ×100)")
    for setting in ("fit-rows=90", "fit-rows=100"):
        for family in FAMILIES:
            paper, files = (rows[source, "finite", setting, family] for source in ("paper", "files"))
            print(
                f"  {setting:12} {family:8} printed {float(paper['error_x100']):6.2f} ± "
                f"{float(paper['error_sd_x100']):5.2f}   files {float(files['error_x100']):6.2f}   error of the mean "
                f"{100 * abs(float(files['estimate']) - float(files['reference_jsd'])):6.2f}   true JSD "
                f"{float(files['reference_jsd']):.4f}"
            )


def supports(folder):
    """Rows of the synthetic table with a value that the real table never holds, by column and in any column."""
    print("\nreal tables: synthetic rows with a value that no real row has")
    for pair in ("adult/vae", "adult/ctgan", "intrusion/vae", "intrusion/ctgan"):
        real, synthetic = (
            [[float(cell or "nan") for cell in row] for row in table[1:]]
            for table in (rows_of(folder / pair / name) for name in ("real_data.csv", "gen_data.csv"))
        )
        names = rows_of(folder / pair / "real_data.csv")[0]
        held = [set(column) for column in zip(*real, strict=True)]
        foreign = [[value not in held[i] for i, value in enumerate(row)] for row in synthetic]
        shares = sorted(
            (
                (sum(column) / len(foreign), name, len(held[i]), len({row[i] for row in synthetic}))
                for i, (name, column) in enumerate(zip(names, zip(*foreign, strict=True), strict=True))
            ),
            reverse=True,
        )
        print(
            f"  {pair}: {100 * sum(map(any, foreign)) / len(foreign):.1f} % in any column; by column: "
            + ", ".join(
                f"{name} {100 * share:.1f} % ({count_real} distinct values against {count_synthetic})"
                for share, name, count_real, count_synthetic in shares[:3]
            )
        )


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def main():
    rows = load()
    for experiment in ("dependence", "imbalance", "dimension", "finite"):
        kind_of_error(rows, experiment)
    implied_reference(rows)
    oracle(rows)
    finite_row(rows)
    if len(sys.argv) > 1:
        supports(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
