"""All inputs, each with the commands that read it."""

from measuring import Case
import commands
import files
import objects
import outputs
import texts


def script(name, text, commands_of_it=commands.EVERY, start=250, most=1 << 22):
    """Rows of a script: text(n) is the script, and each command reads it from a file."""
    for command in commands_of_it:
        yield Case(name, command.name, command.on(text), start, most)


def cases(program):
    """Every row of the table. Some inputs are made by the program itself."""
    files.PROGRAM[0] = program
    for module in (texts, objects, outputs):
        for name, text, kind, *rest in module.SCRIPTS:
            yield from script(name, text, commands.KINDS[kind], *rest)
    for case in commands.OTHERS:
        yield case
