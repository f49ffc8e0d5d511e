"""Pages of the Python package, from its docstrings; the package is read, not run.

What `__all__` of its _public.py names is documented: what comes from a module without underscore on a page of that module, the
rest on the package's own page."""
import ast
import re


def fenced(text):
    """Markdown of a docstring: its examples (>>>) become code."""
    lines, code = [], False
    for line in text.splitlines():
        example = line.lstrip().startswith(">>>") or (code and line.lstrip().startswith("..."))
        if example != code:
            lines.append("```python" if example else "```")
            if not example:
                lines.append("")
        code = example
        lines.append(line.lstrip() if example else line)
    return "\n".join(lines + ["```"] * code)


def call(name, arguments, answer=""):
    """The call in one line, or an argument per line where that is long."""
    line = f"{name}({arguments}){answer}"
    if len(line) <= 100:
        return line
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return "\n".join([f"{name}(", *(f"    {part.strip()}," for part in parts), f"){answer}"])


class Pages:
    def __init__(self, package):
        self.package, self.missing, self.trees = package, [], {}
        self.public = next((ast.literal_eval(node.value) for node in self.tree("_public").body
                            if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"), None)
        if self.public is None:
            raise SystemExit(f"{package}/_public.py: error: no __all__: it says what is documented")

    def tree(self, module):
        if module not in self.trees:
            self.trees[module] = ast.parse((self.package / f"{module}.py").read_text())
        return self.trees[module]

    def doc(self, node, name):
        text = ast.get_docstring(node)
        if not text:
            self.missing.append(name)
        return fenced(text or "")

    def modules(self):
        """{module: [public names that it defines]}, in the order of the imports."""
        found = {}
        for node in self.tree("_public").body:
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                names = [alias.name for alias in node.names if (alias.asname or alias.name) in self.public and not alias.name.startswith("_")]
                found.setdefault(node.module, []).extend(names)
        return found

    def function(self, node, owner=""):
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args)) if owner else ast.unparse(node.args)
        answer = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        name = f"{owner or 'hooke'}.{node.name}"
        shown = name + answer if "property" in marks else call(name, arguments, answer)
        heading = f"### {owner}.{node.name}" if owner else f"## {node.name}"
        return [heading, "", "```python", shown, "```", "",
                self.doc(node, f"{owner}.{node.name}".lstrip(".")), ""]

    def of_class(self, node):
        fields = [ast.unparse(item) for item in node.body if isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item.annotation)
                  and not item.target.id.startswith("_")]
        create = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
        lines = [f"## {node.name}", ""]
        if create:
            lines += ["```python", call(f"hooke.{node.name}", re.sub(r"^self(, )?", "", ast.unparse(create.args))), "```", ""]
        elif fields:
            lines += ["```python", f"hooke.{node.name}(", *(f"    {field}," for field in fields), ")", "```", ""]
        lines += [self.doc(node, node.name), ""]
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
                lines += self.function(item, node.name)
        return lines

    def names(self, module, names):
        lines = []
        for node in self.tree(module).body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                lines += self.function(node)
            if isinstance(node, ast.ClassDef) and node.name in names:
                lines += self.of_class(node)
        return lines

    def write(self):
        own, pages = [f"# {self.package.name}", "", self.doc(self.tree("__init__"), self.package.name), ""], {}
        for module, names in self.modules().items():
            if module.startswith("_"):
                own += self.names(module, names)
            elif names:
                title = f"{self.package.name}.{module}"
                text = [f"# {title}", "", self.doc(self.tree(module), title), "", *self.names(module, names)]
                pages[self.package / f"{module}.py"] = (f"reference/python/{title}.md", "\n".join(text))
        pages[self.package / "__init__.py"] = (f"reference/python/{self.package.name}.md", "\n".join(own))
        if self.missing:
            raise SystemExit(f"{self.package}: error: no docstring: {', '.join(self.missing)}")
        return pages


def pages(root):
    package = root / "python/hooke"
    return Pages(package).write() if (package / "__init__.py").exists() else {}
