#!/usr/bin/env python3
"""Makes the scenes whose places are computed: tools/make_scenes.py [FOLDER], by default scenes/.

billiard_break, bowling_strike, dominoes, hoop, loop, marbles: racks, curves and meshes. What they are to show is tested by
tests/sim/showcase_test.cpp. Machines, bridges and dolls are in make_joint_scenes.py; all other scenes are written by hand.
"""
import math
import random
import sys
from pathlib import Path

import make_joint_scenes
import make_rope_scenes
from scene_text import REALTIME, pair, scene_of, text_of


def billiard_break():
    """A pool table of nine feet without pockets. The cue ball has draw (back spin) and side spin."""
    r = 0.028575
    ball = {"kind": "sphere", "radius": r, "rolling_friction": 0.01 * r, "spinning_friction": 0.0005}
    length, width, rim = 2.54, 1.27, 0.037
    rail = lambda x, y, hx, hy: {"kind": "box", "half_extents": [hx, hy, rim / 2], "position": [x, y, rim / 2]}
    table = [
        {"name": "cloth", "type": "static", "material": "cloth", "shapes": [
            {"kind": "box", "half_extents": [length / 2 + 0.1, width / 2 + 0.1, 0.03], "position": [0, 0, -0.03]}]},
        {"name": "cushions", "type": "static", "material": "rubber", "shapes": [
            rail(0, width / 2 + 0.05, length / 2 + 0.1, 0.05), rail(0, -width / 2 - 0.05, length / 2 + 0.1, 0.05),
            rail(length / 2 + 0.05, 0, 0.05, width / 2), rail(-length / 2 - 0.05, 0, 0.05, width / 2)]}]
    balls = [{"prefab": "ball", "name": "cue ball", "position": [-length / 4, 0.004, r], "velocity": [8, 0, 0],
              "angular_velocity": [0, -180, 60]}]
    # Half a millimetre between balls, as a hand leaves them: of a rack without any gap one ball gets nearly all, since
    # impacts go from ball to ball and the sides of a rack are straight rows.
    gap = 2 * r + 6e-4
    hand = random.Random(1)
    for row in range(5):
        for place in range(row + 1):
            at = [length / 4 + row * gap * math.sqrt(3) / 2, (place - row / 2) * gap]
            balls.append({"prefab": "ball", "name": f"ball {len(balls)}",
                          "position": [at[0] + hand.uniform(-2.5e-4, 2.5e-4), at[1] + hand.uniform(-2.5e-4, 2.5e-4), r]})
    return scene_of(
        "billiard break", "A cue ball with back spin and side spin breaks a rack of fifteen", 6.0,
        {**REALTIME, "dt": 1 / 120, "margin": 0.005},
        {"phenolic": {"friction": 0.06, "restitution": 0.95},
         "cloth": {"friction": 0.2, "friction_rule": "maximum"}, "rubber": {"friction": 0.2, "friction_rule": "maximum"}},
        table + balls, material_pairs=[pair("phenolic", "cloth", 0.5), pair("phenolic", "rubber", 0.8)], prefabs={"ball": {"mass": 0.17, "material": "phenolic", "shapes": [ball]}})


# Height and radius of a pin [m], from its base up to its neck and on to its head.
PIN_BODY = [(0, 0.0258), (0.019, 0.0359), (0.057, 0.0497), (0.0857, 0.0576), (0.1143, 0.0606), (0.149, 0.058),
            (0.184, 0.0471), (0.219, 0.0313), (0.254, 0.0228)]
PIN_HEAD = [(0.254, 0.0228), (0.2985, 0.0238), (0.3429, 0.0323), (0.362, 0.028), (0.374, 0.018), (0.381, 0.006)]


