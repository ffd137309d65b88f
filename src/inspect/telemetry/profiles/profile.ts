import type { Hook, LiveEvent } from '../../../contracts/events/event.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { followed } from '../work/followed-events.ts';
import type { Profile } from './profile-shape.ts';
import { RunProfile } from './run-profile.ts';
import type { Work, WorkEnd, WorkListener } from '../work/work.ts';

/** A hook that profiles runs. */
export interface ProfilerHook extends Hook {
  /** Of the runs that are over, the last ones, oldest first. */
  readonly profiles: readonly Profile[];
}

/**
 * Profiles the time and money of a run: by agent, phase, model and tool, and for each actor by state. It reads events
 * only, so it works on a run in progress, on `result.events` and on stored runs. Undefined if no event starts a run.
 *
 * Times are the run's own. The states of an actor add up to its time; sums over concurrent actors do not.
 *
 * @example
 * const { events } = await desk.run('…');
 * const profiled = profile(events);
 * if (profiled !== undefined) console.log(formatProfile(profiled));
 */
export const profile = (events: Iterable<LiveEvent>): Profile | undefined => {
  let first: Profile | undefined;
  const follower = new WorkFollower(
    new Profiles((profiled) => {
      first ??= profiled;
    }),
  );
  for (const event of events) follower.take(event);
  follower.close();
  return first;
};

/**
 * A hook that profiles every run that it is attached to; see {@link profile}. It keeps the last `keep` profiles
 * (default 100): the memory of each is proportional to the number of agents.
 *
 * @example
 * const timed = profiler();
 * await desk.run('…', { hooks: [timed] });
 * for (const profiled of timed.profiles) console.log(formatProfile(profiled, 'stacks'));
 */
export const profiler = ({ keep = 100 }: { readonly keep?: number | undefined } = {}): ProfilerHook => {
  const profiles: Profile[] = [];
  const follower = new WorkFollower(
    new Profiles((profiled) => {
      profiles.push(profiled);
      if (profiles.length > keep) profiles.shift();
    }),
  );
  return {
    name: 'profiler',
    on: followed,
    handle: (event, scope) => {
      follower.take(event, scope);
    },
    get profiles() {
      return [...profiles];
    },
  };
};

/** Collects runs, each from its root or from its first known actor. */
class Profiles implements WorkListener {
  readonly #runs = new Map<string, { readonly root: Work; readonly run: RunProfile }>();
  readonly #onProfile: (profile: Profile) => void;

  constructor(onProfile: (profile: Profile) => void) {
    this.#onProfile = onProfile;
  }

  began(work: Work): void {
    const known = this.#runs.get(work.runId) ?? { root: work, run: new RunProfile(work) };
    this.#runs.set(work.runId, known);
    known.run.began(work);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    this.#runs.get(event.runId)?.run.noted(event, about);
  }

  ended(work: Work, end: WorkEnd): void {
    const known = this.#runs.get(work.runId);
    known?.run.ended(work, end);
    if (known?.root !== work) return;
    this.#runs.delete(work.runId);
    this.#onProfile(known.run.profile);
  }
}
