"""One small model of each kind that hooke solves, each a case: what a fault of files, signals or memory must not hurt."""
import re

SOLID = "materials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
PUSH = "sources: [{at: [1, 1], force: 1, direction: [0.3, -1], signal: {ricker: {frequency: 0.5}}}]\n"
PLATE = "mesh: {rectangle: {size: [4, 2], cells: [8, 4]}}\n"
TRACES = "outputs: {traces: [{name: rx, set: right}, {name: p, at: [[2.5, 0.5]], quantity: velocity}], field: {quantity: velocity, frames: 4}}\n"
END = "solve: {explicit: {end: 8}}\n"

ELASTIC = PLATE + SOLID + PUSH + "boundary: [{set: left, fix: [x, y]}]\ndamping: {mass: 0.01}\n" + TRACES + END
SPECTRAL = PLATE + "element: {order: 3}\n" + SOLID + PUSH + TRACES + END
LAYERS = (PLATE + "element: {order: 2}\n" + SOLID + "absorb: [{kind: pml, sets: left, thickness: 1}, {kind: stacey, sets: right}]\n"
          + PUSH.replace("[1, 1]", "[2, 1]") + TRACES + END)
DAMPED = PLATE + SOLID + "absorb: [{sets: [left], thickness: 1}, {kind: stacey, sets: right}]\n" + PUSH + TRACES + END
ACOUSTIC = (PLATE + "physics: acoustic\nelement: {order: 2}\nmaterials: {w: {density: 1, sound_speed: 1}}\n"
            "sources: [{at: [1, 1], volume_rate: 1, signal: {ricker: {frequency: 0.5}}}]\n"
            "outputs: {traces: [{name: rx, set: right, quantity: pressure}], field: {quantity: pressure, frames: 4}}\n" + END)
SHOTS = (PLATE + SOLID + "sources: [{set: top, force: 1, direction: [0, -1], signal: {ricker: {frequency: 0.5}}}]\n"
         "shots: {array: {set: top, each: node}}\noutputs: {field: {frames: 2, shots: [3, 1]}, traces: [{name: rx, set: right}]}\n"
         "solve: {explicit: {end: 8, shots_at_once: 3}}\n")
CRACKED = """\
mesh:
  blocks:
    points: {a: [0, 0], b: [1, 0], c: [2, 0], d: [0, 1], e: [1, 1], f: [2, 1]}
    edges: [{ends: [a, b], spline: [[0.5, 0.1]]}, {ends: [d, e], y: 1 + 0.1 * x * (1 - x)}, {ends: [b, c], arc: [1.5, -0.1]}]
    blocks: [{name: l, corners: [a, b, e, d], cells: [2, 3]}, {name: r, corners: [b, c, f, e], cells: [2, 3]}]
    sides: {fault: [[b, e]], left: [[a, d]], right: [[c, f]]}
crack: {sets: [fault], springs: {normal: 2, tangential: 1}}
materials: {m: {density: 1, young: 1, poisson: 0.3, damping: 0.1}}
sources: [{at: [0.5, 0.9], force: 1, direction: [0, -1], signal: {ricker: {frequency: 1}}}]
outputs: {traces: [{name: p, at: [[1.5, 0.5]]}, {name: rx, set: right}], field: {quantity: velocity, frames: 1}}
solve: {explicit: {end: 4}}
"""
STATIC = """\
mesh: {box: {size: [4, 1, 1], cells: [4, 2, 2]}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [0, 0, 0.01]}]
sources: [{gravity: [0, 0, -0.001]}]
outputs: {print: [{set: right, quantity: [displacement, reaction]}, {set: all, quantity: stress}], field: {quantity: strain}}
solve: {static: {}}
"""
HEAT = """\
mesh: {rectangle: {size: [2, 1], cells: [6, 4], shape: tri}}
physics: heat
materials: {m: {conductivity: {formula: "2 + x^2 * sin(pi * y) - max(x, -1) / 3"}}}
boundary: [{set: left, temperature: {formula: "300 + y"}}, {set: right, flux: {formula: "x * y"}}, {set: top, film: {coefficient: 3, sink: 290}}]
sources: [{set: all, heat: {formula: "exp(-x)"}}]
outputs: {print: [{set: left, quantity: [temperature, reaction], totals: yes}]}
solve: {heat: {}}
"""

EXPLICIT = {"elastic": ELASTIC, "spectral": SPECTRAL, "layers": LAYERS, "damped": DAMPED, "acoustic": ACOUSTIC,
            "shots": SHOTS, "cracked": CRACKED}
MODELS = {**EXPLICIT, "static": STATIC, "heat": HEAT}


def longer(text, times):
    """The same model for so many times as long."""
    return re.sub(r"end: (\d+)", lambda found: f"end: {int(found[1]) * times}", text)


def finer(text):
    """The same model with sixteen times the cells."""
    return text.replace("cells: [8, 4]", "cells: [32, 16]").replace("cells: [2, 3]", "cells: [8, 12]")