def bowling_strike():
    """Ten pins of regulation size, a ball of 15 pounds on its way to the pocket between the first and third one."""
    turned = lambda profile: [[radius * math.cos(a), radius * math.sin(a), z] for z, radius in profile
                              for a in (k * math.pi / 8 for k in range(16))]
    pin = {"mass": 1.5, "material": "maple", "shapes": [{"kind": "hull", "points": turned(PIN_BODY)},
                                                        {"kind": "hull", "points": turned(PIN_HEAD)}]}
    r = 0.1085
    bodies = [
        {"name": "lane", "type": "static", "material": "lane", "shapes": [
            {"kind": "box", "half_extents": [1.7, 0.525, 0.05], "position": [-0.6, 0, -0.05]}]},
        {"name": "pit", "type": "static", "material": "curtain", "shapes": [
            {"kind": "box", "half_extents": [2.1, 0.9, 0.05], "position": [-0.2, 0, -0.2]},
            {"kind": "box", "half_extents": [0.03, 0.9, 0.35], "position": [1.93, 0, 0.1]},
            {"kind": "box", "half_extents": [1.2, 0.03, 0.15], "position": [0.7, 0.93, -0.1]},
            {"kind": "box", "half_extents": [1.2, 0.03, 0.15], "position": [0.7, -0.93, -0.1]}]},
        {"name": "ball", "mass": 6.8, "material": "urethane", "position": [-2.0, -0.21, r],
         "velocity": [8, 0.54, 0], "angular_velocity": [-0.54 / r, 8 / r, 0],
         "shapes": [{"kind": "sphere", "radius": r}]}]
    spacing = 0.3048
    for row in range(4):
        for place in range(row + 1):
            bodies.append({"prefab": "pin", "name": f"pin {len(bodies) - 2}",
                           "position": [row * spacing * math.sqrt(3) / 2, (row / 2 - place) * spacing, 0]})
    return scene_of(
        "bowling strike", "A bowling ball meets ten pins in the pocket", 3.0, REALTIME,
        {"maple": {"friction": 0.25, "restitution": 0.55}, "urethane": {"friction": 0.1, "restitution": 0.6},
         "lane": {"friction": 0.2}, "curtain": {"friction": 0.6}},
        bodies, material_pairs=[pair("maple", "lane", 0.3), pair("urethane", "lane", 0.1), pair("maple", "curtain", 0.1),
                                pair("urethane", "curtain", 0.05)], prefabs={"pin": pin})


