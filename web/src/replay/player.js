// The clock of the replay. Everything on the page that shows a moment listens to it.

import { lastAtOrBefore } from '../data/recording.js';

export const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  /** @param {Float64Array} frameTime */
  constructor(frameTime) {
    this.frameTime = frameTime;
    this.start = frameTime.length ? frameTime[0] : 0;
    this.end = frameTime.length ? frameTime[frameTime.length - 1] : 0;
    this.time = this.start;
    this.playing = false;
    this.loop = false;
    this.speed = 1;
    this.listeners = new Set();
    this.lastTick = 0;
  }

  /** @param {(player: Player, what: 'time' | 'mode') => void} listener */
  listen(listener) {
    this.listeners.add(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(this, what);
  }

  seek(time) {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.tell('time');
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !(this.end > this.start)) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.lastTick = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.tell('mode');
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell('mode');
  }

  tick(now) {
    if (!this.playing) return;
    // A tab in the background gets no frames; do not jump when it comes back.
    const elapsed = Math.min(Math.max(now - this.lastTick, 0), 250) / 1000;
    this.lastTick = now;
    let time = this.time + elapsed * this.speed;
    if (time >= this.end) {
      if (this.loop) {
        time = this.start + ((time - this.start) % (this.end - this.start));
      } else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.tell('time');
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
    else this.tell('mode');
  }

  /** The frame that is shown, or the last one before the moment. */
  frame() {
    return Math.max(lastAtOrBefore(this.frameTime, this.time), 0);
  }

  /** @param {number} frames to go; whole frames, so that steps show recorded states and not ones between them */
  step(frames) {
    this.pause();
    if (this.frameTime.length === 0) return;
    const k = this.frame();
    const between = this.time > this.frameTime[k];
    const target = k + frames + (between && frames < 0 ? 1 : 0);
    this.seek(this.frameTime[Math.min(Math.max(target, 0), this.frameTime.length - 1)]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell('mode');
  }

  /** @param {number} by places in the list of speeds */
  changeSpeed(by) {
    const at = kSpeeds.indexOf(this.speed);
    this.setSpeed(kSpeeds[Math.min(Math.max(at + by, 0), kSpeeds.length - 1)]);
  }

  setLoop(loop) {
    this.loop = loop;
    this.tell('mode');
  }
}
