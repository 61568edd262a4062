"""How generated scenes are written: make_scenes.py, make_joint_scenes.py, make_rope_scenes.py."""
import json

REALTIME = {"kind": "realtime", "dt": 1 / 60}


def rounded(value, digits=6):
    """Numbers of a scene, short enough to be read."""
    if isinstance(value, float):
        value = round(value, digits) + 0.0
        return int(value) if value == int(value) and abs(value) < 1e6 else value
    if isinstance(value, dict):
        return {key: value if key == "dt" else rounded(value, digits) for key, value in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(entry, digits) for entry in value]
    return value


def text_of(scene):
    """One line a body, a joint and a rope: neither a line a number nor all in one."""
    lines = []
    for key, value in scene.items():
        if key in ("bodies", "joints", "ropes"):
            entries = ",\n    ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            lines.append(f'"{key}": [\n    {entries}\n  ]')
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def pair(a, b, restitution):
    return {"materials": [a, b], "restitution": restitution}


def scene_of(name, description, duration, stepper, materials, bodies, **more):
    return rounded({"$schema": "../docs/scene.schema.json", "visviva": 1, "name": name, "description": description,
                    "duration": duration, **more, "stepper": stepper, "materials": materials, "bodies": bodies})
