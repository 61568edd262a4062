"""Scenes of joints whose places are computed: gears, rails, a bridge, a doll, a clock, a car, a lift, a cradle.

Called by make_scenes.py. What they are to show is tested by tests/sim/joint_scenes_test.cpp (scenes/joints) and
tests/sim/joint_showcase_test.cpp.
"""
import math

from scene_text import REALTIME, scene_of, text_of

GRAVITY = 9.80665
ABOUT_X = {"axis": [1, 0, 0], "angle": math.pi / 2}  # takes the z of cylinders and gears to -y


def about_y(angle):
    return {"axis": [0, 1, 0], "angle": angle}


def box(half_extents, position=(0, 0, 0), **more):
    return {"kind": "box", "half_extents": half_extents, "position": position, **more}


def joint_of(kind, name, bodies, **more):
    return {"name": name, "kind": kind, "bodies": bodies, **more}


def gear_ring(teeth, module, half_width, phase, hole):
    """A toothed ring about y as a closed mesh; a tooth stands at `phase`, measured from x towards z. Teeth are as high as
    those of real gears: one module above the pitch circle, 1.2 below it."""
    pitch = teeth * module / 2
    # Of each tooth: angle in parts of the pitch, and radius, of its root, tip, tip, root.
    outline = [(-0.32, pitch - 1.2 * module), (-0.11, pitch + 0.95 * module), (0.11, pitch + 0.95 * module), (0.32, pitch - 1.2 * module)]
    turn = 2 * math.pi / teeth
    at = lambda angle, radius, y: [round(radius * math.cos(angle), 4), y, round(radius * math.sin(angle), 4)]
    vertices, triangles = [], []
    for y in (-half_width, half_width):  # front and back: four vertices a tooth, then one a tooth around the hole
        vertices += [at(phase + turn * (k + part), radius, y) for k in range(teeth) for part, radius in outline]
        vertices += [at(phase + turn * k, hole, y) for k in range(teeth)]
    n = 4 * teeth
    back = n + teeth
    for k in range(teeth):
        inner, next_inner = n + k, n + (k + 1) % teeth
        for i in range(4):
            near, far = 4 * k + i, (4 * k + i + 1) % n
            triangles += [[near, far, inner], [near + back, inner + back, far + back], [near, near + back, far + back], [near, far + back, far]]
        root = (4 * k + 4) % n
        triangles += [[root, next_inner, inner], [root + back, inner + back, next_inner + back],
                      [inner, next_inner, next_inner + back], [inner, next_inner + back, inner + back]]
    return {"kind": "mesh", "vertices": vertices, "triangles": triangles, "mask": 0}


def gear_shapes(teeth, module, half_width, phase=0.0, y=0.0, spokes=4):
    """Ring, hub and spokes about y, turned by `phase`; a small one is solid but for its arbor. They meet nothing."""
    pitch = teeth * module / 2
    hole = 0.72 * pitch if spokes else 0.25 * pitch
    ring = {**gear_ring(teeth, module, half_width, phase, hole), "position": [0, y, 0]}
    hub = {"kind": "cylinder", "radius": 0.26 * pitch, "half_length": 1.3 * half_width, "position": [0, y, 0], "rotation": ABOUT_X, "mask": 0}
    arms = []
    for k in range(spokes):
        angle = phase + 2 * math.pi * k / spokes
        arms.append(box([0.26 * pitch, 0.6 * half_width, 0.07 * pitch], [0.5 * pitch * math.cos(angle), y, 0.5 * pitch * math.sin(angle)],
                        rotation=about_y(-angle), mask=0))
    return [ring, hub] + arms


def meshing_phase(phase, teeth, other, angle=0.0):
    """The phase of a gear whose gap meets a tooth of the other: it lies at `angle` from it, as seen from x towards z."""
    # A point of the pitch circles at `angle` of A is at angle + pi of B. Both count teeth there; B is half a tooth off, and
    # runs the other way.
    part = (angle - phase) / (2 * math.pi / teeth)
    return angle + math.pi + (part + 0.5) * 2 * math.pi / other


