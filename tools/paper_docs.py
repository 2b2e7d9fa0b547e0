"""Puts the runs of `make paper` into the documentation.

    python3 tools/paper_docs.py guide RUNS         writes experiments/guide.csv (then rebuild: it is embedded)
    python3 tools/paper_docs.py docs RUNS JSDIV    writes the marked parts of docs/paper.md and docs/guide.md

RUNS holds one directory of `jsdiv bench` for each experiment. A part of a document between `<!-- begin NAME -->` and
`<!-- end NAME -->` is replaced; everything else is written by hand.
"""

import csv
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
CONTROLLED = ["dependence", "imbalance", "dimension", "finite"]
EXPERIMENTS = [*CONTROLLED, "sample-size", "real-high", "real-low"]
PUBLISHED = ["mlp", "rf", "logreg", "xgboost", "lr-pol", "tabpfn"]


def summary(runs, experiment):
    path = runs / experiment / "summary.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def axis(row, name):
    found = re.search(rf"(?:^| ){name}=(\S+)", row["setting"])
    return found.group(1) if found else None


# Which settings stand for a regime of the guide.
REGIMES = {
    "dependence": ("dependence", lambda row: float(axis(row, "rho")) >= 0.5),
    "dimension": ("dimension", lambda row: int(axis(row, "d")) >= 25),
    "imbalance": ("imbalance", lambda row: axis(row, "ratio") == "0.1" and axis(row, "correction") == "on"),
    "small": ("sample-size", lambda row: axis(row, "train") == "200" and axis(row, "eval") == "200"),
}


def mean(values):
    return sum(values) / len(values)


def write_guide(runs):
    lines = ["# source: jsdiv bench", "regime,estimator,error_x100,oracle_x100,seconds"]
    for regime, (experiment, belongs) in REGIMES.items():
        rows = [row for row in summary(runs, experiment) if row["source"] == "jsdiv" and belongs(row)]
        for estimator in dict.fromkeys(row["family"] for row in rows):
            own = [row for row in rows if row["family"] == estimator]
            numbers = [mean([float(row[key]) for row in own]) for key in ("error_x100", "oracle_error_x100", "seconds")]
            lines.append(",".join([regime, estimator, *(f"{number:.4g}" for number in numbers)]))
    (ROOT / "experiments/guide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def best_table(runs):
    """For each setting: the best published family, our auto, our best family of the published five, the oracle."""
    text = (
        "| experiment | setting | true JSD | published best | of jsdiv's published five | auto | oracle |\n"
        "|---|---|--:|--:|--:|--:|--:|\n"
    )
    wins = places = 0
    for experiment in CONTROLLED:
        rows = summary(runs, experiment)
        for setting in dict.fromkeys(row["setting"] for row in rows):
            if axis({"setting": setting}, "correction") == "off":
                continue
            here = {(row["source"], row["family"]): row for row in rows if row["setting"] == setting}
            error = {key: float(row["error_x100"]) for key, row in here.items() if row["error_x100"]}
            files = {family: error["files", family] for family in PUBLISHED if ("files", family) in error}
            ours = {family: error["jsdiv", family] for family in PUBLISHED if ("jsdiv", family) in error}
            if ("jsdiv", "auto") not in error or not files or not ours:
                continue
            own = here["jsdiv", "auto"]
            best, best_own = min(files, key=files.get), min(ours, key=ours.get)
            if float(own["reference_jsd"]) > 0.02:
                places += 1
                wins += error["jsdiv", "auto"] < files[best]
            text += (
                f"| {experiment} | {setting} | {float(own['reference_jsd']):.3f} | {files[best]:.2f} ({best}) | "
                f"{ours[best_own]:.2f} ({best_own}) | {error['jsdiv', 'auto']:.2f} | "
                f"{float(own['oracle_error_x100']):.2f} |\n"
            )
    return text + (
        f"\nMean absolute error ×100. Where the true divergence exceeds 0.02, `auto` is below the best published "
        f"family in {wins} of {places} settings.\n"
    )


def time_line(runs):
    """What the controlled part cost; nothing as long as a part of it is missing."""
    if not all(jobs(runs, experiment) for experiment in CONTROLLED):
        return ""
    seconds = sum(
        float(row["seconds"])
        for experiment in CONTROLLED
        for row in jobs(runs, experiment)
        if row["family"] in (*PUBLISHED, "auto")
    )
    published = sum(
        float(row["seconds"] or 0)
        for experiment in CONTROLLED
        for row in summary(runs, experiment)
        if row["source"] == "files" and row["family"] in PUBLISHED and row["family"] != "tabpfn"
    )
    return (
        f"The five published families and `auto` took {seconds / 60:.0f} core-minutes for all seeds of the controlled "
        f"experiments, {seconds / 120:.0f} minutes on two cores. The published times of the five families for one seed "
        f"of the same settings add up to {published / 3600:.1f} hours on 32 cores and a GPU.\n"
    )


def jobs(runs, experiment):
    path = runs / experiment / "results.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill(document, parts):
    path = ROOT / "docs" / document
    text = path.read_text(encoding="utf-8")
    for name, content in parts.items():
        pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.S)
        if not pattern.search(text):
            sys.exit(f"docs/{document} has no part '{name}'")
        text = pattern.sub(lambda match, content=content: f"{match[1]}\n{content.strip()}\n\n{match[2]}", text)
    path.write_text(text, encoding="utf-8")


def tables_of(runs, experiment):
    path = runs / experiment / "tables.md"
    return path.read_text(encoding="utf-8") if path.exists() else f"## {experiment}\n\nNot part of this run.\n"


def write_docs(runs, jsdiv):
    fill(
        "paper.md",
        {
            "best": best_table(runs) + "\n" + time_line(runs),
            **{experiment: tables_of(runs, experiment) for experiment in EXPERIMENTS},
        },
    )
    table = subprocess.run([jsdiv, "guide"], capture_output=True, text=True, check=True).stdout
    fill("guide.md", {"guide": table})


if __name__ == "__main__":
    if sys.argv[1] == "guide":
        write_guide(pathlib.Path(sys.argv[2]))
    else:
        write_docs(pathlib.Path(sys.argv[2]), sys.argv[3])
