"""List pytest tests whose bodies are still empty.

Usage: python list_unfilled.py PATH...

Each PATH is a test file or a directory that is searched for test_*.py and *_test.py.
A body is empty if it holds nothing but a docstring, pass, an ellipsis and calls of
pytest.skip or pytest.fail. Files are parsed and never imported.

Exit status: 0 if nothing is empty, 1 if something is, 2 if a path cannot be read or parsed.
"""

import ast
import sys
from pathlib import Path


def test_files(path: Path) -> list[Path]:
    """Return the test files at or below path, sorted."""
    if path.is_dir():
        return sorted({*path.rglob("test_*.py"), *path.rglob("*_test.py")})
    return [path]


def is_placeholder(statement: ast.stmt) -> bool:
    """Tell whether a statement does nothing towards a test."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Constant):
        return value.value is ... or isinstance(value.value, str)
    return isinstance(value, ast.Call) and ast.unparse(value.func) in {"pytest.skip", "pytest.fail"}


def unfilled(tree: ast.Module) -> list[tuple[int, str]]:
    """Return line and qualified name of the empty tests in a module."""
    found = []

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                visit(node.body, f"{prefix}{node.name}::")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if node.name.startswith("test") and all(map(is_placeholder, node.body)):
                    found.append((node.lineno, prefix + node.name))

    visit(tree.body, "")
    return found


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(__doc__)
        return 0 if arguments else 2
    status = 0
    for argument in arguments:
        for path in test_files(Path(argument)):
            try:
                tree = ast.parse(path.read_bytes(), filename=str(path))
            except (OSError, SyntaxError, ValueError) as error:
                print(f"{path}: {error}", file=sys.stderr)
                status = 2
                continue
            for line, name in unfilled(tree):
                print(f"{path}:{line}: {name}")
                status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
