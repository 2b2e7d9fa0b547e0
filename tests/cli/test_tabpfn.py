"""The family tabpfn through the real binary: parity with the package, the ways to run it, weights that cannot be used."""

import array
import ast
import csv
import json
import math
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import unittest
import zipfile

from harness import SHARED, CliTest, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "tabpfn"
TINY = GOLDEN / "tiny.safetensors"
BARE = ["--families", "tabpfn", "--tabpfn-members", 1, "--tabpfn-preprocessing", "none"]


def read_safetensors(path):
    """name -> (shape, numbers)"""
    raw = path.read_bytes()
    length, = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
    header.pop("__metadata__", None)
    return {name: (entry["shape"], array.array("f", data[slice(*entry["data_offsets"])])) for name, entry in header.items()}


def read_npz(path):
    """name -> (shape, numbers)"""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            length, = struct.unpack("<H", raw[8:10])
            header = ast.literal_eval(raw[10:10 + length].decode())
            kind = {"<f8": "d", "<f4": "f", "<i8": "q"}[header["descr"]]
            arrays[name.removesuffix(".npy")] = header["shape"], array.array(kind, raw[10 + length:])
    return arrays


def rows_of(shape, numbers):
    return [list(numbers[i * shape[1]:(i + 1) * shape[1]]) for i in range(shape[0])]


def as_csv(rows):
    names = ",".join(f"c{j}" for j in range(len(rows[0])))
    lines = (",".join("" if math.isnan(value) else repr(value) for value in row) for row in rows)
    return "\n".join([names, *lines]) + "\n"


def logit(probability):
    return math.log(probability) - math.log1p(-probability)


class ScoreTest(CliTest):
    """Runs `score` on training rows with labels: those of class 1 are P, those of class 0 are Q."""

    def posteriors(self, weights, train, labels, test, *options):
        p = self.write("p.csv", as_csv([row for row, label in zip(train, labels) if label == 1]))
        q = self.write("q.csv", as_csv([row for row, label in zip(train, labels) if label == 0]))
        x = self.write("x.csv", as_csv(test))
        out = self.folder / "out.csv"
        self.succeed("score", p, q, x, *BARE, "--tabpfn-weights", weights, "--out", out, "--force", *options)
        with out.open() as file:
            return [float(line["posterior"]) for line in csv.DictReader(file)]

    def assert_parity(self, weights, train, labels, test, logits):
        found = self.posteriors(weights, train, labels, test)
        self.assertEqual(len(found), len(logits))
        for posterior, (of_q, of_p) in zip(found, logits):
            self.assertAlmostEqual(logit(posterior), of_p - of_q, delta=1e-4)


