import { effect, signal } from '@preact/signals';
import type { Side, Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import type { Entry } from '../../recording/entry.ts';
import type { Pack } from '../../recording/packs/pack.ts';
import { unpack } from '../../recording/packs/unpack.ts';
import type { TableauData } from '../../recording/tableau.ts';
import { addressOf, liveAddress, whyNot } from '../feed.ts';
import { openedFiles } from '../files/opened-files.ts';
import { changes, recorded, shownProcess } from '../page-state.ts';
import { listedRun } from '../state/address.ts';
import type { RunKey } from '../state/route.ts';
import { countBelow, Timeline } from '../timeline.ts';
import { bothSides, ComparedPair } from './compared-pair.ts';

/** Two runs that are followed. */
export interface FollowedPair {
  readonly pair: ComparedPair;
  readonly keys: Sides<RunKey>;
  /** The reasons for which a side is not shown. */
  readonly refusals: Sides<string | undefined>;
  /** The place on the slider of a run, by that of an entry in its recording. */
  readonly slider: Sides<(n: number) => number>;
}

/** The pair that is shown; a new object in each frame in which it has grown. */
export const followedPair = signal<FollowedPair | undefined>(undefined);

/** The receiver of a side's entries. */
interface Taker {
  readonly take: (entry: Entry) => void;
  readonly restart: () => void;
  readonly refuse: (why: string) => void;
}

interface Followed {
  readonly stop: () => void;
  readonly slider: (n: number) => number;
}

/** Follows two runs, wherever they are, until the function that it returns is called. */
export const followPair = (keys: Sides<RunKey>): (() => void) => {
  const pair = new ComparedPair({ left: keys.left.run, right: keys.right.run });
  const refusals: Record<Side, string | undefined> = { left: undefined, right: undefined };
  let frame: number | undefined;
  const follow = (side: Side): Followed =>
    followerOf(keys[side])(keys[side].run, {
      take: (entry) => {
        pair.take(side, entry);
        draw();
      },
      restart: () => {
        pair.restart(side);
        draw();
      },
      refuse: (why) => {
        refusals[side] = why;
        draw();
      },
    });
  // However many entries arrive, the view is made once in a frame.
  const draw = (): void => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      followedPair.value = { pair, keys, slider, refusals: { ...refusals } };
    });
  };
  const followed: Sides<Followed> = { left: follow('left'), right: follow('right') };
  const slider = { left: followed.left.slider, right: followed.right.slider };
  draw();
  return () => {
    for (const side of bothSides) followed[side].stop();
    if (frame !== undefined) cancelAnimationFrame(frame);
    followedPair.value = undefined;
  };
};

type Follower = (run: string, taker: Taker) => Followed;

const followerOf = ({ run, isFile }: RunKey): Follower => {
  if (isFile) return followFile;
  const { source, process } = listedRun(run) ?? {};
  if (source !== 'live') return followStored;
  return process?.id === shownProcess.peek() ? followLive : followProcess(process?.id);
};

const afterEntry = (n: number): number => n + 1;

/** The run of an opened file: all of it is there. */
const followFile: Follower = (run, { take, refuse }) => {
  const file = openedFiles.peek().get(run);
  if (file === undefined) refuse('This file is not open: open it once more, by “Open file” of all runs');
  for (const entry of file?.embedded.entries ?? []) take(entry);
  return { stop: () => undefined, slider: afterEntry };
};

/** A run in the live recording, which the page follows anyway. */
const followLive: Follower = (run, { take, restart }) => {
  let known = recorded.peek().timeline;
  let next = known.first;
  const stop = effect(() => {
    const { timeline } = recorded.value;
    void changes.value;
    if (timeline !== known) {
      known = timeline;
      next = timeline.first;
      restart();
    }
    for (const entry of timeline.between(next, timeline.length)) take(entry);
    next = timeline.length;
  });
  // Its slider counts the entries of this run alone.
  return { stop, slider: (n) => countBelow(recorded.peek().timeline.placesOfRun(run), n + 1) };
};

/** A run in the live recording of another process than the one that the page follows. */
const followProcess =
  (process: string | undefined): Follower =>
  (run, { take, restart }) => {
    let timeline = new Timeline();
    const source = new EventSource(liveAddress(process, 0));
    source.addEventListener('base', ({ data }: MessageEvent<string>) => {
      // Its own server wrote it.
      timeline = new Timeline(JSON.parse(data) as TableauData);
      restart();
    });
    source.addEventListener('entries', ({ data }: MessageEvent<string>) => {
      for (const entry of unpack(JSON.parse(data) as Pack)) if (timeline.add(entry)) take(entry);
    });
    const stop = (): void => {
      source.close();
    };
    return { stop, slider: (n) => countBelow(timeline.placesOfRun(run), n + 1) };
  };

/** A stored run, by a recording of its own. */
const followStored: Follower = (run, { take, restart, refuse }) => {
  const source = new EventSource(addressOf(run));
  let isThere = false;
  let isOver = false;
  source.addEventListener('base', restart);
  source.addEventListener('entries', ({ data }: MessageEvent<string>) => {
    isThere = true;
    // Its own server wrote it.
    for (const entry of unpack(JSON.parse(data) as Pack)) take(entry);
  });
  source.addEventListener('error', () => {
    // It ends when all of it was read.
    source.close();
    if (isThere) return;
    void whyNot(run).then((why) => {
      if (!isOver) refuse(why ?? 'The inspector is not reachable: load the page again once it is');
    });
  });
  const stop = (): void => {
    isOver = true;
    source.close();
  };
  return { stop, slider: afterEntry };
};