def gear():
    """Three gears of 12, 24 and 18 teeth."""
    module, half_width = 0.025, 0.03
    counts, x, phase, at = [12, 24, 18], 0.0, 0.0, []
    for i, teeth in enumerate(counts):
        if i > 0:
            x += (counts[i - 1] + teeth) * module / 2
            phase = meshing_phase(phase, counts[i - 1], teeth)
        at.append((x, phase))
    names = ["pinion", "wheel", "third"]
    bodies = [{"name": name, "mass": 0.05 * teeth, "position": [x, 0, 0.5],
               "shapes": gear_shapes(teeth, module, half_width, phase, spokes=5 if teeth > 12 else 0)}
              for name, teeth, (x, phase) in zip(names, counts, at)]
    hinges = [joint_of("hinge", name, ["world", name], anchor=[x, 0, 0.5], axis=[0, 1, 0]) for name, (x, _) in zip(names, at)]
    hinges[0]["motor"] = {"kind": "velocity", "target_velocity": 6, "max_force": 0.5}
    hinges[2]["friction"] = 0.3
    gears = [joint_of("gear", f"{a} on {b}", [a, b], axis=[0, 1, 0], ratio=na / nb)
             for a, b, na, nb in (("pinion", "wheel", 12, 24), ("wheel", "third", 24, 18))]
    return scene_of("gear", "Three gears of 12, 24 and 18 teeth, a motor on the first and a brake on the last", 5, REALTIME, {}, bodies,
                    joints=hinges + gears)


def rack_and_pinion():
    """A pinion of 16 teeth on a rack that runs to its stop."""
    teeth, module, half_width = 16, 0.025, 0.03
    r, pitch = teeth * module / 2, math.pi * module
    rack_teeth = []
    for k in range(-14, 15):
        # A gap of the rack is below the tooth of the pinion that points down.
        x = (k + 0.5) * pitch
        points = [[x + sx * (0.32 if z < 0 else 0.11) * pitch, y, z] for sx in (-1, 1) for y in (-half_width, half_width)
                  for z in (-1.2 * module, 0.95 * module)]
        rack_teeth.append({"kind": "hull", "points": points, "mask": 0})
    rack = [box([1.15, half_width, 0.03], [0, 0, -1.2 * module - 0.03], mask=0)] + rack_teeth
    bodies = [{"name": "pinion", "mass": 1, "position": [0, 0, 0.6], "shapes": gear_shapes(teeth, module, half_width, -math.pi / 2)},
              {"name": "rack", "mass": 3, "position": [0, 0, 0.6 - r], "shapes": rack}]
    joints = [joint_of("hinge", "axle", ["world", "pinion"], anchor=[0, 0, 0.6], axis=[0, 1, 0],
                       motor={"kind": "velocity", "target_velocity": 2, "max_force": 5}),
              joint_of("slider", "guide", ["world", "rack"], axis=[1, 0, 0], limit=[-0.7, 0.7]),
              # Turned about +y, the teeth at the bottom go to -x.
              joint_of("rack_and_pinion", "teeth", ["pinion", "rack"], axes=[[0, 1, 0], [1, 0, 0]], ratio=-r)]
    return scene_of("rack and pinion", "A pinion with a motor drives a rack to its stop, and stalls there", 4, REALTIME, {}, bodies, joints=joints)


