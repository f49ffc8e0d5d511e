"""Pages of the Python package, from its docstrings; the package is read, not run."""
import ast
import inspect


def signature(node):
    text = f"{node.name}({ast.unparse(node.args)})"
    return text + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def public(nodes, kinds):
    return [node for node in nodes if isinstance(node, kinds) and not node.name.startswith("_")]


def doc(node, missing, where):
    text = ast.get_docstring(node)
    if not text:
        missing.append(where)
    return inspect.cleandoc(text or "")


def function(node, level, owner, missing):
    plain = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list)
    shown = f"{owner}{node.name}" if plain else f"{owner}{signature(node)}"
    return [f"{'#' * level} {owner}{node.name}", "", "```python", shown, "```", "",
            doc(node, missing, f"{owner}{node.name}"), ""]


def page(path, title):
    tree, missing = ast.parse(path.read_text()), []
    lines = [f"# {title}", "", doc(tree, missing, title), ""]
    for node in public(tree.body, (ast.FunctionDef, ast.ClassDef)):
        if isinstance(node, ast.FunctionDef):
            lines += function(node, 2, "", missing)
            continue
        lines += [f"## {node.name}", "", doc(node, missing, node.name), ""]
        for method in public(node.body, ast.FunctionDef):
            lines += function(method, 3, f"{node.name}.", missing)
    if missing:
        raise SystemExit(f"{path}: error: no docstring: {', '.join(missing)}")
    return "\n".join(lines)


def pages(root):
    folder, found = root / "python/hooke", {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        if any(part.startswith("_") and part != "__init__" for part in parts):
            continue
        title = ".".join(part for part in parts if part != "__init__")
        found[path] = (f"reference/python/{title}.md", page(path, title))
    return found
