#!/usr/bin/env python3
"""Peak memory of the TabPFN engine at the official model's widths, from models of few layers.

    memory.py --engine build/benchmarks/tabpfn/tabpfn_speed [--rows 10000] [--columns 50] [--layers 2 3] [--threads 1]

Random weights of the official sizes, but with fewer of their equal layers: a run of all 12 takes 12 times as long and
keeps, for each further layer, what one layer keeps. That is measured by the difference and carried on to 12.
"""

import argparse
import array
import json
import pathlib
import random
import struct
import subprocess
import tempfile

WIDTH, HEADS, FACTOR, GROUP, CLASSES, OFFICIAL_LAYERS = 192, 6, 4, 2, 10, 12


def shapes(layers):
    head, hidden = WIDTH // HEADS, FACTOR * WIDTH
    yield "encoder.5.layer.weight", [WIDTH, 2 * GROUP]
    yield "y_encoder.2.layer.weight", [WIDTH, 2]
    yield "y_encoder.2.layer.bias", [WIDTH]
    yield "feature_positional_embedding_embeddings.weight", [WIDTH, WIDTH // 4]
    yield "feature_positional_embedding_embeddings.bias", [WIDTH]
    for i in range(layers):
        for attention in ("self_attn_between_features", "self_attn_between_items"):
            yield f"transformer_encoder.layers.{i}.{attention}._w_qkv", [3, HEADS, head, WIDTH]
            yield f"transformer_encoder.layers.{i}.{attention}._w_out", [HEADS, head, WIDTH]
        yield f"transformer_encoder.layers.{i}.mlp.linear1.weight", [hidden, WIDTH]
        yield f"transformer_encoder.layers.{i}.mlp.linear2.weight", [WIDTH, hidden]
    yield "decoder_dict.standard.0.weight", [hidden, WIDTH]
    yield "decoder_dict.standard.0.bias", [hidden]
    yield "decoder_dict.standard.2.weight", [CLASSES, hidden]
    yield "decoder_dict.standard.2.bias", [CLASSES]


def write_weights(path, layers):
    draw = random.Random(layers)
    header = {"__metadata__": {"format": "tabpfn-v2-classifier", "emsize": str(WIDTH), "nhead": str(HEADS),
                               "nlayers": str(layers), "nhid_factor": str(FACTOR), "features_per_group": str(GROUP),
                               "max_num_classes": str(CLASSES)}}
    data = array.array("f")
    for name, shape in shapes(layers):
        count = 1
        for length in shape:
            count *= length
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [4 * len(data), 4 * (len(data) + count)]}
        data.extend(draw.uniform(-0.1, 0.1) for _ in range(count))
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", required=True, type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10000, help="training rows, and as many scored ones")
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--layers", type=int, nargs=2, default=[2, 3])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for layers in options.layers:
            weights = pathlib.Path(folder) / "weights.safetensors"
            write_weights(weights, layers)
            out = subprocess.run([options.engine, weights, *map(str, (options.rows, options.rows, options.columns, options.threads))],
                                 check=True, stdout=subprocess.PIPE, text=True)
            result = json.loads(out.stdout)
            peaks.append(result["peak_mib"])
            print(f"{layers:2d} layers: {result['peak_mib']:6.0f} MiB, {result['cpu_seconds']:.0f} s of CPU time", flush=True)
    each = (peaks[1] - peaks[0]) / (options.layers[1] - options.layers[0])
    print(f"{OFFICIAL_LAYERS:2d} layers: {peaks[1] + (OFFICIAL_LAYERS - options.layers[1]) * each:6.0f} MiB, "
          f"by {each:.0f} MiB for each further layer")


if __name__ == "__main__":
    main()
