#!/usr/bin/env python3
"""Converts an official TabPFN v2 classifier checkpoint into safetensors, which jsdiv reads.

    python3 tools/tabpfn_convert.py IN.ckpt OUT.safetensors [--force]

The checkpoint is a zip archive around a pickle. A pickle can run any code, so this reader admits ordered
dictionaries, tensors and plain values and nothing else; whatever else the file names makes it stop. It needs the
standard library only. The model's configuration goes into the metadata; the SHA-256 of the result is printed.
Exit code 2 with one line on stderr says what is wrong with the input.
"""

import argparse
import array
import collections
import hashlib
import io
import json
import math
import os
import pickle
import struct
import sys
import tempfile
import zipfile

MAX_PICKLE_BYTES = 16 << 20
MAX_DATA_BYTES = 4 << 30
STORAGES = {"FloatStorage": ("F32", "f", 4), "HalfStorage": ("F16", "H", 2)}
REQUIRED_SETTINGS = ("emsize", "nhead", "nlayers", "nhid_factor", "features_per_group", "max_num_classes")


class Refused(Exception):
    """The input cannot be used; the message is one line for the user."""


class StorageType:
    """Stands for a torch storage class inside the pickle; never an instance of one."""

    def __init__(self, name):
        self.dtype, self.typecode, self.item_bytes = STORAGES[name]


class Storage:
    def __init__(self, kind, values):
        self.kind, self.values = kind, values


class Tensor:
    def __init__(self, kind, shape, data):
        self.kind, self.shape, self.data = kind, shape, data


def is_size(value):
    return type(value) is int and value >= 0


def rebuild_tensor(storage, offset, shape, strides, *_ignored):
    """What the pickle calls torch._utils._rebuild_tensor_v2: a strided view of a storage, made contiguous."""
    if not isinstance(storage, Storage) or not is_size(offset):
        raise Refused("a tensor is built from something that is no storage")
    if not (isinstance(shape, tuple) and isinstance(strides, tuple) and len(shape) == len(strides) <= 8
            and all(map(is_size, shape)) and all(map(is_size, strides))):
        raise Refused("a tensor has a bad shape")
    count = math.prod(shape)
    last = offset + sum((length - 1) * stride for length, stride in zip(shape, strides)) if count else offset
    if count > len(storage.values) or last >= len(storage.values) + (count == 0):
        raise Refused("a tensor reaches beyond its storage")
    contiguous, step = True, 1
    for length, stride in reversed(list(zip(shape, strides))):
        contiguous &= length == 1 or stride == step
        step *= length
    if contiguous:
        data = storage.values[offset:offset + count]
    else:
        positions = [offset]
        for length, stride in zip(shape, strides):
            positions = [start + i * stride for start in positions for i in range(length)]
        data = array.array(storage.kind.typecode, (storage.values[position] for position in positions))
    return Tensor(storage.kind, list(shape), data)


class TensorUnpickler(pickle.Unpickler):
    """Knows ordered dictionaries, storages and the tensor builder; any other global ends the reading."""

    def __init__(self, pickled, read_storage):
        super().__init__(io.BytesIO(pickled))
        self.read_storage = read_storage
        self.storages = {}

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return rebuild_tensor
        if module == "torch" and name in STORAGES:
            return StorageType(name)
        raise Refused(f"the checkpoint names {module}.{name}, which is neither a tensor nor a plain value")

    def persistent_load(self, identity):
        if not (isinstance(identity, tuple) and len(identity) == 5 and identity[0] == "storage"
                and isinstance(identity[1], StorageType) and isinstance(identity[2], str)
                and is_size(identity[4])):
            raise Refused("the checkpoint refers to something that is no storage")
        _, kind, key, _, count = identity
        if key not in self.storages:
            raw = self.read_storage(key, count * kind.item_bytes)
            values = array.array(kind.typecode)
            values.frombytes(raw)
            if sys.byteorder == "big":
                values.byteswap()
            self.storages[key] = Storage(kind, values)
        if self.storages[key].kind.dtype != kind.dtype or len(self.storages[key].values) != count:
            raise Refused(f"storage '{key}' is described in two ways")
        return self.storages[key]


def read_entry(archive, name, limit):
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise Refused(f"the archive lacks '{name}': not a torch checkpoint") from None
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > limit:
        raise Refused(f"'{name}' in the archive is compressed or too large: not a torch checkpoint")
    return archive.read(info)


