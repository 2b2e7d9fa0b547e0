"""What takes a process of its own: Ctrl-C, memory, the time to import."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile

import pytest


def run(code, **keywords):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, **keywords)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_is_a_keyboard_interrupt_within_a_second():
    """One thread, and its own seconds: those of the clock depend on what else the machine does."""
    code = """
        import numpy as np, jsdiv, time
        x = np.random.default_rng(0).normal(size=(40000, 20))
        print("start", flush=True)
        try:
            jsdiv.estimate(x, x + 0.05, threads=1)
        except KeyboardInterrupt:
            print("stopped", flush=True)
            time.sleep(1)
        print(jsdiv.estimate(x[:100], x[100:200] + 1, families="gaussian").jsd > 0, flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "start\n"
    time.sleep(2)
    before = cpu_seconds(process.pid)
    os.kill(process.pid, signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    waited = cpu_seconds(process.pid) - before
    assert process.stdout.readline() == "True\n"
    assert process.wait() == 0
    assert waited < 1


@pytest.mark.parametrize("kind", ["numpy", "fortran", "pandas", "polars", "pyarrow"])
def test_a_million_rows_take_one_copy(kind):
    if kind not in ("numpy", "fortran"):
        pytest.importorskip(kind)
    done = run(
        f"""
        import numpy as np
        from jsdiv._tables import table_of
        def memory(what):
            with open("/proc/self/status") as status:
                return next(int(line.split()[1]) for line in status if line.startswith(what)) * 1024
        x = np.random.default_rng(0).normal(size=(1_000_000, 20))
        kind = {kind!r}
        if kind == "fortran":
            x = np.asfortranarray(x)
        if kind == "pandas":
            import pandas as pd
            x = pd.DataFrame(x)
        if kind == "polars":
            import polars as pl
            x = pl.DataFrame({{f"x{{j}}": x[:, j] for j in range(20)}})
        if kind == "pyarrow":
            import pyarrow as pa
            x = pa.table({{f"x{{j}}": x[:, j].copy() for j in range(20)}})
        with open("/proc/self/clear_refs", "w") as forget:
            forget.write("5")  # the peak begins anew
        before = memory("VmRSS")
        table = table_of(x, "P")
        print((memory("VmHWM") - before) / 160e6)
        """
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.5


def test_import_is_quick_and_light():
    code = "import numpy, time, sys; s = time.perf_counter(); import jsdiv; print(time.perf_counter() - s, len({'pandas', 'sklearn', 'polars', 'pyarrow', 'matplotlib', 'tqdm', 'scipy'} & set(sys.modules)))"  # noqa: E501
    seconds, heavy = zip(*(run(code).stdout.split() for _ in range(5)), strict=True)
    assert set(heavy) == {"0"}
    assert min(map(float, seconds)) < 0.2


def test_the_package_brings_its_libraries():
    """Nothing but what every Linux has is looked for outside the package."""
    import jsdiv._core

    needed = subprocess.run(["ldd", jsdiv._core.__file__], capture_output=True, text=True, check=True).stdout
    base = (
        "linux-vdso",
        "ld-linux",
        "libc.so",
        "libm.so",
        "libdl.so",
        "librt.so",
        "libpthread.so",
        "libstdc++",
        "libgcc_s",
    )
    folder = os.path.dirname(jsdiv._core.__file__)
    outside = [
        line for line in needed.splitlines()
        if folder not in line and not any(name in line for name in (*base, "libz.so"))
    ]  # fmt: skip
    assert outside == []


@pytest.mark.skipif(not os.environ.get("JSDIV_WHEEL"), reason="no wheel to look at (set JSDIV_WHEEL)")
def test_the_wheel_is_small():
    with zipfile.ZipFile(os.environ["JSDIV_WHEEL"]) as wheel:
        files = {info.filename: info.compress_size for info in wheel.infolist()}
    ours = sum(size for name, size in files.items() if "libxgboost" not in name)
    assert ours < 15_000_000
    assert {"jsdiv/py.typed", "jsdiv/_core.pyi", "jsdiv/_options.py"} <= set(files)
