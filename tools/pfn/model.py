"""The pair model: the architecture of the TabPFN v2 classifier, small, with all columns of a row in one token.

Names and shapes of the parameters are those of the v2 checkpoint format, so that jsdiv's engine runs the model as it
is. B tasks at once, N context rows, M scored rows, T = 2 tokens a row (the columns', the target's), width E, H heads.
"""

import json
import struct

import torch
import torch.nn.functional as F

from prior import MAX_COLUMNS

CONFIG = dict(emsize=64, nhead=4, nlayers=5, nhid_factor=2, features_per_group=MAX_COLUMNS, max_num_classes=2, seed=0)


def initial_parameters(seed):
    width, heads, layers = CONFIG["emsize"], CONFIG["nhead"], CONFIG["nlayers"]
    head, hidden = width // heads, width * CONFIG["nhid_factor"]
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(shape, generator=generator) / shape[-1] ** 0.5

    parameters = {"encoder.5.layer.weight": draw(width, 2 * MAX_COLUMNS), "y_encoder.2.layer.weight": draw(width, 2),
                  "y_encoder.2.layer.bias": torch.zeros(width),
                  "feature_positional_embedding_embeddings.weight": 0.1 * draw(width, width // 4),
                  "feature_positional_embedding_embeddings.bias": torch.zeros(width)}
    for i in range(layers):
        name = f"transformer_encoder.layers.{i}"
        for attention in ("self_attn_between_features", "self_attn_between_items"):
            parameters[f"{name}.{attention}._w_qkv"] = draw(3, heads, head, width)
            parameters[f"{name}.{attention}._w_out"] = torch.zeros(heads, head, width)
        parameters[f"{name}.mlp.linear1.weight"] = draw(hidden, width)
        parameters[f"{name}.mlp.linear2.weight"] = torch.zeros(width, hidden)
    parameters["decoder_dict.standard.0.weight"] = draw(hidden, width)
    parameters["decoder_dict.standard.0.bias"] = torch.zeros(hidden)
    parameters["decoder_dict.standard.2.weight"] = torch.zeros(2, hidden)
    parameters["decoder_dict.standard.2.bias"] = torch.zeros(2)
    return {name: tensor.requires_grad_() for name, tensor in parameters.items()}


def normalised(x):
    return F.layer_norm(x, x.shape[-1:])


def project(x, weight):
    """[…, E] by [H, D, E] -> […, H, D]"""
    return (x @ weight.flatten(0, 1).T).unflatten(-1, weight.shape[:2])


def merge(x, weight):
    """[…, H, D] by [H, D, E] -> […, E]"""
    return x.flatten(-2) @ weight.flatten(0, 1)


def attend_between_features(state, qkv, out):
    """state [B, R, T, E]; T is so small that products of single numbers are quickest."""
    query, key, value = (project(state, weight) for weight in qkv)
    scores = (query.unsqueeze(3) * key.unsqueeze(2)).sum(-1) / query.shape[-1] ** 0.5  # [B, R, T, T, H]
    mixed = (scores.softmax(3).unsqueeze(-1) * value.unsqueeze(2)).sum(3)
    return merge(mixed, out)


def attend_between_items(state, context, qkv, out):
    """state [B, R, T, E]: context rows look at each other, scored rows at the keys and values of head 0."""
    by_column = state.transpose(1, 2).flatten(0, 1)
    query, key, value = (project(by_column, weight).transpose(1, 2) for weight in qkv)  # [B T, H, R, D]
    known = F.scaled_dot_product_attention(query[:, :, :context], key[:, :, :context], value[:, :, :context])
    asked = F.scaled_dot_product_attention(query[:, :, context:].flatten(1, 2).unsqueeze(1), key[:, :1, :context],
                                           value[:, :1, :context])
    asked = asked.squeeze(1).unflatten(1, (query.shape[1], -1))
    mixed = merge(torch.cat([known, asked], dim=2).transpose(1, 2), out)
    return mixed.unflatten(0, (state.shape[0], -1)).transpose(1, 2)


def log_odds(parameters, features, labels):
    """Log-odds of P for the scored rows. features [B, N + M, MAX_COLUMNS], labels [B, N] -> [B, M]"""
    batch, rows, _ = features.shape
    context = labels.shape[1]
    noise = torch.randn(1, CONFIG["emsize"] // 4, generator=torch.Generator().manual_seed(CONFIG["seed"]))
    position = F.linear(noise, parameters["feature_positional_embedding_embeddings.weight"],
                        parameters["feature_positional_embedding_embeddings.bias"])
    columns = features @ parameters["encoder.5.layer.weight"][:, :MAX_COLUMNS].T + position
    target = torch.zeros(batch, rows, 2)
    target[:, :context, 0] = labels
    target[:, context:, 0], target[:, context:, 1] = 1, -2
    target = F.linear(target, parameters["y_encoder.2.layer.weight"], parameters["y_encoder.2.layer.bias"])
    state = torch.stack([columns, target], dim=2)
    for i in range(CONFIG["nlayers"]):
        name = f"transformer_encoder.layers.{i}"
        state = normalised(state + attend_between_features(state, parameters[f"{name}.self_attn_between_features._w_qkv"],
                                                           parameters[f"{name}.self_attn_between_features._w_out"]))
        state = normalised(state + attend_between_items(state, context, parameters[f"{name}.self_attn_between_items._w_qkv"],
                                                        parameters[f"{name}.self_attn_between_items._w_out"]))
        hidden = F.gelu(state @ parameters[f"{name}.mlp.linear1.weight"].T)
        state = normalised(state + hidden @ parameters[f"{name}.mlp.linear2.weight"].T)
    hidden = F.gelu(F.linear(state[:, context:, 1], parameters["decoder_dict.standard.0.weight"],
                             parameters["decoder_dict.standard.0.bias"]))
    logits = F.linear(hidden, parameters["decoder_dict.standard.2.weight"], parameters["decoder_dict.standard.2.bias"])
    return logits[..., 1] - logits[..., 0]


def save_for_engine(parameters, path):
    """A safetensors file that jsdiv's engine reads."""
    header = {"__metadata__": {"format": "tabpfn-v2-classifier", **{key: str(value) for key, value in CONFIG.items()}}}
    position, chunks = 0, []
    for name, tensor in parameters.items():
        raw = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [position, position + len(raw)]}
        chunks.append(raw)
        position += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))
