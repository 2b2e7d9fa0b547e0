#!/usr/bin/env python3
"""Sets the pair model beside jsdiv's tuned random forest, on the same rows.

    evaluate.py FOLDER --jsdiv build/jsdiv [--seeds 10] [--train 200] [--eval 1000]

FOLDER is what train.py wrote to. Both families run through the binary by Algorithm 1 of the paper: the same training and
test rows, the forest with its search and calibration, the model with neither. Errors are of the raw estimate from the
true divergence, in hundredths of a bit.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import torch

from model import save_for_engine

SETTINGS = [("dependence", "--rho", 0), ("dependence", "--rho", 0.3), ("dependence", "--rho", 0.6), ("dependence", "--rho", 0.9),
            ("dimension", "--d", 2), ("dimension", "--d", 10)]


def run(*command):
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jsdiv", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--train", type=int, default=200, help="rows of each table that train")
    parser.add_argument("--eval", type=int, default=1000, help="rows of each table that test, and as many that calibrate")
    options = parser.parse_args()
    saved = torch.load(options.folder / "checkpoint.pt", weights_only=True)
    print(f"step {saved['step']}, {saved['seconds']:.0f} s of training")
    print("| setting | JSD | pfn: mean error | mean absolute | seconds | rf: mean error | mean absolute | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_for_engine(saved["parameters"], folder / "pfn.safetensors")
        families = {"pfn": ["--families", "tabpfn", "--tabpfn-weights", folder / "pfn.safetensors", "--tabpfn-preprocessing", "none"],
                    "rf": ["--families", "rf"]}
        for scenario, option, value in SETTINGS:
            errors, seconds, truths = {"pfn": [], "rf": []}, {"pfn": [], "rf": []}, []
            for seed in range(options.seeds):
                run(options.jsdiv, "simulate", scenario, option, value, "--n", options.train + 2 * options.eval, "--seed", seed,
                    "--out", folder / "pair", "--force")
                truths.append(json.loads((folder / "pair" / "truth.json").read_text())["jsd"])
                for family, choice in families.items():
                    result = json.loads(run(
                        options.jsdiv, "estimate", folder / "pair" / "p.csv", folder / "pair" / "q.csv", "--protocol", "paper",
                        "--train", options.train, "--eval", options.eval, "--seeds", 1, "--seed", seed, "--threads", 1,
                        "--json", "-", *choice))
                    errors[family].append(100 * (result["raw"] - truths[-1]))
                    seconds[family].append(result["families"][0]["seconds"])
            cells = [f"{np.mean(errors[f]):+.2f} | {np.mean(np.abs(errors[f])):.2f} | {np.mean(seconds[f]):.2f}" for f in families]
            print(f"| {scenario} {option[2:]} = {value} | {np.mean(truths):.3f} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