def point_on_path():
    """A bead on a wire that is a trefoil knot."""
    size, count = 0.35, 60
    curve = lambda t: [size * (math.sin(t) + 2 * math.sin(2 * t)), size * (math.cos(t) - 2 * math.cos(2 * t)), 0.6 - size * math.sin(3 * t)]
    path = [curve(2 * math.pi * k / count) for k in range(count)]
    wire = []
    for a, b in zip(path, path[1:] + path[:1]):
        d = [q - p for p, q in zip(a, b)]
        length = math.hypot(*d)
        angle = math.acos(d[2] / length)
        wire.append({"kind": "capsule", "radius": 0.015, "half_length": length / 2, "position": [(p + q) / 2 for p, q in zip(a, b)],
                     "rotation": {"axis": [-d[1], d[0], 0], "angle": angle}, "mask": 0})
    high = 15  # sin 3t = -1: the highest of its points
    ahead = [q - p for p, q in zip(path[high - 1], path[high + 1])]
    speed = [0.8 * c / math.hypot(*ahead) for c in ahead]
    bodies = [{"name": "wire", "type": "static", "shapes": wire},
              {"name": "bead", "mass": 0.5, "position": path[high], "velocity": speed, "shapes": [{"kind": "sphere", "radius": 0.07}]}]
    joints = [joint_of("point_on_path", "wire", ["world", "bead"], path=path, closed_path=True)]
    return scene_of("point on path", "A bead on a wire that is a knot: it runs all of it, faster where it is low", 8, REALTIME, {}, bodies, joints=joints)


def angular_lock():
    """A Ferris wheel whose gondolas stay upright."""
    R, count, hang = 1.0, 6, 0.12
    rim = [{"kind": "cylinder", "radius": 0.08, "half_length": 0.16, "rotation": ABOUT_X, "mask": 0}]
    for k in range(count):
        a, b = 2 * math.pi * k / count, 2 * math.pi * (k + 1) / count
        for y in (-0.13, 0.13):
            rim.append(box([R / 2, 0.012, 0.02], [R / 2 * math.cos(a), y, R / 2 * math.sin(a)], rotation=about_y(-a), mask=0))
            chord = R * math.sin(math.pi / count)
            rim.append(box([chord, 0.012, 0.02], [R * (math.cos(a) + math.cos(b)) / 2, y, R * (math.sin(a) + math.sin(b)) / 2],
                           rotation=about_y(math.pi / 2 - (a + b) / 2), mask=0))
    bodies = [{"name": "stand", "type": "static", "shapes": [
                  box([0.05, 0.03, 0.8], [s * 0.35, y, 0.7], rotation=about_y(-s * 0.45), mask=0) for s in (-1, 1) for y in (-0.22, 0.22)]},
              {"name": "wheel", "mass": 20, "position": [0, 0, 1.45], "shapes": rim}]
    joints = [joint_of("hinge", "axle", ["stand", "wheel"], anchor=[0, 0, 1.45], axis=[0, 1, 0],
                       motor={"kind": "velocity", "target_velocity": 1, "max_force": 60})]
    for k in range(count):
        a = 2 * math.pi * k / count
        at = [R * math.cos(a), 0, 1.45 + R * math.sin(a)]
        name = f"gondola {k + 1}"
        bodies.append({"name": name, "mass": 3, "position": [at[0], 0, at[2] - hang], "shapes": [
            box([0.14, 0.1, 0.02], [0, 0, -0.1], mask=0), box([0.02, 0.1, 0.07], [-0.12, 0, -0.03], mask=0),
            box([0.02, 0.1, 0.07], [0.12, 0, -0.03], mask=0), box([0.015, 0.015, 0.12], mask=0)]})
        joints.append(joint_of("ball", f"pin {k + 1}", ["wheel", name], anchor=at))
        joints.append(joint_of("angular_lock", f"upright {k + 1}", ["world", name]))
    return scene_of("angular lock", "A Ferris wheel: its gondolas are locked to the attitude of the world", 8, REALTIME, {}, bodies, joints=joints)


