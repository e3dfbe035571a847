"""Makes the virtual environment of this example: grpcio, and stubs generated from proto/.

Prints the path of the environment's Python. Once it is made, it is made anew only when
requirements.txt or proto/ has changed.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parent
PROJECT = EXAMPLE.parents[2]
PROTO = PROJECT / "proto"
REQUIREMENTS = EXAMPLE / "requirements.txt"
ENVIRONMENT = PROJECT / "dist" / "python-client"
PYTHON = ENVIRONMENT / "bin" / "python"
SITE_PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'))"


def main() -> None:
    if sys.version_info < (3, 10):
        sys.exit(f"This example needs Python 3.10 or newer; {sys.executable} is {sys.version}.")
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    with open(f"{ENVIRONMENT}.lock", "w") as lock:
        # Two preparations at once would delete each other's files.
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = key()
        stamp = ENVIRONMENT / "stamp"
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            install_packages()
            generate_stubs()
            stamp.write_text(wanted)
    print(PYTHON)


def key() -> str:
    """Changes with everything that the environment is made from."""
    digest = hashlib.sha256(sys.version.encode())
    for file in [Path(__file__), REQUIREMENTS, *proto_files()]:
        digest.update(f"\n{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def install_packages() -> None:
    if find_spec("ensurepip"):
        venv.create(ENVIRONMENT, with_pip=True)
        pip: list[str | Path] = [PYTHON, "-m", "pip"]
    elif find_spec("pip"):
        venv.create(ENVIRONMENT)
        pip = [sys.executable, "-m", "pip", "--python", PYTHON]
    else:
        sys.exit("This Python has no pip: run `apt-get install python3-venv` on Debian or Ubuntu.")
    say("Installing grpcio")
    run([*pip, "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS])


def generate_stubs() -> None:
    say("Generating stubs from proto/")
    stubs = ENVIRONMENT / "stubs"
    stubs.mkdir()
    outputs = [f"--{kind}_out={stubs}" for kind in ("python", "pyi", "grpc_python")]
    run([PYTHON, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *outputs, *proto_files()])
    # Python puts the folders that such a file names on its search path.
    site_packages = subprocess.check_output([PYTHON, "-c", SITE_PACKAGES], text=True).strip()
    (Path(site_packages) / "toolgate-stubs.pth").write_text(f"{stubs}\n")


def proto_files() -> list[Path]:
    return sorted((PROTO / "toolgate").rglob("*.proto"))


def run(command: Sequence[str | Path]) -> None:
    # Standard output is for the path of the environment's Python only.
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        sys.exit("Failed: " + " ".join(map(str, command)))


def say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