def read_checkpoint(path):
    """(state_dict, config) of a checkpoint file."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise Refused("not a zip archive, so not a checkpoint written by torch.save")
        with zipfile.ZipFile(file) as archive:
            pickles = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith("/data.pkl")]
            if len(pickles) != 1:
                raise Refused("the archive has no single data.pkl: not a torch checkpoint")
            root = pickles[0].split("/")[0]
            if f"{root}/byteorder" in archive.namelist() and read_entry(archive, f"{root}/byteorder", 16) != b"little":
                raise Refused("the numbers are not little-endian")

            def read_storage(key, size):
                raw = read_entry(archive, f"{root}/data/{key}", MAX_DATA_BYTES)
                if len(raw) != size:
                    raise Refused(f"storage '{key}' has {len(raw)} bytes instead of {size}")
                return raw

            checkpoint = TensorUnpickler(read_entry(archive, pickles[0], MAX_PICKLE_BYTES), read_storage).load()
    if not isinstance(checkpoint, dict):
        raise Refused("the checkpoint is no dictionary")
    if "architecture_name" in checkpoint:
        raise Refused("a checkpoint of TabPFN 2.5 or later; only the v2 classifier is supported")
    state, config = checkpoint.get("state_dict"), checkpoint.get("config")
    if not isinstance(state, dict) or not isinstance(config, dict):
        raise Refused("the checkpoint lacks state_dict or config: not a TabPFN v2 checkpoint")
    return state, config


def metadata_of(config):
    """The plain settings as text, which is all that safetensors metadata holds."""
    metadata = {"format": "tabpfn-v2-classifier"}
    for name, value in sorted((str(name), value) for name, value in config.items()):
        if isinstance(value, bool):
            metadata[name] = "true" if value else "false"
        elif isinstance(value, (int, float, str)):
            metadata[name] = str(value)
    missing = [name for name in REQUIRED_SETTINGS if name not in metadata]
    if missing:
        raise Refused(f"the configuration lacks '{missing[0]}': not a TabPFN v2 checkpoint")
    return metadata


def safetensors_bytes(state, config):
    header, chunks, position = {"__metadata__": metadata_of(config)}, [], 0
    for name, tensor in sorted(state.items(), key=lambda item: str(item[0])):
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise Refused(f"'{name}' in state_dict is no tensor")
        data = array.array(tensor.data.typecode, tensor.data)
        if sys.byteorder == "big":
            data.byteswap()
        raw = data.tobytes()
        header[name] = {"dtype": tensor.kind.dtype, "shape": tensor.shape,
                        "data_offsets": [position, position + len(raw)]}
        chunks.append(raw)
        position += len(raw)
    if "decoder_dict.standard.2.weight" not in header:
        raise Refused("no classification head in it: not a TabPFN v2 classifier")
    classes = header["decoder_dict.standard.2.weight"]["shape"][:1]
    if classes != [int(config["max_num_classes"])]:
        raise Refused("its head does not have max_num_classes outputs: a regressor, not a classifier")
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *chunks])


def write_whole(path, content, force):
    """The file appears complete or not at all."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".tabpfn_convert.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        if force:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)  # fails where `path` exists, even if it came up a moment ago
    except FileExistsError:
        raise Refused(f"{path} exists; --force overwrites it") from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def convert(source, target, force=False):
    """Writes `target` and returns its SHA-256."""
    if not force and os.path.lexists(target):
        raise Refused(f"{target} exists; --force overwrites it")
    try:
        content = safetensors_bytes(*read_checkpoint(source))
    except Refused as refusal:
        raise Refused(f"{source}: {refusal}") from None
    except (pickle.UnpicklingError, zipfile.BadZipFile, EOFError, ValueError, TypeError, KeyError, IndexError,
            AttributeError, NotImplementedError, RuntimeError, OverflowError, MemoryError, struct.error) as error:
        detail = " ".join(str(error).split())
        raise Refused(f"{source}: broken checkpoint: {type(error).__name__}: {detail}") from None
    write_whole(target, content, force)
    return hashlib.sha256(content).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint", metavar="IN.ckpt")
    parser.add_argument("output", metavar="OUT.safetensors")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    arguments = parser.parse_args()
    try:
        digest = convert(arguments.checkpoint, arguments.output, arguments.force)
    except (Refused, OSError) as error:
        print(f"tabpfn_convert: {error}", file=sys.stderr)
        return 2
    print(f"{digest}  {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
