"""Scenes of ropes whose places are computed: a bridge that is cut, a winch over a pulley.

Called by make_scenes.py. What they are to show is tested by tests/sim/rope_scenes_test.cpp.
"""
import math

from scene_text import REALTIME, scene_of, text_of


def hanging_nodes(span, length, count):
    """Nodes of equal links that hang between two points of one height: link i has the slope q (i - (count - 1)/2)."""
    link = length / count
    slopes = lambda q: [q * (i - (count - 1) / 2) for i in range(count)]
    low, high = 0.0, 10.0
    for _ in range(100):
        q = (low + high) / 2
        low, high = (q, high) if sum(link / math.hypot(1, k) for k in slopes(q)) > span else (low, q)
    nodes = [(0.0, 0.0)]
    for k in slopes(high):
        x, z = nodes[-1]
        nodes.append((x + link / math.hypot(1, k), z + link * k / math.hypot(1, k)))
    return nodes


def bridge():
    """Planks on three ropes, which are cut one after the other."""
    span, length, count, planks, height = 8.0, 8.4, 30, 9, 3.0
    nodes = hanging_nodes(span, length, count)
    bodies = [
        {"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1], "offset": 0}]},
        {"name": "banks", "type": "static", "shapes": [
            {"kind": "box", "half_extents": [0.6, 1, height / 2], "position": [s * (span / 2 + 0.7), 0, height / 2 - 0.1]} for s in (-1, 1)]}]
    held = []
    for i in range(planks):
        node = 3 * (i + 1)
        x, z = nodes[node]
        bodies.append({"name": f"plank {i + 1}", "density": 500, "material": "wood", "position": [x - span / 2, 0, height + z],
                       "shapes": [{"kind": "box", "half_extents": [0.36, 0.5, 0.03], "position": [0, 0, 0.06], "category": 2, "mask": 1}]})
        held.append({"at": node * length / count, "body": f"plank {i + 1}"})
    for i, plank in ((0, 3), (1, 5), (2, 7)):
        x, z = nodes[3 * plank]
        bodies.append({"name": f"crate {i + 1}", "mass": 40, "material": "wood", "position": [x - span / 2, 0.1 * (i - 1), height + z + 0.3],
                       "shapes": [{"kind": "box", "half_extents": [0.2, 0.2, 0.2]}]})
    ropes = []
    for name, y, time, at in (("left", 0.45, 3, 0.28), ("middle", 0, 9, 0.28), ("right", -0.45, 6, 0.28)):
        ropes.append({"name": name, "path": [[-span / 2, y, height], [span / 2, y, height]], "length": length, "segments": count,
                      "radius": 0.02, "mass_per_length": 1.2, "stretch_stiffness": 2e5, "stretch_damping": 2000, "bend_damping": 0.05, "linear_damping": 0.1, "category": 4, "mask": 1,
                      "attachments": [{"at": "start", "body": "banks"}, {"at": "end", "body": "banks"}] + held, "cuts": [{"time": time, "at": at}]})
    return scene_of("rope bridge", "Planks and crates on three ropes, which are cut one after the other", 12, REALTIME,
                    {"wood": {"friction": 0.5, "restitution": 0.1}}, bodies, ropes=ropes)


def winch():
    """A drum winds up a rope that goes over a pulley to a load."""
    drum, wheel, thick = 0.3, 0.25, 0.02
    D, P = (0.0, 0.8), (1.6, 3.0)
    big, small = drum + thick, wheel + thick
    dx, dz = P[0] - D[0], P[1] - D[1]
    apart = math.hypot(dx, dz)
    side = math.atan2(dz, dx) + math.acos((big - small) / apart)  # of the normal of the common tangent on the left
    arc = lambda c, r, a: [c[0] + r * math.cos(a), 0, c[1] + r * math.sin(a)]
    steps = 24
    path = [arc(D, big, side + 1.5 * (1 - k / steps)) for k in range(steps + 1)]
    path += [arc(P, small, side * (1 - k / steps)) for k in range(steps + 1)]
    bottom = [P[0] + small, 0, 0.4]
    path.append(bottom)
    turned = {"axis": [1, 0, 0], "angle": math.pi / 2}
    cylinder = lambda r, half: {"kind": "cylinder", "radius": r, "half_length": half, "rotation": turned}
    flanges = lambda r, half: [{"kind": "cylinder", "radius": r + 0.1, "half_length": 0.01, "rotation": turned, "position": [0, s * half, 0]} for s in (-1, 1)]
    bodies = [
        {"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1], "offset": 0}]},
        {"name": "drum", "density": 800, "material": "drum", "position": [D[0], 0, D[1]], "shapes": [cylinder(drum, 0.2)] + flanges(drum, 0.2)},
        {"name": "pulley", "density": 800, "material": "drum", "position": [P[0], 0, P[1]], "shapes": [cylinder(wheel, 0.06)] + flanges(wheel, 0.07)},
        {"name": "load", "mass": 20, "position": [bottom[0], 0, bottom[2] - 0.2], "shapes": [{"kind": "box", "half_extents": [0.2, 0.2, 0.2]}]}]
    joints = [
        {"name": "drum", "kind": "hinge", "bodies": ["world", "drum"], "anchor": [D[0], 0, D[1]], "axis": [0, 1, 0],
         "motor": {"kind": "velocity", "target_velocity": -0.8, "max_force": 500}},
        {"name": "pulley", "kind": "hinge", "bodies": ["world", "pulley"], "anchor": [P[0], 0, P[1]], "axis": [0, 1, 0]}]
    ropes = [{"name": "rope", "path": path, "segments": 72, "radius": thick, "mass_per_length": 1, "bend_damping": 0.02, "linear_damping": 0.2, "material": "rope",
              "attachments": [{"at": "start", "body": "drum"}, {"at": "end", "body": "load"}]}]
    return scene_of("winch", "A drum winds up a rope that goes over a pulley and lifts a load", 5, {**REALTIME, "substeps": 16},
                    {"drum": {"friction": 0.5, "restitution": 0}, "rope": {"friction": 0.5, "restitution": 0}}, bodies, joints=joints, ropes=ropes)


def write(folder):
    (folder / "ropes").mkdir(exist_ok=True)
    for make in (bridge, winch):
        scene = {**make(), "$schema": "../../docs/scene.schema.json"}
        (folder / "ropes" / f"{make.__name__}.json").write_text(text_of(scene), encoding="utf-8")
