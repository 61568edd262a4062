// The page of a run: replay on the left, what was recorded on the right.

import { isMoving, Recording } from '../data/recording.js';
import { ImpactPanel } from '../impacts/panel.js';
import { JointPanel } from '../joints/panel.js';
import { PlotPanel } from '../plots/panel.js';
import { Inspector } from '../replay/inspector.js';
import { axesLegend, colourLegend, contactsNote } from '../replay/legend.js';
import { kOverlays } from '../replay/overlays.js';
import { Player } from '../replay/player.js';
import { Transport } from '../replay/transport.js';
import { View } from '../replay/view.js';
import { chip, iconButton, segmented, tabs } from '../ui/controls.js';
import { el, shorten } from '../ui/dom.js';
import { count, number, plural } from '../ui/format.js';
import { bindKeys, helpDialog } from '../ui/keys.js';
import { pageHeader } from '../ui/page_header.js';
import { TableList } from '../ui/table_list.js';
import { onTheme, toggleTheme } from '../ui/theme.js';
import { bodyColour } from '../ui/colours.js';
import { kUnfinished, summaryPanel } from './summary.js';

class RunPage {
  /** @param {any} header @param {import('../data/decode.js').Arrays} arrays @param {HTMLElement} root */
  constructor(header, arrays, root) {
    this.recording = new Recording(header, arrays);
    this.player = new Player(this.recording.frameTime);
    this.selected = null;
    this.stage = el('div', { class: 'stage', tabindex: 0, role: 'application', 'aria-roledescription': '3D view', 'aria-label': '3D view of the bodies: drag or Shift and arrow keys to turn, plus and minus to zoom' });
    this.viewport = el('div', { class: 'viewport' }, this.stage);
    this.transport = new Transport(this.player, this.recording);
    this.plots = new PlotPanel(this.recording, this.player);
    this.impacts = new ImpactPanel(this.recording, this.player, () => this.showsImpacts());
    this.inspector = new Inspector(this.recording, this.player, { select: (body) => this.select(body), step: (by) => this.stepBody(by) });
    this.jointPanel = this.recording.joints.count ? new JointPanel(this.recording, this.player, (joint) => this.showJoint(joint)) : null;
    this.bodyList = this.makeBodyList();
    this.view = this.makeView();
    this.toolbar = this.makeToolbar();
    this.build(root);
    this.bind();
    if (this.jointPanel) this.overlays[kOverlays.findIndex(({ name }) => name === 'joints')].set(true);
    // A body that goes far away is followed from the start.
    if (this.view?.travels) this.setCamera('follow', false);
  }

  /** The 3D view, or a message where the browser has no WebGL; the rest of the page works all the same. */
  makeView() {
    try {
      const view = new View(this.recording, this.player, this.stage);
      view.pickListeners.add((body) => this.select(body));
      onTheme(() => view.refreshColours());
      this.legend = colourLegend(view, this.recording);
      this.viewport.append(this.legend.element, contactsNote(view), axesLegend(view));
      return view;
    } catch (error) {
      this.stage.append(el('p', { class: 'no-webgl', role: 'alert' }, 'The 3D view needs WebGL, which this browser does not offer. Plots, impacts and numbers work without it.'));
      this.viewError = error;
      return null;
    }
  }

