"""`python -m frc` runs the program."""

import os
import sys

from frc import program


def main() -> None:
    try:
        path = program()
    except FileNotFoundError as error:
        sys.exit(f"frc: error: {error}; install frc-cli again")
    # The program takes the place of Python, so that signals and its status are its own.
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
