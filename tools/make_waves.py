#!/usr/bin/env python3
"""Draws docs/pictures/waves.png (README.md) and waves.webp (the site's front page): runs examples/inspection and draws its frames.

    .venv/bin/python tools/make_waves.py [MICROSECONDS OF waves.png]

Colours: vertical velocity, clipped at a sixth of its largest value, so that the echoes show beside the waves along the surface.
Needs the built command and library (half a minute)."""
import pathlib
import subprocess
import sys
import tempfile

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import hooke  # noqa: E402
from hooke import viz  # noqa: E402

PICTURES, STILL_BYTES, MOVING_BYTES = ROOT / "docs/pictures", 200_000, 1_500_000
BEGIN, END, FRAMES, WIDTH, COLOURS = 1.2, 9, 55, 760, "RdBu_r"


def outline(field, triangle):
    """Edges of the mesh that belong to one triangle: [edge][end][x, y]."""
    edges = np.sort(np.concatenate([triangle[:, [0, 1]], triangle[:, [1, 2]], triangle[:, [2, 0]]]), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    return field.points[edges[count == 1], :2]


def draw(field, of_frame, limit):
    """The frame's picture, without axes."""
    triangle, points = viz.triangles(field), field.points
    size = np.ptp(points[:, :2], axis=0)
    figure = plt.figure(figsize=(WIDTH / 100, WIDTH / 100 * size[1] / size[0]), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.tripcolor(points[:, 0], points[:, 1], triangle, of_frame["velocity"][:, 1], vmin=-limit, vmax=limit, cmap=COLOURS,
                 shading="gouraud", rasterized=True)
    ax.add_collection(matplotlib.collections.LineCollection(outline(field, triangle), colors="black", linewidths=1.2))
    ax.set(xlim=(points[:, 0].min(), points[:, 0].max()), ylim=(points[:, 1].min(), points[:, 1].max()))
    ax.set_axis_off()
    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    plt.close(figure)
    return image


def save(path, limit, image, **options):
    image.save(path, **options)
    if path.stat().st_size > limit:
        sys.exit(f"{path}: {path.stat().st_size} bytes, at most {limit}")
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def main():
    matplotlib.use("Agg")
    at = float(sys.argv[1]) if len(sys.argv) > 1 else 6.5
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "build/hooke", "run", ROOT / "examples/inspection/inspection.yaml", "--quiet", "--no-pictures",
                        f"--set=solve.explicit.end={END} us", f"--set=outputs.field.frames={FRAMES}", f"--output={folder}/run"],
                       check=True)
        field = hooke.open(f"{folder}/run").field
        frames = [frame for frame in field if frame.time >= BEGIN]
        limit = max(np.abs(frame["velocity"][:, 1]).max() for frame in frames) / 6
        images = [draw(field, frame, limit) for frame in frames]
        still = min(range(len(images)), key=lambda k: abs(frames[k].time - at))
    save(PICTURES / "waves.png", STILL_BYTES, images[still].quantize(256, kmeans=2, dither=Image.Dither.NONE), optimize=True)
    save(PICTURES / "waves.webp", MOVING_BYTES, images[0], save_all=True, append_images=images[1:], duration=90, loop=0, quality=60,
         method=6)


if __name__ == "__main__":
    main()