class Parity(ScoreTest):
    """The bare forward pass equals PyPI's tabpfn, missing cells and unequal classes included."""

    def test_golden_cases(self):
        tensors = read_safetensors(GOLDEN / "cases.safetensors")
        names = sorted({name.split(".")[0] for name in tensors} - {"three_classes"})
        self.assertEqual(len(names), 9)
        for name in names:
            with self.subTest(name):
                train, test, logits = (rows_of(*tensors[f"{name}.{part}"]) for part in ("train", "test", "logits"))
                self.assert_parity(TINY, train, tensors[f"{name}.labels"][1], test, logits)

    def test_correction_is_made_on_request(self):
        tensors = read_safetensors(GOLDEN / "cases.safetensors")
        train, test = (rows_of(*tensors[f"imbalanced.{part}"]) for part in ("train", "test"))
        labels = tensors["imbalanced.labels"][1]
        ratio = labels.count(0) / labels.count(1)
        bare = self.posteriors(TINY, train, labels, test)
        corrected = self.posteriors(TINY, train, labels, test, "--correction", "on")
        for before, after in zip(bare, corrected):
            self.assertAlmostEqual(after, ratio * before / (1 + (ratio - 1) * before), delta=1e-9)

    @unittest.skipUnless((SHARED / "tabpfn" / "golden").is_dir(), "the cases kept outside the repository are not there")
    def test_shared_cases(self):
        cases = 0
        for model in ("tiny", "tiny_fpg1", "full"):
            weights = self.folder / f"{model}.safetensors"
            subprocess.run([sys.executable, ROOT / "tools" / "tabpfn_convert.py", SHARED / "tabpfn" / "ckpt" / f"{model}.ckpt",
                            weights], check=True, capture_output=True)
            for case in ("d1", "d2", "d3", "d30", "nan", "constcol", "huge", "imbalanced", "pq4000"):
                path = SHARED / "tabpfn" / "golden" / f"{model}_{case}.npz"
                if case == "pq4000" and (model != "full" or "JSDIV_SLOW_TESTS" not in os.environ):
                    continue
                with self.subTest(path.stem):
                    arrays = read_npz(path)
                    train, test, logits = (rows_of(*arrays[part]) for part in ("Xtr", "Xte", "logits"))
                    self.assert_parity(weights, train, arrays["ytr"][1], test, logits)
                    cases += 1
        self.assertGreaterEqual(cases, 24)

    @unittest.skipUnless((SHARED / "tabpfn" / "ckpt").is_dir(), "the checkpoints kept outside the repository are not there")
    def test_full_size_model_runs_without_python(self):
        weights = self.folder / "full.safetensors"
        subprocess.run([sys.executable, ROOT / "tools" / "tabpfn_convert.py", SHARED / "tabpfn" / "ckpt" / "full.ckpt", weights],
                       check=True, capture_output=True)
        p, q, _ = self.simulate("dependence", "--n", 80)
        for protocol in ("paper", "auto"):
            result = self.estimate(p, q, "--protocol", protocol, "--seeds", 1, "--tabpfn-weights", weights, *BARE,
                                   env={"PATH": ""})
            self.assertEqual([family["name"] for family in result["families"]], ["tabpfn"])
        self.succeed("score", p, q, p, *BARE, "--tabpfn-weights", weights, "--out", self.folder / "x.csv", env={"PATH": ""})


class Runs(CliTest):
    def test_auto_takes_it_into_the_stack(self):
        p, q, _ = self.simulate("missing", "--n", 150)
        fast = ["--families", "logreg,tabpfn"]
        result = self.estimate(p, q, *fast, "--tabpfn-weights", TINY)
        tabpfn = next(family for family in result["families"] if family["name"] == "tabpfn")
        self.assertEqual(tabpfn["hyperparameters"]["members"], 4)
        self.assertEqual(len(tabpfn["hyperparameters"]["weights_sha256"]), 64)
        mirrored = self.estimate(q, p, *fast, "--tabpfn-weights", TINY)
        self.assertEqual(result["jsd"], mirrored["jsd"])
        variable = self.estimate(p, q, *fast, env={"JSDIV_TABPFN_WEIGHTS": str(TINY)})
        self.assertEqual(result["jsd"], variable["jsd"])

    def test_auto_joins_by_itself_where_sizes_permit(self):
        others = ["--exclude-families", "lr-pol,rf,xgboost,mlp,gaussian,kernel"]
        for rows, joins in ((60, True), (1001, False)):
            p, q, _ = self.simulate("dependence", "--n", rows, name=str(rows))
            result = self.estimate(p, q, *others, "--tabpfn-weights", TINY)
            self.assertEqual("tabpfn" in [family["name"] for family in result["families"]], joins)
            codes = [warning["code"] for warning in result["warnings"]]
            self.assertEqual("family_left_out" in codes, not joins)
        without = self.estimate(p, q, *others)
        self.assertNotIn("family_left_out", [warning["code"] for warning in without["warnings"]])

    def test_more_rows_than_the_model_was_made_for(self):
        p, q, _ = self.simulate("dependence", "--n", 5200)
        x, _, _ = self.simulate("dependence", "--n", 20, "--seed", 1, name="new")
        out = self.folder / "scores.csv"
        done = self.succeed("score", p, q, x, *BARE, "--tabpfn-weights", TINY, "--out", out)
        self.assertIn("a random 10000 of 10400 rows", done.stderr)

    def test_categories_and_missing_cells(self):
        lines = [f"{i % 5 if i % 7 else ''},{'abc'[i % 3] if i % 4 else ''},{i % 2 == 0}" for i in range(90)]
        p = self.write("p.csv", "n,c,b\n" + "\n".join(lines) + "\n")
        q = self.write("q.csv", "n,c,b\n" + "\n".join(lines[::-1][:70]) + "\n")
        for protocol in ("paper", "auto"):
            result = self.estimate(p, q, "--protocol", protocol, "--seeds", 1, "--families", "tabpfn", "--tabpfn-weights", TINY)
            self.assertTrue(math.isfinite(result["raw"]))


