import { Breakpoints } from '../recording/breakpoints.ts';
import { goTo, isPlaying, place, recorded, shown, speed, stops } from './page-state.ts';
import { scope } from './run-scope.ts';

/** Minimum and maximum duration of a step in playback, in ms. */
const SHORTEST = 40;
const LONGEST = 1_000;

let frame: number | undefined;

/** Plays the recording, from the current position, or from the start. */
export const play = (): void => {
  const { at, first, last: end } = scope.peek();
  if (place.peek() === undefined || at >= end) goTo(scope.peek().lengthAt(first));
  isPlaying.value = true;
  let last = performance.now();
  let credit = 0;
  const stopsAt = watchStops();
  const tick = (now: number): void => {
    if (!isPlaying.peek()) return;
    credit += (now - last) * speed.peek();
    last = now;
    const { at: from, last: to, lengthAt } = scope.peek();
    let next = from;
    for (let cost = costOf(next); credit >= cost && next < to; cost = costOf(next)) {
      credit -= cost;
      next += 1;
      if (stopsAt(lengthAt(next))) isPlaying.value = false;
      if (!isPlaying.peek()) break;
    }
    if (next !== from) goTo(lengthAt(next));
    if (next >= to || !isPlaying.peek()) isPlaying.value = false;
    else frame = requestAnimationFrame(tick);
  };
  frame = requestAnimationFrame(tick);
};

/** Checks whether somebody wants to stop between the last place that was asked for and the next one. */
const watchStops = (): ((length: number) => boolean) => {
  const { timeline } = recorded.peek();
  const breakpoints = new Breakpoints();
  breakpoints.set(stops.peek());
  const passesStop = (from: number, to: number): boolean => {
    let isMet = false;
    for (const entry of timeline.between(from, to)) isMet = breakpoints.take(entry) !== undefined || isMet;
    return isMet;
  };
  let passed = shown.peek().length;
  passesStop(0, passed);
  return (length) => {
    const isMet = passesStop(passed, length);
    passed = Math.max(passed, length);
    return isMet;
  };
};

export const hold = (): void => {
  isPlaying.value = false;
  if (frame !== undefined) cancelAnimationFrame(frame);
};

const costOf = (at: number): number => {
  const { timeline } = recorded.peek();
  const { lengthAt } = scope.peek();
  const [before, next] = [timeline.entry(lengthAt(at) - 1), timeline.entry(lengthAt(at + 1) - 1)];
  const wait = before === undefined || next === undefined ? 0 : next.at - before.at;
  return Math.min(LONGEST, Math.max(SHORTEST, wait));
};

/** Goes to the next marker, or to the one before. */
export const goToMarker = (direction: 1 | -1): void => {
  const { timeline } = recorded.peek();
  const { markers } = scope.peek();
  const { length } = shown.peek();
  const found =
    direction === 1
      ? markers.find(({ n }) => n + 1 > length)
      : markers.findLast(({ n }) => n + 1 < length && n >= timeline.first);
  if (found !== undefined) goTo(found.n + 1);
};