  makeToolbar() {
    const noView = this.view ? null : 'needs WebGL';
    const { recording } = this;
    const noSleep = recording.hasSleep() ? null : recording.missing.sleep ?? 'the recording does not tell who sleeps';
    const noMass = recording.bodies.some((body) => body.mass > 0) ? null : 'no body has a mass';
    this.colour = segmented({
      label: 'Colour by', value: 'body', choose: (mode) => {
        this.view.setColourMode(mode);
        this.legend.show();
      },
      choices: [
        { value: 'body', label: 'Body', title: 'A colour for each body (C)', disabled: noView },
        { value: 'speed', label: 'Speed', title: 'Colour by speed (C)', disabled: noView },
        { value: 'energy', label: 'Energy', title: 'Colour by kinetic energy (C)', disabled: noView ?? noMass },
        { value: 'sleep', label: 'Sleep', title: 'Colour by who sleeps (C)', disabled: noView ?? noSleep },
      ],
    });
    this.camera = segmented({
      label: 'Camera', value: 'orbit', choose: (mode) => this.setCamera(mode),
      choices: [
        { value: 'orbit', label: 'Orbit', title: 'Turn about a fixed point (F)', disabled: noView },
        { value: 'follow', label: 'Follow', title: 'Keep to the selected body (F)', disabled: noView },
      ],
    });
    this.overlays = kOverlays.map((overlay) => {
      const has = recording.arrays.has(overlay.array);
      const reason = noView ?? (has ? null : recording.missing[overlay.missing] ?? 'the recording does not hold it');
      return chip({ ...overlay, reason, toggle: (on) => this.view.setOverlay(overlay.name, on) });
    });
    const group = (label, ...controls) => el('div', { class: 'tool-group', role: 'group', 'aria-label': label }, el('span', { class: 'tool-label' }, label), controls);
    return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      group('Colour', this.colour.element),
      group('Camera', this.camera.element, iconButton('fit', 'Whole scene', '0', () => this.view?.resetCamera())),
      group('Show', el('div', { class: 'chips' }, this.overlays.map((overlay) => overlay.element))));
  }

  makeBodyList() {
    const { bodies } = this.recording;
    const swatch = (i) => {
      const colour = isMoving(bodies[i]) ? bodyColour(bodies[i].moving).map((c) => Math.round(255 * c)).join(' ') : null;
      return el('i', { class: 'body-swatch', style: colour ? `background: rgb(${colour})` : null });
    };
    return new TableList({
      label: 'Bodies',
      count: bodies.length,
      template: '20px minmax(90px, 3fr) minmax(70px, 1fr) minmax(70px, 1fr)',
      empty: 'no bodies',
      text: (i) => `${bodies[i].name} ${bodies[i].type}`,
      choose: (i) => this.select(i),
      columns: [
        { name: 'colour', label: '', cell: swatch },
        { name: 'name', label: 'Name', sort: (i) => String(bodies[i].name).toLowerCase(), cell: (i) => shorten(bodies[i].name || `body ${i}`, 80) },
        { name: 'type', label: 'Type', sort: (i) => bodies[i].type, cell: (i) => bodies[i].type },
        { name: 'mass', label: 'Mass [kg]', numeric: true, sort: (i) => bodies[i].mass ?? NaN, cell: (i) => (bodies[i].mass === null ? '' : number(bodies[i].mass)) },
      ],
    });
  }

  build(root) {
    const { header } = this.recording;
    const panels = [
      { name: 'plots', label: 'Plots', panel: el('div', { class: 'panel' }, this.plots.element) },
      { name: 'impacts', label: `Events ${count(this.recording.events.all)}`, panel: el('div', { class: 'panel fixed' }, this.impacts.element) },
      ...(this.jointPanel ? [{ name: 'joints', label: `Joints ${count(this.recording.joints.count)}`, panel: el('div', { class: 'panel fixed' }, this.jointPanel.element) }] : []),
      { name: 'bodies', label: `Bodies ${count(this.recording.bodies.length)}`, panel: el('div', { class: 'panel fixed' }, this.bodyList.element) },
      { name: 'run', label: 'Run', panel: el('div', { class: 'panel' }, summaryPanel(header)) },
    ];
    this.tabs = tabs('Recording', panels);
    const side = el('section', { class: 'side', 'aria-label': 'Recording' }, this.tabs.bar, panels.map(({ panel }) => panel));
    this.help = helpDialog(this.helpGroups());
    const { badge, badgeTitle } = endOf(header);
    root.replaceChildren(
      pageHeader({
        name: header.scene?.name || 'run',
        facts: this.facts(),
        badge,
        badgeTitle,
        help: () => this.help.showModal(),
      }),
      el('main', { class: 'run' },
        el('section', { class: 'replay', 'aria-label': 'Replay' }, this.toolbar, el('div', { class: 'viewport-box' }, this.viewport, this.inspector.element), this.transport.element),
        side),
      this.help);
    document.title = `${shorten(header.scene?.name || 'run', 60)} – visviva`;
  }

  facts() {
    const { header, recording } = { header: this.recording.header, recording: this.recording };
    const duration = recording.end - recording.start;
    return [
      header.scene?.stepper ? shorten(header.scene.stepper, 40) : null,
      plural(recording.moving, 'moving body', 'moving bodies'),
      `${number(duration, 4)} s`,
      plural(recording.events.all, 'event', 'events'),
    ].filter(Boolean);
  }

  /** @param {number | null} body */
  select(body) {
    this.selected = body;
    this.view?.select(body);
    const colour = body === null ? [0, 0, 0] : this.view?.bodies.baseColours[body] ?? bodyColour(this.recording.bodies[body].moving ?? 0);
    this.inspector.set(body, colour);
    this.bodyList.setChosen(body);
  }

  stepBody(by) {
    const n = this.recording.bodies.length;
    if (n === 0) return;
    if (this.selected === null) {
      const moving = this.recording.bodies.findIndex(isMoving);
      this.select(by > 0 ? Math.max(moving, 0) : n - 1);
    } else {
      this.select((this.selected + by + n) % n);
    }
  }

  /** @param {'orbit' | 'follow'} mode @param {boolean} near whether to go near the body that is followed */
  setCamera(mode, near = true) {
    if (!this.view) return;
    this.camera.set(mode);
    this.view.setFollowing(mode === 'follow', near);
  }

  showsImpacts() {
    // The reader came for the impact: show where it was.
    for (const name of ['impacts', 'impulses']) this.overlays[kOverlays.findIndex((overlay) => overlay.name === name)].set(true);
  }

  /** Marks a joint in the picture. @param {number | null} joint */
  showJoint(joint) {
    if (!this.view) return;
    this.view.overlays.joints.selected = joint;
    if (joint !== null) this.overlays[kOverlays.findIndex(({ name }) => name === 'joints')].set(true);
    this.view.draw();
  }

  bindings() {
    const { player } = this;
    const turn = 0.12;
    const replay = [
      { keys: [' ', 'k'], shown: 'Space', text: 'play or pause', act: () => player.toggle() },
      { keys: ['ArrowRight', '.'], shown: '→', text: 'one frame forward', act: () => player.step(1) },
      { keys: ['ArrowLeft', ','], shown: '←', text: 'one frame back', act: () => player.step(-1) },
      { keys: ['PageDown'], shown: 'PgDn', text: 'thirty frames forward', act: () => player.step(30) },
      { keys: ['PageUp'], shown: 'PgUp', text: 'thirty frames back', act: () => player.step(-30) },
      { keys: ['Home'], shown: 'Home', text: 'to the start', act: () => player.seek(player.start) },
      { keys: ['End'], shown: 'End', text: 'to the end', act: () => player.seek(player.end) },
      { keys: [']'], shown: ']', text: 'faster', act: () => player.changeSpeed(1) },
      { keys: ['['], shown: '[', text: 'slower', act: () => player.changeSpeed(-1) },
      { keys: ['l'], shown: 'L', text: 'loop', act: () => player.setLoop(!player.loop) },
      { keys: ['z'], shown: 'Z', text: 'plots: less time on the axis', act: () => this.plots.zoom(4) },
      { keys: ['x'], shown: 'X', text: 'plots: more time on the axis', act: () => this.plots.zoom(1 / 4) },
      { keys: ['j'], shown: 'J', text: 'next impact', act: () => this.impacts.step(1) },
      { keys: ['Shift+j'], shown: '⇧ J', text: 'impact before', act: () => this.impacts.step(-1) },
    ];
    const view = [
      { keys: ['Shift+ArrowLeft'], shown: '⇧ ←', text: 'turn the camera left', act: () => this.view?.orbit(-turn, 0) },
      { keys: ['Shift+ArrowRight'], shown: '⇧ →', text: 'turn the camera right', act: () => this.view?.orbit(turn, 0) },
      { keys: ['Shift+ArrowUp'], shown: '⇧ ↑', text: 'camera up', act: () => this.view?.orbit(0, turn) },
      { keys: ['Shift+ArrowDown'], shown: '⇧ ↓', text: 'camera down', act: () => this.view?.orbit(0, -turn) },
      { keys: ['+', '='], shown: '+', text: 'nearer', act: () => this.view?.orbit(0, 0, 1 / 1.2) },
      { keys: ['-'], shown: '−', text: 'farther', act: () => this.view?.orbit(0, 0, 1.2) },
      { keys: ['0'], shown: '0', text: 'whole scene', act: () => this.view?.resetCamera() },
      { keys: ['f'], shown: 'F', text: 'camera: orbit or follow', act: () => this.view && this.camera.next() },
      { keys: ['c'], shown: 'C', text: 'colour by body, speed, energy, sleep', act: () => this.view && this.colour.next() },
    ];
    const overlays = kOverlays.map(({ key, hint }, i) => ({ keys: [key], shown: key, text: hint, act: () => this.overlays[i].press() }));
    const page = [
      { keys: ['n'], shown: 'N', text: 'select the next body', act: () => this.stepBody(1) },
      { keys: ['p'], shown: 'P', text: 'select the body before', act: () => this.stepBody(-1) },
      { keys: ['Escape'], shown: 'Esc', text: 'select nothing', act: () => this.select(null) },
      { keys: ['d'], shown: 'D', text: 'dark or light', act: () => toggleTheme() },
      { keys: ['?', 'h'], shown: '?', text: 'this list', act: () => this.help.showModal() },
    ];
    return [
      { title: 'Replay', bindings: replay },
      { title: 'Camera and colours', bindings: view },
      { title: 'Show', bindings: overlays },
      { title: 'Bodies and page', bindings: page },
    ];
  }

  bind() {
    this.groups ??= this.bindings();
    bindKeys(this.groups.flatMap((group) => group.bindings));
  }

  helpGroups() {
    this.groups ??= this.bindings();
    return this.groups;
  }

  /** What tests may ask: plain numbers, as the page shows them. */
  testInterface() {
    const { player, recording, view } = this;
    return {
      kind: 'run',
      time: () => player.time,
      frame: () => player.frame(),
      frameTime: (k) => recording.frameTime[k],
      seek: (time) => player.seek(time),
      playing: () => player.playing,
      loop: () => player.loop,
      speed: () => player.speed,
      bodies: () => recording.bodies.length,
      selected: () => this.selected,
      select: (body) => this.select(body),
      body: (i) => {
        const state = recording.state(i, player.time);
        return { name: recording.bodies[i].name, ...state, ...recording.kinetic(i, state) };
      },
      /** Smallest step of the numbers of a body, as the file keeps them. */
      resolution: (i, name) => recording.resolution(i, name),
      /** Frame B of a body as it is drawn: 16 numbers by columns, in the world. */
      matrix: (i) => view && view.bodies.matrices[i].elements.map((value, k) => (k >= 12 && k < 15 ? value + view.origin.getComponent(k - 12) : value)),
      origin: () => view && view.origin.toArray(),
      drawn: () => view && view.renderer.info.render.triangles,
      draw: () => view?.drawNow(),
      screen: (i) => view && view.screenOf(i),
      camera: () => view && {
        position: view.camera.position.clone().add(view.origin).toArray(),
        target: view.controls.target.clone().add(view.origin).toArray(),
        following: view.following,
      },
      colourMode: () => view && view.colourMode,
      overlay: (name) => view && view.overlays.on[name],
      asleep: (i) => recording.isAsleep(i, player.time),
      /** Drawn at the present moment: points, and arrows of forces; and how many points there were. */
      contacts: () => view && { points: view.overlays.contactPoints.count, forces: view.overlays.contactForces.count, all: view.overlays.contactsAt(player.time).all },
      joints: () => recording.joints.count,
      joint: (i) => ({
        name: recording.joints.name(i), broken: recording.joints.isBroken(i, player.time), coordinate: recording.joints.at('coordinate', i, player.time),
        force: recording.joints.at('force', i, player.time), torque: recording.joints.at('torque', i, player.time),
        a: recording.joints.frame(i, 'a', player.time).p, b: recording.joints.frame(i, 'b', player.time).p,
      }),
      chooseJoint: (i) => this.jointPanel?.choose(i),
      chosenJoint: () => this.jointPanel?.chosen ?? null,
      /** Pieces of joints that are drawn. */
      jointPieces: () => view && { balls: view.overlays.joints.balls.count, bars: view.overlays.joints.bars.count },
      openTab: (name) => this.tabs.open(name),
      webgl: () => view !== null,
      impact: () => this.impacts.list.chosen,
      event: (i) => ({ time: recording.events.time[i], strength: recording.events.strength[i], energy: recording.events.energy[i] }),
      charts: () => this.plots.charts.map((chart) => ({ title: chart.title, series: chart.series.map(({ name }) => name), cursor: chart.cursor, window: chart.window })),
    };
  }
}

/** How a run ended, if not as it should. */
function endOf({ complete, summary }) {
  if (complete === false) return { badge: 'unfinished', badgeTitle: kUnfinished };
  const failed = summary?.status && summary.status !== 'completed';
  return { badge: failed ? shorten(summary.status, 24) : null, badgeTitle: shorten(summary?.reason, 400) };
}

/** @returns the interface for tests */
export function openRun(header, arrays, root) {
  return new RunPage(header, arrays, root).testInterface();
}
