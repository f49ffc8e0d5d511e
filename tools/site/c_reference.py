"""Pages of the C interface, from the public headers: the first comment of each as text, its usage and declarations as code."""
import re

FIRST = re.compile(r"/\*(.*?)\*/\n", re.S)
GUARDS = re.compile(r'^#ifdef __cplusplus\n.*?^#endif\n|^#(?:ifndef|define) HOOKE_\w+_H\n|^#endif\n\Z', re.M | re.S)
NAMES = [r"^HK_API [^;]*?\b(hk_\w+)\(", r"^typedef enum (hk_\w+)", r"^typedef struct (hk_\w+)", r"^#define (HK_\w+)", r"^typedef [^;{]*?(\w+);"]


def comment_text(comment):
    """The first comment as Markdown; what is indented by three spaces and more is its usage."""
    lines, code = [], False
    for line in comment.strip().splitlines():
        line = re.sub(r"^ \* ?", "", line).rstrip()
        usage = line.startswith("  ") or (code and not line)
        if usage != code:
            lines.append("```c" if usage else "```")
        code = usage
        lines.append(line[2:] if usage else re.sub(r"(`[^`]*`)|([<*_])", lambda m: m[1] or f"\\{m[2]}", line))
    lines += ["```"] * code
    return re.sub(r"\n+```\n(?!$)", "\n```\n\n", "\n".join(lines))


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
    body = GUARDS.sub("", text[first.end():])
    includes = re.findall(r"^#include <hooke/(\w+)\.h>", body, re.M)
    body = re.sub(r"^#include .*\n", "", body, flags=re.M)
    lines = [f"# {header.name}", "", comment_text(first[1]), ""]
    if includes:
        lines += ["Includes " + ", ".join(f"[{name}.h]({name}.md)" for name in includes) + ".", ""]
    for paragraph in paragraphs(body):
        names = [m for pattern in NAMES for m in re.findall(pattern, paragraph, re.M)]
        title = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
        lines += [f"## {title}" if title else "", "", "```c", paragraph, "```", ""]
    return "\n".join(lines)


def pages(root):
    return {header: (f"reference/c/{header.stem}.md", page(header)) for header in sorted((root / "include/hooke").glob("*.h"))}
