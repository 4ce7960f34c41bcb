"""The program frc, for Python: finds it beside Python, and runs it."""

import shutil
import sys
import sysconfig
from pathlib import Path


def program() -> str:
    """Returns the path of the program that was installed with this package.

    Raises FileNotFoundError if it was removed.
    """
    folders = [sysconfig.get_path("scripts"), Path(sys.executable).parent]
    # Of `pip install --user` and of `pip install --target`.
    folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    folders.append(Path(__file__).resolve().parent.parent / "bin")
    for folder in folders:
        path = Path(folder) / "frc"
        if path.is_file():
            return str(path)
    found = shutil.which("frc")
    if found is None:
        raise FileNotFoundError(f"there is no program frc in {', '.join(map(str, folders))}")
    return found
