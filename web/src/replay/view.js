// The 3D view: scene, light, camera, picking. It draws only when something has changed.

import {
  AmbientLight, ArrowHelper, BackSide, Color, DirectionalLight, Group, HemisphereLight, Mesh, MeshBasicMaterial, PCFShadowMap,
  PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { kAsleepColour, kAwakeColour, scaleColour } from '../ui/colours.js';
import { cssColour, isDark } from '../ui/theme.js';
import { Bodies } from './bodies.js';
import { isMoving } from '../data/recording.js';
import { niceBelow } from '../plots/nice.js';
import { distanceToFit, extent, kineticSum, Scales, sceneOrigin } from './extent.js';
import { Overlays } from './overlays.js';
import { openGrid, Planes, readPlanes } from './planes.js';

const kFieldOfView = 38;
/** Above both, drawing takes a processor about a second, the shadows half of it. */
const kManyBodies = 1000;
const kManyTriangles = 150000;
/** Colours of the axes x, y, z: of the palette for bodies. */
export const kAxisColours = ['#d55e00', '#009e73', '#0072b2'];

function triangleCount({ shapes = [], meshes = [] }) {
  return shapes.reduce((sum, shape) => sum + (meshes[shape.mesh]?.triangles ?? 0), 0);
}

/** Whether WebGL is done by the processor. */
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class View {
  /**
   * Throws if the browser has no WebGL.
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('./player.js').Player} player
   * @param {HTMLElement} host
   */
  constructor(recording, player, host) {
    this.recording = recording;
    this.player = player;
    this.host = host;
    // Many bodies without a graphics card: leave out what costs most, so that the page opens at once.
    this.plain = recording.moving > kManyBodies && triangleCount(recording.header) > kManyTriangles && isSoftware();
    this.renderer = new WebGLRenderer({ antialias: !this.plain, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.scales = new Scales(recording);
    this.colourMode = 'body';
    this.selected = null;
    this.following = false;
    this.followPoint = null;
    this.gridSpacing = 1;
    this.frameListeners = new Set();
    this.pickListeners = new Set();
    this.pending = false;
    this.extent = extent(recording);
    /** Of the scene in the world; everything that is drawn is told from here. */
    this.origin = sceneOrigin(this.extent);
    for (const box of [this.extent.first, this.extent.all]) box.translate(this.origin.clone().negate());
    // A body that travels far is looked at from near; otherwise the whole motion is in the picture, as it is where the
    // motion has a stage: a track, a table.
    this.travels = !this.extent.staged && this.extent.allRadius > 5 * this.extent.firstRadius;
    this.home = this.travels ? this.extent.first : this.extent.all;
    this.homeRadius = this.travels ? this.extent.firstRadius : this.extent.allRadius;
    this.buildScene();
    this.buildCamera();
    this.bindPicking();
    host.append(this.canvas);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.refreshColours();
    this.bodies.update(player.time);
    this.resetCamera();
    player.listen((_, what) => what === 'time' && this.draw());
  }

  buildScene() {
    const { recording, extent: size } = this;
    this.scene = new Scene();
    this.bodies = new Bodies(recording, this.origin.toArray());
    this.bodies.update(recording.start);
    const planes = readPlanes(recording, this.bodies);
    this.planes = planes.length
      ? new Planes(planes, this.origin)
      : openGrid(new Vector3(0, 0, size.all.min.z), this.origin);
    this.overlays = new Overlays(recording, this.bodies, 0.45 * this.homeRadius);
    this.outline = new Group();
    this.axes = new Group();
    const length = niceBelow(0.35 * this.homeRadius);
    kAxisColours.forEach((colour, i) => {
      const direction = new Vector3().setComponent(i, 1);
      this.axes.add(new ArrowHelper(direction, new Vector3(), length, colour, 0.16 * length, 0.07 * length));
    });
    // Lines that lie in the floor would flicker with it.
    this.axes.position.copy(this.origin).negate();
    this.axes.position.z += 1e-3 * this.homeRadius;
    this.scene.add(this.bodies.group, this.planes.group, this.overlays.group, this.outline, this.axes);
    this.buildLights();
  }

  buildLights() {
    this.sky = new HemisphereLight('#ffffff', '#b9bec7', 1.5);
    this.sky.position.set(0, 0, 1);
    this.fill = new AmbientLight('#ffffff', 0.35);
    this.sun = new DirectionalLight('#ffffff', 2.2);
    this.sun.castShadow = !this.plain;
    // A coarse map and a wide filter: soft edges, and quick on machines without a graphics card.
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = 0.02;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.add(this.sky, this.fill, this.sun, this.sun.target);
  }

  buildCamera() {
    this.camera = new PerspectiveCamera(kFieldOfView, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = false;
    this.controls.addEventListener('change', () => this.draw());
  }

  /** Looks at everything from the front, a little from above. */
  resetCamera() {
    const azimuth = -1.05;
    const elevation = 0.32;
    const direction = new Vector3(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation));
    const distance = (this.travels ? 1.8 : 1.12) * distanceToFit(this.home, this.camera, direction);
    this.home.getCenter(this.controls.target);
    this.camera.position.copy(direction).multiplyScalar(distance).add(this.controls.target);
    this.followPoint = null;
    this.controls.update();
    if (this.following) this.follow();
    this.draw();
  }

  /**
   * @param {boolean} on whether the camera keeps to the selected body, or to the first that moves
   * @param {boolean} near whether it goes to where that body is well seen
   */
  setFollowing(on, near = true) {
    this.following = on;
    this.followPoint = null;
    if (on) {
      const target = this.lastPoint(this.followed());
      if (target) {
        const arm = this.camera.position.clone().sub(this.controls.target);
        if (near) arm.setLength(this.closeTo(this.followed(), arm.length()));
        this.controls.target.copy(target);
        this.camera.position.copy(target).add(arm);
      }
    }
    this.draw();
  }

  /** A distance near the given one at which a body fills a sixth of the picture or more, but does not overflow it. */
  closeTo(body, distance) {
    const { radius } = this.recording.bodies[body];
    if (!(radius > 0)) return distance;
    const fills = radius / Math.tan((this.camera.fov * Math.PI) / 360);
    return Math.min(Math.max(distance, 1.5 * fills), 6 * fills);
  }

  followed() {
    if (this.selected !== null) return this.selected;
    const first = this.recording.bodies.findIndex((body) => body.type === 'dynamic' && isMoving(body));
    return first >= 0 ? first : this.recording.bodies.findIndex(isMoving);
  }

  bodyPoint(body) {
    if (!(body >= 0)) return null;
    const { x } = this.recording.state(body, this.player.time);
    return x.every(Number.isFinite) ? new Vector3(...x).sub(this.origin) : null;
  }

  /** Where a body is, or was when that was last known. */
  lastPoint(body) {
    const place = body >= 0 ? this.recording.lastPlace(body, this.player.time) : null;
    return place && new Vector3(...place).sub(this.origin);
  }

  follow() {
    const point = this.lastPoint(this.followed());
    if (!point) return;
    if (this.followPoint) {
      const shift = point.clone().sub(this.followPoint);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    }
    this.followPoint = point;
  }

  /** Turns the camera about its target by angles [rad], or moves it nearer (factor < 1). */
  orbit(azimuth, elevation, factor = 1) {
    const arm = this.camera.position.clone().sub(this.controls.target);
    arm.applyAxisAngle(new Vector3(0, 0, 1), azimuth);
    const side = new Vector3(0, 0, 1).cross(arm).normalize();
    const polar = arm.angleTo(new Vector3(0, 0, 1));
    const turn = Math.min(Math.max(polar - elevation, 0.05), Math.PI - 0.05) - polar;
    arm.applyAxisAngle(side, turn).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.draw();
  }

  bindPicking() {
    let pressed = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      pressed = [event.clientX, event.clientY];
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
      const body = this.pickAt(event.clientX, event.clientY);
      for (const listener of this.pickListeners) listener(body);
    });
  }

  pickAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(at, this.camera);
    return this.bodies.pick(ray);
  }

  /** Where a body is on the page, for tests and labels; null if it is behind the camera. */
  screenOf(body) {
    const point = this.bodyPoint(body);
    if (!point) return null;
    this.camera.updateMatrixWorld();
    point.project(this.camera);
    if (point.z > 1) return null;
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((point.x + 1) / 2) * box.width, y: box.top + ((1 - point.y) / 2) * box.height };
  }

  /** @param {number | null} body */
  select(body) {
    this.selected = body;
    this.followPoint = null;
    this.outline.clear();
    if (body !== null) {
      this.outlineMaterial ??= new MeshBasicMaterial({ side: BackSide });
      this.outlineMaterial.color.set(cssColour('--accent'));
      for (const { geometry, scale } of this.bodies.ofBody[body]) {
        const mesh = new Mesh(geometry, this.outlineMaterial);
        mesh.userData.scale = scale;
        mesh.matrixAutoUpdate = false;
        mesh.frustumCulled = false;
        this.outline.add(mesh);
      }
      if (this.following) this.setFollowing(true);
    }
    this.draw();
  }

  setColourMode(mode) {
    this.colourMode = mode;
    this.colourBodies();
    this.draw();
  }

  colourBodies() {
    const { bodies, recording } = this;
    if (this.colourMode === 'body') {
      bodies.colourAll((body) => bodies.baseColours[body]);
      return;
    }
    if (this.colourMode === 'sleep') {
      const { time } = this.player;
      bodies.colourAll((body) => {
        if (recording.bodies[body].type !== 'dynamic') return bodies.baseColours[body];
        return recording.isAsleep(body, time) ? kAsleepColour : kAwakeColour;
      });
      return;
    }
    const bySpeed = this.colourMode === 'speed';
    const most = (bySpeed ? this.scales.fastest() : this.scales.mostEnergy()) || 1;
    bodies.colourAll((body) => {
      if (!isMoving(recording.bodies[body])) return bodies.baseColours[body];
      const state = recording.state(body, this.player.time);
      const value = bySpeed ? Math.hypot(...state.v) : kineticSum(recording, body, state);
      return scaleColour(value / most);
    });
  }

  setOverlay(name, on) {
    this.overlays.set(name, on);
    this.draw();
  }

  /** After a change of the theme. */
  refreshColours() {
    this.scene.background = new Color(cssColour('--sky'));
    this.planes.colours(cssColour('--floor'), cssColour('--floor-line'));
    const dark = isDark();
    this.sky.intensity = dark ? 1.0 : 1.55;
    this.sky.groundColor.set(dark ? '#30363f' : '#c3c8d0');
    this.sun.intensity = dark ? 1.9 : 2.1;
    this.overlays.colours({
      accent: cssColour('--accent'),
      ink: cssColour('--ink'),
      velocity: cssColour('--series-2'),
      spin: cssColour('--series-4'),
      contact: cssColour('--series-6'),
      joint: cssColour('--joint'),
      broken: cssColour('--broken'),
    });
    this.outlineMaterial?.color.set(cssColour('--accent'));
    this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Asks for a drawing with the next frame of the browser. */
  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.drawNow();
    });
  }

  drawNow() {
    const { player, camera, controls } = this;
    this.bodies.update(player.time);
    if (this.following) this.follow();
    if (this.colourMode !== 'body') this.colourBodies();
    const distance = camera.position.distanceTo(controls.target);
    camera.near = distance / 200;
    camera.far = Math.max(40 * distance, 4 * this.extent.allRadius + 4 * distance);
    camera.lookAt(controls.target);
    camera.updateProjectionMatrix();
    this.gridSpacing = niceBelow(distance / 9);
    this.planes.update(controls.target, distance, this.gridSpacing);
    this.overlays.update(player.time, player.speed, 0.0022 * distance, this.scales);
    this.placeOutline(distance);
    this.placeSun(distance);
    this.renderer.render(this.scene, camera);
    for (const listener of this.frameListeners) listener(this);
  }

  /** The rim of the selected body: its own shape, a little larger, seen from inside. */
  placeOutline(distance) {
    if (this.selected === null) return;
    const visible = this.bodies.finite[this.selected];
    for (const mesh of this.outline.children) {
      mesh.visible = visible;
      const box = mesh.geometry.boundingBox;
      const half = box.getSize(new Vector3()).multiplyScalar(0.5);
      const middle = box.getCenter(new Vector3());
      const rim = 0.0035 * distance;
      const { scale } = mesh.userData;
      const grow = new Vector3(...half.toArray().map((h) => (scale * h + rim) / Math.max(h, 1e-9)));
      mesh.matrix
        .makeScale(grow.x, grow.y, grow.z)
        .setPosition(middle.x * (scale - grow.x), middle.y * (scale - grow.y), middle.z * (scale - grow.z))
        .premultiply(this.bodies.matrices[this.selected]);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /** Shadows are as fine as their map over the part that is seen. */
  placeSun(distance) {
    const radius = Math.min(Math.max(1.05 * this.extent.allRadius, 1e-6), 0.9 * distance);
    const centre = radius < this.extent.allRadius ? this.controls.target : this.extent.all.getCenter(new Vector3());
    this.sun.target.position.copy(centre);
    this.sun.position.set(-0.45, -0.6, 1.25).normalize().multiplyScalar(3 * radius).add(centre);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -1.3 * radius;
    box.right = box.top = 1.3 * radius;
    box.near = 0.1 * radius;
    box.far = 7 * radius;
    this.sun.shadow.normalBias = 0.004 * radius;
    box.updateProjectionMatrix();
  }
}