def bridge():
    """Planks on hinges from bank to bank, and a ball of a hundred times their mass."""
    planks, length, span, density = 60, 0.3, 17.7, 600
    # Each plank hangs as the sum of weights up to it says: tan(slope) = (i - 29.5) weight / H. H by the span.
    slopes = lambda H: [math.atan((i - (planks - 1) / 2) / H) for i in range(planks)]
    low, high = 1.0, 1e4
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if sum(length * math.cos(s) for s in slopes(middle)) < span else (low, middle)
    x, z, ends, bodies, joints = -span / 2, 0.0, [], [], []
    half = [length / 2 - 0.01, 0.9, 0.03]
    # Planks meet the ball, and not each other.
    shapes = [box(*at, category=2, mask=1) for at in ((half,), ([half[0], 0.05, 0.08], [0, -0.85, 0.11]), ([half[0], 0.05, 0.08], [0, 0.85, 0.11]))]
    plank_mass = density * 8 * (half[0] * 0.9 * 0.03 + 2 * half[0] * 0.05 * 0.08)
    for i, slope in enumerate(slopes(low)):
        ends.append([x, 0, z])
        bodies.append({"prefab": "plank", "name": f"plank {i + 1}", "position": [x + length / 2 * math.cos(slope), 0, z + length / 2 * math.sin(slope)],
                       "rotation": about_y(-slope)})
        x, z = x + length * math.cos(slope), z + length * math.sin(slope)
    ends.append([x, 0, z])
    for i, at in enumerate(ends):
        a, b = ("bank 1" if i == 0 else f"plank {i}"), ("bank 2" if i == planks else f"plank {i + 1}")
        joints.append(joint_of("hinge", f"strap {i + 1}", [a, b], anchor=at, axis=[0, 1, 0], friction=40, solver="direct"))
    radius = 0.5
    banks = [{"name": f"bank {k + 1}", "type": "static", "material": "stone", "shapes": [
        box([1.5, 1.3, 1.5], [s * (span / 2 + 1.5 + 0.01), 0, -1.5 + 0.03]),
        box([0.1, 0.1, 0.5], [s * (span / 2 + 0.15), -1.1, 0.53]), box([0.1, 0.1, 0.5], [s * (span / 2 + 0.15), 1.1, 0.53])]}
        for k, s in enumerate((-1, 1))]
    speed = 1.8
    ball = {"name": "ball", "mass": 100 * plank_mass, "material": "stone", "position": [-span / 2 - 1.2, 0, 0.03 + radius], "velocity": [speed, 0, 0],
            "angular_velocity": [0, speed / radius, 0],
            "shapes": [{"kind": "sphere", "radius": radius, "rolling_friction": 0.03, "spinning_friction": 0.02}]}
    return scene_of("bridge", "Sixty planks carry a ball of a hundred times their mass", 20, REALTIME,
                    {"wood": {"friction": 0.6}, "stone": {"friction": 0.6}}, banks + bodies + [ball],
                    prefabs={"plank": {"density": density, "material": "wood", "shapes": shapes}}, joints=joints)


def doll_parts():
    """Name, shape, height of its middle [m] above the feet, side; legs and arms hang along -z."""
    capsule = lambda radius, length: {"kind": "capsule", "radius": radius, "half_length": length / 2 - radius}
    rounded_box = lambda half, r=0.02: {"kind": "box", "half_extents": [h - r for h in half], "rounding": r}
    yield "pelvis", rounded_box([0.1, 0.16, 0.09], 0.05), [0, 0, 1.0]
    yield "chest", rounded_box([0.11, 0.18, 0.2], 0.07), [0, 0, 1.31]
    yield "head", {"kind": "ellipsoid", "semi_axes": [0.1, 0.085, 0.12]}, [0, 0, 1.66]
    for side, s in (("left", 1), ("right", -1)):
        yield f"{side} upper arm", capsule(0.045, 0.3), [0, s * 0.25, 1.31]
        yield f"{side} forearm", capsule(0.038, 0.27), [0, s * 0.25, 1.025]
        yield f"{side} hand", rounded_box([0.035, 0.022, 0.08], 0.015), [0, s * 0.25, 0.81]
        yield f"{side} thigh", capsule(0.07, 0.42), [0, s * 0.1, 0.72]
        yield f"{side} shin", capsule(0.052, 0.42), [0, s * 0.1, 0.3]
        yield f"{side} foot", rounded_box([0.13, 0.05, 0.04]), [0.05, s * 0.1, 0.045]


