"""Tests of tools/tabpfn_convert.py: convert_test.py TOOLS_DIR GOLDEN_DIR. Standard library only."""

import collections
import hashlib
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

GOLDEN = pathlib.Path(sys.argv.pop()).resolve()
TOOL = pathlib.Path(sys.argv.pop()).resolve() / "tabpfn_convert.py"
CHECKPOINT = GOLDEN / "tiny.ckpt"
sys.path.insert(0, str(TOOL.parent))

import tabpfn_convert  # noqa: E402


class FakeStorage:
    """Pickles as a reference to torch.FloatStorage would."""

    def __init__(self, key, count, kind="FloatStorage"):
        self.key, self.count, self.kind = key, count, kind


class FakeTensor:
    def __init__(self, storage, shape, stride=None, offset=0):
        self.arguments = (storage, offset, shape, stride or (1,) * len(shape), False, collections.OrderedDict())

    def __reduce__(self):
        return sys.modules["torch._utils"]._rebuild_tensor_v2, self.arguments


def install_fake_torch():
    torch, functions = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in ("FloatStorage", "LongStorage"):
        setattr(torch, name, type(name, (), {"__module__": "torch"}))

    def _rebuild_tensor_v2(*_):
        raise AssertionError

    _rebuild_tensor_v2.__module__ = "torch._utils"
    _rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
    functions._rebuild_tensor_v2 = _rebuild_tensor_v2
    torch._utils = functions
    sys.modules["torch"], sys.modules["torch._utils"] = torch, functions


install_fake_torch()


class FakePickler(pickle.Pickler):
    def persistent_id(self, thing):
        if isinstance(thing, FakeStorage):
            return ("storage", getattr(sys.modules["torch"], thing.kind), thing.key, "cpu", thing.count)
        return None


class RunsCode:
    def __reduce__(self):
        return os.system, ("touch ran",)


CONFIG = dict(emsize=8, nhead=2, nlayers=2, nhid_factor=2, features_per_group=2, max_num_classes=2)


class ConvertTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.output = self.path / "out.safetensors"

    def run_tool(self, source, *options):
        return subprocess.run([sys.executable, TOOL, source, self.output, *options], capture_output=True, text=True,
                              cwd=self.path)

    def checkpoint(self, content, storages=(("0", bytes(8)),), compression=zipfile.ZIP_STORED):
        buffer = io.BytesIO()
        FakePickler(buffer, protocol=2).dump(content)
        source = self.path / "in.ckpt"
        with zipfile.ZipFile(source, "w", compression) as archive:
            archive.writestr("any/data.pkl", buffer.getvalue())
            archive.writestr("any/byteorder", "little")
            for key, raw in storages:
                archive.writestr(f"any/data/{key}", raw)
        return source

    def model(self, tensor=None, **changes):
        head = tensor or FakeTensor(FakeStorage("0", 2), (2, 1))
        return {"state_dict": collections.OrderedDict({"decoder_dict.standard.2.weight": head}),
                "config": dict(CONFIG), **changes}

    def assert_refused(self, source, text):
        result = self.run_tool(source)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(text, result.stderr)
        self.assertFalse(self.output.exists())
        self.assertFalse(list(self.path.glob(".tabpfn_convert*")))

    def test_golden_checkpoint(self):
        result = self.run_tool(CHECKPOINT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.output.read_bytes(), (GOLDEN / "tiny.safetensors").read_bytes())
        self.assertTrue(result.stdout.startswith(hashlib.sha256(self.output.read_bytes()).hexdigest()))

    def test_small_valid_checkpoint(self):
        self.assertEqual(self.run_tool(self.checkpoint(self.model())).returncode, 0)

    def test_strided_tensor_becomes_contiguous(self):
        tensor = FakeTensor(FakeStorage("0", 4), (2, 2), (1, 2))
        raw = bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])
        self.assertEqual(self.run_tool(self.checkpoint(self.model(tensor), [("0", raw)])).returncode, 0)
        self.assertEqual(self.output.read_bytes()[-16::4], bytes([1, 3, 2, 4]))

    def test_existing_output_stays_without_force(self):
        self.output.write_text("mine")
        result = self.run_tool(CHECKPOINT)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--force", result.stderr)
        self.assertEqual(self.output.read_text(), "mine")
        self.assertEqual(self.run_tool(CHECKPOINT, "--force").returncode, 0)

    def test_output_that_comes_up_meanwhile_stays(self):
        def late_arrival(source):
            self.output.write_text("mine")
            return self.read_checkpoint(source)

        self.read_checkpoint = tabpfn_convert.read_checkpoint
        tabpfn_convert.read_checkpoint = late_arrival
        self.addCleanup(setattr, tabpfn_convert, "read_checkpoint", self.read_checkpoint)
        with self.assertRaisesRegex(tabpfn_convert.Refused, "--force"):
            tabpfn_convert.convert(str(CHECKPOINT), str(self.output))
        self.assertEqual(self.output.read_text(), "mine")
        self.assertEqual([path.name for path in self.path.iterdir()], [self.output.name])

    def test_code_is_never_run(self):
        self.assert_refused(self.checkpoint(self.model(extra=RunsCode())), "names posix.system")
        self.assertFalse((self.path / "ran").exists())

    def test_later_versions(self):
        self.assert_refused(self.checkpoint(self.model(architecture_name="base")), "2.5")

    def test_foreign_content(self):
        self.assert_refused(self.checkpoint([1, 2]), "no dictionary")
        self.assert_refused(self.checkpoint({"a": 1}), "lacks state_dict")
        self.assert_refused(self.checkpoint(self.model(config={})), "lacks 'emsize'")
        self.assert_refused(self.checkpoint(self.model(state_dict={"a": 1})), "no tensor")
        self.assert_refused(self.checkpoint(self.model(config={**CONFIG, "max_num_classes": 10})), "regressor")

    def test_bad_storages(self):
        self.assert_refused(self.checkpoint(self.model(), [("0", bytes(4))]), "bytes instead of")
        self.assert_refused(self.checkpoint(self.model(), []), "lacks")
        beyond = FakeTensor(FakeStorage("0", 2), (2, 1), offset=1)
        self.assert_refused(self.checkpoint(self.model(beyond)), "beyond its storage")
        whole_numbers = FakeTensor(FakeStorage("0", 1, "LongStorage"), (1,))
        self.assert_refused(self.checkpoint(self.model(whole_numbers)), "LongStorage")
        self.assert_refused(self.checkpoint(self.model(), compression=zipfile.ZIP_DEFLATED), "compressed")

    def test_foreign_files(self):
        for name, content in (("text", b"hello"), ("pickle", pickle.dumps({"a": 1})), ("empty", b"")):
            (self.path / name).write_bytes(content)
            self.assert_refused(self.path / name, "not a zip archive")
        with zipfile.ZipFile(self.path / "zip", "w") as archive:
            archive.writestr("readme", "hello")
        self.assert_refused(self.path / "zip", "no single data.pkl")
        self.assert_refused(self.path / "absent", "No such file")

    def test_broken_checkpoints(self):
        whole = CHECKPOINT.read_bytes()
        for size in range(1, len(whole), 211):
            (self.path / "cut").write_bytes(whole[:size])
            with self.assertRaises(tabpfn_convert.Refused):
                tabpfn_convert.convert(str(self.path / "cut"), str(self.output))
            self.assertFalse(self.output.exists())


if __name__ == "__main__":
    unittest.main()