class Refused(CliTest):
    def setUp(self):
        super().setUp()
        self.table = self.write("t.csv", "x,y\n" + "".join(f"{i % 7},{i * 37 % 11}\n" for i in range(60)))
        self.whole = TINY.read_bytes()
        self.header_bytes = struct.unpack("<Q", self.whole[:8])[0]

    def refuse_weights(self, content, *says):
        weights = content if isinstance(content, pathlib.Path) else self.write("bad.safetensors", content)
        out = self.folder / "out.csv"
        common = ["--families", "tabpfn", "--tabpfn-weights", weights]
        self.refuse("score", self.table, self.table, self.table, *common, "--out", out, says=[weights.name, *says])
        self.assertFalse(out.exists())
        self.refuse("estimate", self.table, self.table, *common, says=[weights.name, *says])
        self.refuse("estimate", self.table, self.table, *common, "--protocol", "paper", says=[weights.name, *says])

    def changed_header(self, change):
        header = json.loads(self.whole[8:8 + self.header_bytes])
        change(header)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + self.whole[8 + self.header_bytes:]

    def test_truncated(self):
        self.refuse_weights(self.whole[:4], "too short")
        self.refuse_weights(self.whole[:1000], "truncated")
        self.refuse_weights(self.whole[:-1], "truncated")
        self.refuse_weights(b"", "empty")

    def test_oversized(self):
        self.refuse_weights(self.whole + b"x", "after the last tensor")
        self.refuse_weights(struct.pack("<Q", 2**63) + self.whole[8:], "header length")
        huge = self.folder / "huge.safetensors"
        huge.write_bytes(self.whole)
        os.truncate(huge, 1 << 36)
        self.refuse_weights(huge, "after the last tensor")

    def test_foreign_files(self):
        self.refuse_weights(self.table, "not a safetensors file")
        self.refuse_weights(GOLDEN / "cases.safetensors", "not a converted TabPFN v2 classifier")
        self.refuse_weights(self.folder / "none.safetensors", "No such file")
        self.refuse_weights(self.folder, "not a regular file")

    def test_pickles(self):
        self.refuse_weights(GOLDEN / "tiny.ckpt", "pickled", "tabpfn_convert.py")
        for protocol in range(2, 6):
            self.refuse_weights(pickle.dumps({"a": 1}, protocol), "pickled")

    def test_wrong_shapes(self):
        def transposed(header):
            header["decoder_dict.standard.2.weight"]["shape"].reverse()

        def without_head(header):
            header["other"] = header.pop("decoder_dict.standard.2.bias")

        def other_width(header):
            header["__metadata__"]["emsize"] = "16"

        self.refuse_weights(self.changed_header(transposed), "decoder_dict.standard.2.weight", "shape")
        self.refuse_weights(self.changed_header(without_head), "missing")
        self.refuse_weights(self.changed_header(other_width), "shape")
        self.refuse_weights(self.whole[:-4] + struct.pack("<f", math.nan), "not finite")

    def test_more_columns_than_the_model_takes(self):
        names = ",".join(f"c{j}" for j in range(2001))
        rows = "".join(",".join(str((i * j) % 5) for j in range(2001)) + "\n" for i in range(8))
        wide = self.write("wide.csv", names + "\n" + rows)
        self.refuse("score", wide, wide, wide, *BARE, "--tabpfn-weights", TINY, "--out", self.folder / "o.csv",
                    says=["2001 columns", "2000", "--columns"])

    def test_members(self):
        common = ["estimate", self.table, self.table, "--families", "tabpfn", "--tabpfn-weights", TINY]
        self.refuse(*common, "--tabpfn-members", 3, says=["even"])
        self.refuse(*common, "--tabpfn-members", 1, says=["even"])
        self.refuse(*common, "--tabpfn-members", 4, "--tabpfn-preprocessing", "none", says=["one member"])

    def test_no_weights(self):
        done = run("estimate", self.table, self.table, "--families", "tabpfn", env={"JSDIV_TABPFN_WEIGHTS": ""})
        self.assertEqual(done.returncode, 2)
        for text in ("TabPFN-v2-clf", "Prior Labs License", "tabpfn_convert.py", "--tabpfn-weights"):
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