def doll_joints(up):
    """Joints at the places of a standing doll. Angles are about as far as people can; `axis` points away from the trunk, and
    the first of two swings is to the front and back."""
    def socket(name, a, b, at, axis, swing, twist):
        return joint_of("swing_twist", name, [a, b], anchor=up(at), axis=axis, axis2=[0, 1, 0], swing_limit=swing,
                        turn_z={"limit": [-twist, twist]}, solver="direct")

    def bend(name, a, b, at, limit):
        return joint_of("hinge", name, [a, b], anchor=up(at), axis=[0, 1, 0], limit=limit, friction=0.3, solver="direct")

    yield socket("waist", "pelvis", "chest", [0, 0, 1.1], [0, 0, 1], [0.6, 0.35], 0.5)
    yield socket("neck", "chest", "head", [0, 0, 1.53], [0, 0, 1], [0.6, 0.5], 0.8)
    for side, s in (("left", 1), ("right", -1)):
        name = lambda part: f"{side} {part}"
        yield socket(name("shoulder"), "chest", name("upper arm"), [0, s * 0.25, 1.45], [0, 0, -1], [1.6, 1.2], 0.7)
        yield bend(name("elbow"), name("upper arm"), name("forearm"), [0, s * 0.25, 1.16], [-2.3, 0])
        yield socket(name("wrist"), name("forearm"), name("hand"), [0, s * 0.25, 0.89], [0, 0, -1], [0.8, 0.4], 0.3)
        yield socket(name("hip"), "pelvis", name("thigh"), [0, s * 0.1, 0.93], [0, 0, -1], [1.1, 0.5], 0.4)
        yield bend(name("knee"), name("thigh"), name("shin"), [0, s * 0.1, 0.51], [0, 2.3])
        yield socket(name("ankle"), name("shin"), name("foot"), [0, s * 0.1, 0.09], [0, 0, -1], [0.6, 0.3], 0.2)


