"""Pages of the C interface, from the public headers: the first comment of each as text, its usage and declarations as code."""
import re
import textwrap

FIRST = re.compile(r"/\*(.*?)\*/\n", re.S)
GUARDS = re.compile(r'^#ifdef __cplusplus\n.*?^#endif\n|^#(?:ifndef|define) HOOKE_\w+_H\n|^#endif\n\Z', re.M | re.S)
NAMES = [r"^HK_API [^;]*?\b(hk_\w+)\(", r"^typedef enum (hk_\w+)", r"^typedef struct (hk_\w+)", r"^#define (HK_\w+)", r"^typedef [^;{]*?(\w+);"]


def comment_text(comment):
    """(text as Markdown, usage) of the first comment; the usage is indented by three spaces and more."""
    text, usage = [], []
    for line in comment.strip().splitlines():
        line = re.sub(r"^ ?\*? ?", "", line, count=1).rstrip() if line.startswith(" *") else line
        (usage if line.startswith("  ") else text).append(line)
    return "\n".join(text), textwrap.dedent("\n".join(usage))


def paragraphs(body):
    """Declarations that stand together: what is parted by empty lines outside of braces and comments."""
    group, depth, comment = [], 0, False
    for line in body.splitlines():
        if not line.strip() and not depth and not comment:
            if group:
                yield "\n".join(group)
            group = []
            continue
        group.append(line)
        comment = line.rfind("/*") > line.rfind("*/") or (comment and "*/" not in line)
        depth += line.count("{") - line.count("}")
    if group:
        yield "\n".join(group)


def page(header):
    text = header.read_text()
    first = FIRST.match(text)
    prose, usage = comment_text(first[1])
    body = GUARDS.sub("", text[first.end():])
    includes = re.findall(r"^#include <hooke/(\w+)\.h>", body, re.M)
    body = re.sub(r"^#include .*\n", "", body, flags=re.M)
    lines = [f"# {header.name}", "", prose.replace("<", "\\<").replace("*", "\\*").replace("_", "\\_"), ""]
    if includes:
        lines += ["Includes " + ", ".join(f"[{name}.h]({name}.md)" for name in includes) + ".", ""]
    if usage.strip():
        lines += ["## Usage", "", "```c", usage, "```", ""]
    for paragraph in paragraphs(body):
        names = [m for pattern in NAMES for m in re.findall(pattern, paragraph, re.M)]
        title = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
        lines += [f"## {title}" if title else "", "", "```c", paragraph, "```", ""]
    return "\n".join(lines)


def pages(root):
    return {header: (f"reference/c/{header.stem}.md", page(header)) for header in sorted((root / "include/hooke").glob("*.h"))}
