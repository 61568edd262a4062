// Play, pause, step, scrub, speed, loop.

import { iconButton, setIcon } from '../ui/controls.js';
import { el } from '../ui/dom.js';
import { clock, clockDecimals, count, plural } from '../ui/format.js';
import { cssColour, onTheme } from '../ui/theme.js';
import { kSpeeds } from './player.js';

export class Transport {
  /**
   * @param {import('./player.js').Player} player
   * @param {import('../data/recording.js').Recording} recording
   */
  constructor(player, recording) {
    this.player = player;
    this.recording = recording;
    this.span = player.end - player.start;
    this.decimals = clockDecimals(this.span, recording.interval);
    this.playButton = iconButton('play', 'Play', 'Space', () => player.toggle(), { attributes: { 'data-control': 'play' } });
    this.playButton.classList.add('primary');
    this.loopButton = iconButton('loop', 'Loop', 'L', () => player.setLoop(!player.loop), { attributes: { 'aria-pressed': 'false', 'data-control': 'loop' } });
    this.range = el('input', {
      type: 'range', class: 'scrub', min: player.start, max: player.end, step: 'any', 'aria-label': 'Time', 'data-control': 'scrub',
      oninput: () => player.seek(Number(this.range.value)),
      // The native step of a range is a hundredth of it; one frame is what people mean.
      onkeydown: (event) => this.rangeKey(event),
    });
    this.ticks = el('canvas', { class: 'scrub-ticks', 'aria-hidden': 'true' });
    this.now = el('output', { class: 'now', 'data-field': 'time' });
    this.frame = el('span', { class: 'frame-of', 'data-field': 'frame' });
    this.speed = el('select', { class: 'speed', 'aria-label': 'Speed', title: 'Speed ([ and ])', 'data-control': 'speed', onchange: () => player.setSpeed(Number(this.speed.value)) },
      kSpeeds.map((value) => el('option', { value }, `${value}×`)));
    this.element = el('div', { class: 'transport', role: 'group', 'aria-label': 'Replay' },
      el('div', { class: 'buttons' },
        iconButton('back', 'Step back', '←', () => player.step(-1), { attributes: { 'data-control': 'back' } }),
        this.playButton,
        iconButton('forward', 'Step forward', '→', () => player.step(1), { attributes: { 'data-control': 'forward' } }),
        this.loopButton),
      el('div', { class: 'scrub-box', title: eventsTitle(recording.events) }, this.ticks, this.range),
      el('div', { class: 'clock' }, this.now, this.frame),
      this.speed);
    player.listen((_, what) => (what === 'mode' ? this.showMode() : this.showTime()));
    onTheme(() => this.drawTicks());
    new ResizeObserver(() => this.drawTicks()).observe(this.range);
    this.showMode();
    this.showTime();
  }

  rangeKey(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: -30, PageDown: 30 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.player.step(by * (event.shiftKey ? 10 : 1));
  }

  showMode() {
    const { playing, loop, speed } = this.player;
    setIcon(this.playButton, playing ? 'pause' : 'play', playing ? 'Pause' : 'Play', 'Space');
    this.loopButton.setAttribute('aria-pressed', String(loop));
    this.speed.value = String(speed);
  }

  showTime() {
    const { time } = this.player;
    this.range.value = String(time);
    const share = this.span > 0 ? (time - this.player.start) / this.span : 0;
    this.range.style.setProperty('--share', `${100 * share}%`);
    const text = `${clock(time, this.decimals)} s`;
    this.now.textContent = text;
    this.range.setAttribute('aria-valuetext', text);
    this.frame.textContent = `frame ${this.player.frame() + 1} of ${this.recording.frames}`;
  }

  /** Where events are, above the slider; many in one pixel are darker. */
  drawTicks() {
    const { events } = this.recording;
    const width = this.range.clientWidth;
    const height = 10;
    if (!width) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.ticks.width = width * ratio;
    this.ticks.height = height * ratio;
    this.ticks.style.width = `${width}px`;
    this.ticks.style.height = `${height}px`;
    const counts = new Uint32Array(width);
    for (let i = 0; i < events.count; ++i) {
      const share = this.span > 0 ? (events.time[i] - this.player.start) / this.span : 0;
      if (share >= 0 && share <= 1) ++counts[Math.min(Math.floor(share * (width - 16)) + 8, width - 1)];
    }
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    const g = this.ticks.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = cssColour('--muted');
    counts.forEach((n, x) => {
      if (n === 0) return;
      const share = Math.sqrt(n / most);
      g.globalAlpha = 0.3 + 0.25 * share;
      g.fillRect(x, height - 3 - 6 * share, 1, 3 + 6 * share);
    });
  }
}

/** What the marks above the slider are. */
function eventsTitle({ count: kept, all }) {
  if (all > kept) return `${count(kept)} of ${plural(all, 'event', 'events')}; the others were left out to keep the file small`;
  return plural(kept, 'event', 'events');
}