def ragdoll():
    """A doll stumbles at the top of stairs."""
    steps, rise, run = 9, 0.18, 0.3
    top = steps * rise
    up = lambda at: [at[0], at[1], at[2] + top]
    stairs = [box([1.0, 1.2, top / 2], [-0.7, 0, top / 2])]
    for k in range(1, steps):
        height = top - k * rise
        stairs.append(box([run / 2, 1.2, height / 2], [0.3 + (k - 0.5) * run, 0, height / 2]))
    bodies = [{"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1], "offset": 0}]},
              {"name": "stairs", "type": "static", "material": "stone", "shapes": stairs}]
    # Tips over its feet as a whole, and a little to the side.
    walk, tip = 0.8, 1.5
    for name, shape, at in doll_parts():
        bodies.append({"name": name, "material": "cloth", "position": up(at), "velocity": [walk + tip * at[2], 0.05 * at[2], 0],
                       "angular_velocity": [-0.05, tip, 0], "angular_damping": 0.5, "density": 1000, "shapes": [shape]})
    return scene_of("ragdoll", "A doll of fifteen bodies falls down stairs and comes to rest", 8, REALTIME,
                    {"cloth": {"friction": 0.6}, "stone": {"friction": 0.6}}, bodies, joints=list(doll_joints(up)))


def clock():
    """Sixty turns of the seconds hand are one of the minute hand, twelve of that are one of the hour hand. All are on one
    axis: modules of the four pairs are such that their axes are equally far apart."""
    distance, layer = 0.45, 0.05
    module = lambda a, b: 2 * distance / (a + b)
    # Name, turns for a turn of the seconds hand, where its axis is (angle from x towards z; None: the middle), gears: teeth of
    # it, of what it meshes with, and layer; hand: length, half width, layer.
    third, motion = math.radians(200), math.radians(-20)
    at = lambda angle: [0.0, 0.0] if angle is None else [distance * math.cos(angle), distance * math.sin(angle)]
    arbors = {"seconds": (None, [(10, 75, 0)], (0.78, 0.012, 5.4)), "third": (third, [(75, 10, 0), (10, 80, 1)], None),
              "minutes": (None, [(80, 10, 1), (12, 36, 2)], (0.74, 0.028, 4.6)), "motion": (motion, [(36, 12, 2), (10, 40, 3)], None),
              "hours": (None, [(40, 10, 3)], (0.5, 0.042, 3.8))}
    phases = {("seconds", 0): 0.0, ("minutes", 1): 0.0, ("minutes", 2): 0.0, ("hours", 3): 0.0}
    phases["third", 0] = meshing_phase(0.0, 10, 75, third)
    phases["third", 1] = meshing_phase(0.0, 80, 10, third)
    phases["motion", 2] = meshing_phase(0.0, 12, 36, motion)
    phases["motion", 3] = meshing_phase(0.0, 40, 10, motion)
    front = lambda level: -layer * level
    bodies, joints = [dial(front(6))], []
    for name, (angle, gears, hand) in arbors.items():
        x, z = at(angle)
        shapes = []
        for teeth, other, level in gears:
            shapes += gear_shapes(teeth, module(teeth, other), 0.014, phases[name, level], front(level), spokes=6 if teeth > 20 else 0)
        levels = [level for _, _, level in gears] + ([hand[2]] if hand else [])
        y = (front(min(levels)) + front(max(levels))) / 2
        shapes.append({"kind": "cylinder", "radius": 0.02, "half_length": abs(front(max(levels)) - y) + 0.02, "position": [0, y, 0],
                       "rotation": ABOUT_X, "mask": 0})
        if hand:
            length, half_width, level = hand
            shapes.append(box([half_width, 0.006, 0.6 * length], [0, front(level), 0.4 * length], mask=0))
        bodies.append({"name": name, "mass": 0.4, "position": [x, 0, z + 1.2], "shapes": shapes})
        joints.append(joint_of("hinge", name, ["world", name], anchor=[x, 0, z + 1.2], axis=[0, 1, 0], solver="direct"))
    joints[0]["motor"] = {"kind": "velocity", "target_velocity": 4 * math.pi, "max_force": 2}
    for a, b, na, nb in (("seconds", "third", 10, 75), ("third", "minutes", 10, 80), ("minutes", "motion", 12, 36), ("motion", "hours", 10, 40)):
        joints.append(joint_of("gear", f"{a} on {b}", [a, b], axis=[0, 1, 0], ratio=na / nb, solver="direct"))
    return scene_of("clock", "A clock at 120 times its speed: four pairs of gears between the seconds hand and the hour hand", 15, REALTIME, {},
                    bodies, joints=joints)


def dial(y):
    """Twelve marks around the hands."""
    marks = []
    for k in range(12):
        angle, half = 2 * math.pi * k / 12, (0.07 if k % 3 == 0 else 0.04)
        marks.append(box([half, 0.008, 0.02 if k % 3 == 0 else 0.012], [0.97 * math.cos(angle), y, 1.2 + 0.97 * math.sin(angle)],
                         rotation=about_y(-angle), mask=0))
    return {"name": "dial", "type": "static", "shapes": marks}


def car():
    """Springs by the mass that they carry: 1.5 Hz, a third of the critical damping."""
    wheelbase, track, radius, mass, wheel_mass = 2.6, 1.5, 0.34, 1000, 20
    stiffness = mass / 4 * (2 * math.pi * 1.5) ** 2
    damping = 2 * 0.35 * math.sqrt(stiffness * mass / 4)
    wheel_inertia = [wheel_mass * radius**2 / 4, wheel_mass * radius**2 / 2, wheel_mass * radius**2 / 4]
    sag = mass / 4 * GRAVITY / stiffness
    road = [box([22, 3, 0.2], [17, 0, -0.2])]
    # Bumps: three across the road, then six under the left and the right wheels by turns, then three again.
    bump = lambda x, y, half: {"kind": "cylinder", "radius": 0.5, "half_length": half, "position": [x, y, -0.42], "rotation": ABOUT_X}
    road += [bump(x, 0, 2) for x in (8, 10.5, 13)] + [bump(16 + 1.1 * k, 1 if k % 2 else -1, 0.9) for k in range(6)]
    road += [box([0.9, 2, 0.06], [26, 0, 0.0], rotation=about_y(-0.09)), box([0.9, 2, 0.06], [27.78, 0, 0.0], rotation=about_y(0.09))]
    bodies = [{"name": "road", "type": "static", "material": "rubber", "shapes": road},
              {"name": "chassis", "mass": mass, "inertia": [400, 1500, 1700], "position": [0, 0, radius + 0.2], "shapes": [
                  box([2.0, 0.62, 0.14], [0, 0, 0.08], rounding=0.04), box([0.9, 0.6, 0.24], [-0.25, 0, 0.46], rounding=0.06),
                  box([0.5, 0.85, 0.06], [0, 0, 0.0]), box([0.12, 0.85, 0.05], [2.0, 0, 0.02]), box([0.12, 0.85, 0.05], [-2.0, 0, 0.02])]}]
    joints = []
    for end, x in (("front", wheelbase / 2), ("rear", -wheelbase / 2)):
        for side, y in (("left", track / 2), ("right", -track / 2)):
            name = f"{end} {side}"
            bodies.append({"name": name, "mass": wheel_mass, "inertia": wheel_inertia, "material": "rubber", "position": [x, y, radius], "shapes": [
                # Round tyres touch along 4 cm: a wide one would hold against its steering.
                {"kind": "cylinder", "radius": radius - 0.08, "half_length": 0.02, "rounding": 0.08, "rotation": ABOUT_X},
                box([0.2, 0.02, 0.035], [0, math.copysign(0.1, y), 0], mask=0), box([0.035, 0.02, 0.2], [0, math.copysign(0.1, y), 0], mask=0)]})
            wheel = joint_of("wheel", name, ["chassis", name], axis=[0, 0, 1], axis2=[1, 0, 0], solver="direct",
                             move_z={"limit": [-0.12, 0.12],
                                     # Loaded, the suspension stands where the scene begins.
                                     "motor": {"kind": "spring", "stiffness": stiffness, "damping": damping, "target_position": -sag}})
            if end == "front":
                wheel["turn_z"] = {"limit": [-0.5, 0.5], "motor": {"kind": "position", "target_position": 0, "frequency": 12, "damping_ratio": 1}}
            else:
                wheel["turn_y"] = {"motor": {"kind": "velocity", "target_velocity": 5 / radius, "max_force": 350}}
            joints.append(wheel)
    return scene_of("car", "Four wheels on springs, steered in front and driven behind, over bumps", 9, REALTIME,
                    {"rubber": {"friction": 0.9}}, bodies, joints=joints)


def pulley_lift():
    """Cabin and counterweight on rails; a drum with a motor lifts the cabin by a rope of its own."""
    cabin_mass, weight_mass, drum_radius, way = 400, 600, 0.3, 5.0
    wall = lambda half, at: box(half, at)
    cabin = [wall([0.7, 0.7, 0.04], [0, 0, -0.96]), wall([0.7, 0.7, 0.04], [0, 0, 0.96]),
             *(wall([0.04, 0.04, 0.92], [x, y, 0]) for x in (-0.66, 0.66) for y in (-0.66, 0.66)),
             wall([0.7, 0.02, 0.3], [0, 0.68, -0.62])]
    tower = [box([0.05, 0.05, 4.4], [x, 0.95, 4.4]) for x in (-0.8, 0.8, 1.9)] + [box([1.6, 0.5, 0.06], [0.6, 0.5, 8.7])]
    sheave = lambda x: {"kind": "cylinder", "radius": 0.25, "half_length": 0.05, "position": [x, 0, 8.3], "rotation": ABOUT_X, "mask": 0}
    bodies = [{"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1], "offset": 0}]},
              {"name": "tower", "type": "static", "shapes": tower + [sheave(0.25), sheave(1.1)]},
              {"name": "cabin", "mass": cabin_mass, "position": [0, 0, 1.05], "shapes": cabin},
              {"name": "weight", "mass": weight_mass, "position": [1.35, 0, 6.3], "shapes": [box([0.25, 0.35, 0.5])]},
              {"name": "drum", "mass": 50, "position": [-1.6, 0, 0.6], "shapes": [
                  {"kind": "cylinder", "radius": drum_radius, "half_length": 0.25, "rotation": ABOUT_X, "mask": 0},
                  {"kind": "cylinder", "radius": drum_radius + 0.08, "half_length": 0.02, "position": [0, 0.27, 0], "rotation": ABOUT_X, "mask": 0},
                  {"kind": "cylinder", "radius": drum_radius + 0.08, "half_length": 0.02, "position": [0, -0.27, 0], "rotation": ABOUT_X, "mask": 0},
                  box([0.3, 0.02, 0.04], [0, -0.29, 0], mask=0)]},
              {"name": "crate", "density": 300, "position": [-0.2, -0.1, 0.37], "shapes": [box([0.28, 0.28, 0.24])]},
              {"name": "parcel", "density": 300, "position": [-0.2, -0.1, 0.77], "shapes": [box([0.18, 0.18, 0.14])]}]
    joints = [joint_of("slider", "cabin rail", ["world", "cabin"], axis=[0, 0, 1], limit=[0, way], solver="direct"),
              joint_of("slider", "weight rail", ["world", "weight"], axis=[0, 0, 1], solver="direct"),
              joint_of("pulley", "rope", ["cabin", "weight"], anchors=[[0, 0, 2.05], [1.35, 0, 6.8]], wheels=[[0, 0, 8.3], [1.35, 0, 8.3]]),
              joint_of("hinge", "drum", ["world", "drum"], anchor=[-1.6, 0, 0.6], axis=[0, 1, 0], solver="direct",
                       motor={"kind": "velocity", "target_velocity": 1 / drum_radius, "max_force": 600}),
              joint_of("rack_and_pinion", "drive", ["drum", "cabin"], axes=[[0, 1, 0], [0, 0, 1]], ratio=drum_radius, solver="direct")]
    return scene_of("pulley lift", "A lift: a drum raises the cabin, a counterweight over two wheels bears most of it", 8, REALTIME,
                    {}, bodies, joints=joints)


def newtons_cradle():
    """Five balls on two rods each, without loss."""
    r, height, spread, count = 0.05, 0.5, 0.25, 5
    gap = 2 * r + 2e-4
    bodies = [{"name": "frame", "type": "static", "shapes": [
        box([0.4, 0.012, 0.012], [0, s * spread, height + 0.15]) for s in (-1, 1)] + [
        box([0.012, 0.012, (height + 0.15) / 2], [x, s * spread, (height + 0.15) / 2]) for s in (-1, 1) for x in (-0.4, 0.4)]}]
    joints = []
    for i in range(count):
        x, lift = (i - (count - 1) / 2) * gap, (0.7 if i == 0 else 0.0)
        top = height + 0.15
        at = [x - height * math.sin(lift), 0, top - height * math.cos(lift)]
        bodies.append({"name": f"ball {i + 1}", "density": 7800, "material": "steel", "position": at, "shapes": [{"kind": "sphere", "radius": r}]})
        for s, side in ((-1, "near"), (1, "far")):
            joints.append(joint_of("distance", f"{side} rod {i + 1}", ["frame", f"ball {i + 1}"], anchors=[[x, s * spread, top], at], solver="direct"))
    return scene_of("newtons cradle", "Five balls on rods: one comes, one leaves", 10, {**REALTIME, "margin": 0.005, "sleeping": False},
                    {"steel": {"friction": 0, "restitution": 1}}, bodies, joints=joints)


def write(folder):
    for make in (ragdoll, bridge, pulley_lift, clock, car, newtons_cradle):
        (folder / f"{make.__name__}.json").write_text(text_of(make()), encoding="utf-8")
    (folder / "joints").mkdir(exist_ok=True)
    for make in (gear, rack_and_pinion, point_on_path, angular_lock):
        scene = {**make(), "$schema": "../../docs/scene.schema.json"}
        (folder / "joints" / f"{make.__name__}.json").write_text(text_of(scene), encoding="utf-8")
