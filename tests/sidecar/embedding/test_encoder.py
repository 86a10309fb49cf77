import subprocess
import sys


def test_importing_the_package_loads_none_of_the_libraries_that_run_a_model() -> None:
    code = (
        "import sys, quarry.embedding; "
        "print([name for name in ('model2vec', 'tokenizers', 'huggingface_hub') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_loading_the_bundled_model_imports_none_of_the_libraries_that_fetch_and_distil_one() -> None:
    code = (
        "import sys; from quarry.embedding import load_encoder; load_encoder().encode(['a note']); "
        "print([name for name in ('model2vec', 'huggingface_hub', 'joblib', 'tqdm') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
