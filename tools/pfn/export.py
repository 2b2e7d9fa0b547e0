#!/usr/bin/env python3
"""Writes the running mean of a checkpoint's stacking weights as the float16 file that is part of the library.

    export.py [--checkpoint tools/pfn/checkpoint.npz] [--out src/classify/pfn/weights.safetensors]
"""

import argparse
import json
import pathlib
import struct

import numpy as np

STACKING = ("mean/rows.", "mean/table.", "mean/head.")  # what src/classify/pfn/pfn_network.cpp computes
HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoint", type=pathlib.Path, default=HERE / "checkpoint.npz")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parents[1] / "src/classify/pfn/weights.safetensors")
    options = parser.parse_args()
    header, chunks, position = {}, [], 0
    with np.load(options.checkpoint) as saved:
        header["__metadata__"] = {"format": "pfn", "tasks_seen": str(int(saved["curve"][-1][1]))}
        for key in saved.files:
            if not key.startswith(STACKING):
                continue
            raw = saved[key].astype("<f2").tobytes()
            header[key.removeprefix("mean/")] = {"dtype": "F16", "shape": list(saved[key].shape),
                                                 "data_offsets": [position, position + len(raw)]}
            chunks.append(raw)
            position += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    options.out.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(chunks))


if __name__ == "__main__":
    main()