def dominoes():
    """Dominoes along an S: two half circles. Each stands across the way; the first one is pushed."""
    half = [0.00375, 0.012, 0.024]
    radius, gap, count = 0.22, 0.0225, 60
    bodies = [{"name": "table", "type": "static", "material": "table",
               "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]}]
    turn = gap / radius
    for i in range(count):
        s = i * turn
        if s <= math.pi:  # left half, counter-clockwise about (0, r)
            x, y, heading = radius * math.sin(s), radius - radius * math.cos(s), s
        else:  # right half, clockwise about (0, 3r)
            x, y, heading = -radius * math.sin(s - math.pi), 3 * radius - radius * math.cos(s - math.pi), 2 * math.pi - s
        body = {"prefab": "domino", "name": f"domino {i + 1}", "position": [x, y, half[2]],
                "rotation": {"axis": [0, 0, 1], "angle": heading}}
        if i == 0:
            # About its lower front edge, so that the edge stays: v = ω × (centre − edge).
            spin = 6.0
            body["angular_velocity"] = [0, spin, 0]
            body["velocity"] = [spin * half[2], 0, spin * half[0]]
        bodies.append(body)
    return scene_of(
        "dominoes", "Sixty dominoes along an S; the first one is pushed", 3.0,
        {**REALTIME, "dt": 1 / 120, "margin": 0.002},
        {"ivory": {"friction": 0.2, "restitution": 0.3}, "table": {"friction": 0.5, "restitution": 0.2}}, bodies,
        prefabs={"domino": {"density": 1200, "material": "ivory", "shapes": [{"kind": "box", "half_extents": half}]}})


def ring_mesh(outer, inner, half_width, count):
    """A closed ring about y."""
    vertices, triangles = [], []
    for k in range(count):
        a = 2 * math.pi * k / count
        for radius, y in ((outer, -half_width), (outer, half_width), (inner, half_width), (inner, -half_width)):
            vertices.append([radius * math.sin(a), y, radius * math.cos(a)])
    for k in range(count):
        here, there = 4 * k, 4 * ((k + 1) % count)
        for i in range(4):
            j = (i + 1) % 4
            triangles += [[here + i, there + j, here + j], [here + i, there + i, there + j]]
    return {"kind": "mesh", "vertices": vertices, "triangles": triangles}


def hoop():
    """Thrown forward with back spin. Its rim has 180 sides: rolling on it costs 1 - (1 + cos 2°)/2 of its spin a side."""
    bodies = [{"name": "floor", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]},
              {"name": "hoop", "density": 700, "position": [0, 0, 0.35], "velocity": [2.5, 0, 0],
               "angular_velocity": [0, -15, 0], "shapes": [ring_mesh(0.35, 0.325, 0.02, 180)]}]
    return scene_of(
        "hoop", "A hoop is thrown forward with back spin, slides, stops and rolls back", 5.0, {**REALTIME, "dt": 1 / 240},
        {"default": {"friction": 0.3, "restitution": 0}}, bodies)


def track(path, profile):
    """A mesh of one profile along a path of (place, forward, up): the profile has (sideways, up)."""
    vertices, triangles = [], []
    for place, forward, up in path:
        side = [up[1] * forward[2] - up[2] * forward[1], up[2] * forward[0] - up[0] * forward[2],
                up[0] * forward[1] - up[1] * forward[0]]
        for s, u in profile:
            vertices.append([place[i] + s * side[i] + u * up[i] for i in range(3)])
    n = len(profile)
    for k in range(len(path) - 1):
        for i in range(n - 1):
            a, b, c, d = n * k + i, n * k + i + 1, n * (k + 1) + i + 1, n * (k + 1) + i
            triangles += [[a, b, c], [a, c, d]]
    return {"kind": "mesh", "surface": "two-sided", "vertices": vertices, "triangles": triangles}


def loop_path(radius, drop, run_out, shift, count):
    """Down a slope of 45°, a bend, a flat piece, once round the loop, which moves sideways by `shift`, and out."""
    path = []

    def add(x, z, angle, y=0.0):  # angle of the way above the horizontal
        path.append(([x, y, z], [math.cos(angle), 0, math.sin(angle)], [-math.sin(angle), 0, math.cos(angle)]))

    bend, slope = 2 * radius, math.pi / 4
    bend_top = bend * (1 - math.cos(slope))
    flat = 0.3 * radius
    start = -flat - bend * math.sin(slope) - (drop - bend_top) / math.tan(slope)
    add(start, drop, -slope)
    steps = count // 4
    for k in range(steps + 1):
        a = slope * (1 - k / steps)
        add(-flat - bend * math.sin(a), bend * (1 - math.cos(a)), -a)
    for k in range(count + 1):
        s = k / count
        a = 2 * math.pi * s
        # Sideways with rest at both ends, so that the groove has no corner there.
        add(radius * math.sin(a), radius * (1 - math.cos(a)), a, shift * (s - math.sin(2 * math.pi * s) / (2 * math.pi)))
    add(run_out, 0, 0, shift)
    return path


def loop():
    radius, r = 0.25, 0.02
    groove = [(-0.032, 0.032), (0, 0), (0.032, 0.032)]
    way = loop_path(radius, 0.95, 1.0, 0.09, 240)
    seat = r * math.sqrt(2)  # of the ball's centre over the bottom of a groove of 45°
    release = 0.02
    slope = math.sqrt(0.5)
    start = [way[0][0][0] + release * slope - seat * -slope, 0, way[0][0][2] - release * slope + seat * slope]
    bodies = [{"name": "track", "type": "static", "shapes": [track(way, groove)]},
              {"name": "ball", "density": 7800, "position": start,
               "shapes": [{"kind": "sphere", "radius": r}]}]
    return scene_of(
        "loop", "A steel ball runs down a groove and through a loop", 1.8, {**REALTIME, "dt": 1 / 240, "margin": 0.005},
        {"default": {"friction": 0.5, "restitution": 0}}, bodies)


def marbles():
    """A tray of six by six hollows, z = a (2 + cos kx + cos ky) with a wall all around, as a mesh."""
    hollows, period, depth, samples, r = 6, 0.036, 0.003, 6, 0.008
    n = hollows * samples
    k = 2 * math.pi / period
    place = lambda i: (i - n / 2) * period / samples  # a ridge at both ends

    def height(i, j):
        if min(i, j) == 0 or max(i, j) == n:
            return 0.05
        x, y = place(i) + hollows * period / 2, place(j) + hollows * period / 2
        return depth * (2 + math.cos(k * x) + math.cos(k * y))

    vertices = [[place(i), place(j), height(i, j)] for j in range(n + 1) for i in range(n + 1)]
    triangles = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            triangles += [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    bodies = [
        {"name": "tray", "type": "static", "material": "wood",
         "shapes": [{"kind": "mesh", "surface": "one-sided", "vertices": vertices, "triangles": triangles}]},
        {"grid": [5, 5, 1], "spacing": 0.036, "jitter": {"position": [0.006, 0.006, 0.02], "velocity": 0.2},
         "body": {"name": "marble", "density": 2500, "material": "glass", "position": [-0.072, -0.072, 0.1],
                  "shapes": [{"kind": "sphere", "radius": r, "rolling_friction": 0.0002}]}}]
    return scene_of(
        "marbles", "Marbles fall on a tray, a mesh, and come to rest in its hollows", 4.0,
        {**REALTIME, "dt": 1 / 120, "margin": 0.003},
        {"glass": {"friction": 0.3, "restitution": 0.6}, "wood": {"friction": 0.4, "restitution": 0.5}}, bodies, seed=2)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "scenes"
    for make in (billiard_break, bowling_strike, dominoes, hoop, loop, marbles):
        (folder / f"{make.__name__}.json").write_text(text_of(make()), encoding="utf-8")
    make_joint_scenes.write(folder)
    make_rope_scenes.write(folder)


if __name__ == "__main__":
    main()
