"""What the accuracy campaign draws and what is published about it.

`published` is the mean absolute error (x100) of the best of the paper's six families at M = L = 2000 (200 where the
setting has 600 rows), over the published per-seed files; None where the paper has no such setting.
The groups are reported apart: `paper` are the paper's pairs; `small`, `ours` and `restricted` are pairs with known
densities that were looked at while the estimator was made; `null` are equal tables; `split` are real tables whose rows
are given to P and Q by known posteriors. PAIRS are real pairs of which nobody knows the truth.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Setting:
    name: str
    scenario: str
    options: tuple[str, ...] = ()
    rows: int = 6000
    group: str = "paper"
    published: float | None = None
    estimate_options: tuple[str, ...] = ()
    base: str = ""  # of the scenario split: a table of the data folder, or a scenario whose P serves


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two tables of the data folder; the interval from a tenth of the rows has to hold what all of them show."""

    name: str
    p: str
    q: str
    group: str = "pairs"
    fraction: float = 0.1


OURS = ("t-copula", "rings", "mixture", "discrete", "xor3", "missing", "lattice", "broken", "demo")
NO_QUADRATIC = ("--exclude-families", "gaussian,lr-pol")
NULL = ("--jsd", "0")
TABLES = {name: f"{name}/vae/real_data.csv" for name in ("adult", "intrusion")}
PAIRS = tuple(Pair(f"{table}, {maker}", f"{table}/{maker}/real_data.csv", f"{table}/{maker}/gen_data.csv")
              for table in TABLES for maker in ("vae", "ctgan"))

SETTINGS = (
    Setting("ρ = 0.3", "dependence", ("--rho", "0.3"), published=0.17),
    Setting("ρ = 0.6", "dependence", ("--rho", "0.6"), published=0.54),
    Setting("ρ = 0.9", "dependence", ("--rho", "0.9"), published=0.87),
    Setting("d = 2", "dimension", ("--d", "2"), published=0.52),
    Setting("d = 10", "dimension", ("--d", "10"), published=1.28),
    Setting("d = 25", "dimension", ("--d", "25"), published=3.16),
    Setting("d = 50", "dimension", ("--d", "50"), published=7.62),
    Setting("gap 0.7, ratio 0.1", "imbalance", ("--gap", "0.7", "--ratio", "0.1"), published=3.62),
    Setting("gap 1, ratio 0.5", "imbalance", ("--gap", "1", "--ratio", "0.5"), published=2.04),
    Setting("gmm2", "gmm2", published=1.17),
    Setting("gaussian10, 600 rows", "gaussian10", rows=600, published=2.07),
    Setting("gmm2, 600 rows", "gmm2", rows=600, published=3.74),
    Setting("ρ = 0.9, 200 rows", "dependence", ("--rho", "0.9"), rows=200, group="small"),
    Setting("ρ = 0.5, 200 rows", "dependence", ("--rho", "0.5"), rows=200, group="small"),
    Setting("ρ = 0.9, 20 rows", "dependence", ("--rho", "0.9"), rows=20, group="small"),
    Setting("ρ = 0.9, 60 rows", "dependence", ("--rho", "0.9"), rows=60, group="small"),
    Setting("d = 10, 60 rows", "dimension", ("--d", "10"), rows=60, group="small"),
    Setting("gmm2, 110 rows", "gmm2", rows=110, group="small"),
    Setting("d = 10, 200 rows", "dimension", ("--d", "10"), rows=200, group="small"),
    Setting("P = Q, 2000 rows", "dependence", ("--rho", "0"), rows=2000, group="null"),
    Setting("ρ = 0.2, 2000 rows", "dependence", ("--rho", "0.2"), rows=2000, group="null"),
    *(Setting(f"P = Q, d = {d}, {rows} rows", "random", (*NULL, "--d", str(d), "--ratio", "1"), rows, "null")
      for d in (2, 20, 50) for rows in (60, 200, 2000)),
    *(Setting(f"P = Q, d = {d}, {rows} and {rows // 10} rows", "random", (*NULL, "--d", str(d), "--ratio", "0.1"), rows, "null")
      for d in (2, 20) for rows in (600, 2000)),
    *(Setting(f"P = Q, mixed types, {rows} rows", "split", NULL, rows, "null", base="demo") for rows in (60, 200, 2000)),
    *(Setting(f"{name}, JSD {jsd}, {rows} rows", "split", ("--jsd", str(jsd)), rows, "split", base=table)
      for name, table in TABLES.items() for jsd in (0.05, 0.3, 0.5) for rows in (200, 2000)),
    *(Setting(name, name, rows=3000, group="ours") for name in OURS),
    *(Setting(f"{name} (no gaussian, lr-pol)", name, rows=3000, group="restricted", estimate_options=NO_QUADRATIC) for name in OURS),
)
