"""Writes experiments/published/results.csv from the seed paper's LaTeX source and its published per-seed results.

    python3 tools/transcribe_published.py PAPER.tex published_results.csv > experiments/published/results.csv

Two sources, one row for each number that stands in them:
  paper   the tables of the appendix, as printed
  files   means over the published per-seed files
Settings and families are named as `jsdiv bench` names them. Errors are times 100.
"""

import csv
import re
import sys

FAMILIES = {
    "MLP": "mlp",
    "RF": "rf",
    "LogReg": "logreg",
    "XGBoost": "xgboost",
    "LR-Pol": "lr-pol",
    "LogRegPol": "lr-pol",
    "TabPFN": "tabpfn",
    "Syndat": "syndat",
    "Synthcity": "synthcity",
}
FIELDS = [
    "source",
    "experiment",
    "setting",
    "family",
    "estimate",
    "estimate_sd",
    "error_x100",
    "error_sd_x100",
    "reference_jsd",
    "oracle_error_x100",
    "seconds",
]


def number(text):
    """ "0.50" -> "0.5", "10" -> "10", as the program prints them."""
    return f"{float(text):g}"


def table(text, label):
    """Rows of cells of the LaTeX table with that label."""
    body = text[text.index("\\label{" + label + "}") :]
    body = body[body.index("\\begin{tabular}") : body.index("\\end{tabular}")]
    rows = []
    for line in body.split("\\\\"):
        line = re.sub(r"\\(midrule|toprule|bottomrule)", "", line).strip().splitlines()
        cells = [cell.strip().replace("$\\pm$", "±") for cell in (line[-1] if line else "").split("&")]
        if len(cells) > 2:
            rows.append(cells)
    return rows


def with_sd(cell):
    mean, _, sd = cell.partition("±")
    return mean.strip(), sd.strip()


def columns(header):
    return {index: FAMILIES[name] for index, name in enumerate(header) if name in FAMILIES}


def error_table(text, label, experiment, keys, setting):
    """Rows "key … | family cells", with an own row (or rows) of times."""
    rows = table(text, label)
    families = columns(rows[0])
    for cells in rows[1:]:
        if any("Time" in cell for cell in cells[:keys]):
            yield from times(cells, families, experiment, setting, keys)
            continue
        for index, family in families.items():
            mean, sd = with_sd(cells[index])
            yield {
                "experiment": experiment,
                "setting": setting(*cells[:keys]),
                "family": family,
                "error_x100": mean,
                "error_sd_x100": sd,
            }


def times(cells, families, experiment, setting, keys):
    for index, family in families.items():
        interval = re.match(r"\[(.*), (.*)\]", cells[index])
        if interval:
            for d, seconds in zip(("2", "50"), interval.groups(), strict=True):
                yield {"experiment": experiment, "setting": setting(d), "family": family, "seconds": seconds}
        else:
            scope = f"gap={number(cells[0])}" if keys == 2 else "all"
            yield {"experiment": experiment, "setting": scope, "family": family, "seconds": cells[index]}


def real_table(text, label, experiment):
    rows = table(text, label)
    families = columns(rows[0])
    body = rows[1:]
    for position, cells in enumerate(body):
        timed = position >= len(body) // 2
        for index, family in families.items():
            mean, sd = with_sd(cells[index])
            row = {"experiment": experiment, "setting": f"pair={cells[1]}/{cells[0].lower()}", "family": family}
            yield row | ({"seconds": mean} if timed else {"estimate": mean, "estimate_sd": sd})


def paper_rows(text):
    yield from error_table(
        text, "tab:uc5_abs_error_no_gt_mean_std_x100_2dec", "dependence", 1, lambda rho: f"rho={number(rho)}"
    )
    yield from error_table(
        text,
        "tab:uc13_on_abs_error_x100_all_gaps_mean_std",
        "imbalance",
        2,
        lambda gap, ratio: f"gap={number(gap)} ratio={number(ratio)} correction=on",
    )
    yield from error_table(
        text, "tab:uc7_abs_error_no_gt_mean_std_x100_2dec_time_range", "dimension", 1, lambda d: f"d={number(d)}"
    )
    yield from error_table(
        text, "tab:uc3_abs_error_vs_gt_mean_std_x100", "finite", 1, lambda rows: f"fit-rows={number(rows)}"
    )
    yield from real_table(text, "tab:uc4_big_data_adult_intrusion_vae_ctgan", "real-high")
    yield from real_table(text, "tab:uc14_low_data_adult_intrusion_vae_ctgan", "real-low")


def files_setting(experiment, setting):
    """(experiment, setting) as ours, or None for what no experiment of ours repeats."""
    if experiment == "dependence":
        return "dependence", f"rho={number(setting.split('_')[0])}"
    if experiment == "dimension":
        return "dimension", f"d={setting.split('_')[0]}"
    if experiment == "gmm_fit_finite_samples":
        return "finite", f"fit-rows={setting.split('_')[0]}"
    if experiment == "imbalance":
        state, gap, rest = setting.split("/")
        ratio = number(rest.split("_")[0])
        return "imbalance", f"gap={number(gap[4:])} ratio={ratio} correction={state.lower()}"
    if experiment.endswith("_sample_size"):
        train, evaluate = setting.split("_")
        return "sample-size", f"scenario={experiment.split('_')[0]} train={train} eval={evaluate}"
    if experiment in ("real_high", "real_low"):
        return experiment.replace("_", "-"), "pair=" + setting.rsplit("/", 1)[0]
    return None


def files_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            place = files_setting(row["experiment"], row["setting"])
            if place is None:
                continue
            yield {
                "experiment": place[0],
                "setting": place[1],
                "family": FAMILIES[row["family"]],
                "estimate": row["mean_estimate"],
                "error_x100": row["mean_abs_error_x100"],
                "reference_jsd": row["reference_jsd"],
                "oracle_error_x100": row["oracle_mean_abs_error_x100"],
                "seconds": row["mean_seconds"],
            }


def main():
    paper, results = sys.argv[1:]
    writer = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    writer.writeheader()
    with open(paper, encoding="utf-8") as file:
        for row in paper_rows(file.read()):
            writer.writerow({"source": "paper", **row})
    for row in files_rows(results):
        writer.writerow({"source": "files", **row})


if __name__ == "__main__":
    main()
