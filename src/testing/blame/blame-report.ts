import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Estimate } from '../statistics/intervals.ts';
import { shareOf } from '../statistics/intervals.ts';
import type { FailedRun } from './failed-run.ts';
import type { Point, Said } from './point.ts';
import { isSameSaid } from './point.ts';
import type { Origin } from './trial-plan.ts';
import type { Trials } from './trials.ts';
import type { Turning } from './turning-search.ts';

/** A point of the run, on record and in the fork. */
export interface ChangedPoint extends Pick<Point, 'kind' | 'agent' | 'path' | 'step' | 'seq' | 'tool'> {
  readonly recorded: Said;
  /** Undefined if the fork did not come to it. */
  readonly changed: Said | undefined;
}

/** A change that, with the others, turns the run. */
export interface BlamedChange extends ChangedPoint {
  readonly changed: Said;
  readonly origin: Origin;
}

/** The outcome of a search for what a run failed by. */
export interface Blame {
  readonly runId: string;
  /** `found`: `changes` turn the run; `none`: nothing that could be tried does. */
  readonly verdict: 'found' | 'none';
  /** The smallest change, in the order of the run: one point, unless several have to change together. */
  readonly changes: readonly BlamedChange[];
  /** Share of the attempts at these points that turned the run, with the interval of 95 %. */
  readonly turned: (Estimate & { readonly count: number; readonly of: number }) | undefined;
  /** Later points at which something else was said after the change: its way to the end. */
  readonly followed: readonly ChangedPoint[];
  /** The ends of both runs. */
  readonly output: { readonly recorded: Json; readonly changed: Json };
  /** A fork with the change alone, in a store in memory that has the run, too: replay them, compare them, export them. */
  readonly fork: { readonly store: JournalStore; readonly runId: string } | undefined;
  readonly tried: {
    /** Points that could be changed. */
    readonly points: number;
    readonly forks: number;
    /** Live model calls, and what they cost; undefined where a price is not known. */
    readonly modelCalls: number;
    readonly costUsd: number | undefined;
  };
  /** The reason why the search ended early: what is found may not be the smallest, or the latest. */
  readonly stopped: string | undefined;
  /** Reasons why something could not be tried, or a fork did not come to its end. */
  readonly untried: readonly string[];
}

/** All that a report is made of. */
interface Search {
  readonly run: FailedRun;
  readonly points: readonly Point[];
  readonly trials: Trials;
  readonly found: Turning | undefined;
  readonly untried: readonly string[];
}

/** Reports the outcome of a search. */
export const blameOf = ({ run, points, trials, found, untried }: Search): Blame => {
  const { forks, modelCalls, costUsd, stopped, stops } = trials;
  const changes = found === undefined ? [] : changesIn(found);
  const share = found === undefined ? undefined : shareOf(found.turned, found.of);
  return {
    runId: run.entry.runId,
    verdict: changes.length > 0 ? 'found' : 'none',
    changes,
    turned: found && share && { ...share, count: found.turned, of: found.of },
    followed: found === undefined ? [] : followingIn(points, found),
    output: {
      recorded: toJson(run.result.output ?? null),
      changed: toJson(found?.trial.result?.output ?? null),
    },
    fork: found && { store: found.trial.store, runId: found.trial.runId },
    tried: { points: points.length, forks, modelCalls, costUsd },
    stopped,
    untried: [...untried, ...[...stops].map((why) => `a fork stopped as ${why}`)],
  };
};

const changesIn = ({ points, said, trial }: Turning): readonly BlamedChange[] =>
  points.flatMap((point) => {
    const changed = said.get(point.key);
    const given = trial.given.get(point.key);
    return changed === undefined || given === undefined
      ? []
      : [{ ...placeOf(point), changed, origin: given.origin }];
  });

const followingIn = (points: readonly Point[], { points: own, said }: Turning): readonly ChangedPoint[] => {
  const first = Math.min(...own.map(({ seq }) => seq));
  return points.flatMap((point) => {
    if (point.seq <= first || own.includes(point)) return [];
    const changed = said.get(point.key);
    return changed !== undefined && isSameSaid(point.recorded, changed)
      ? []
      : [{ ...placeOf(point), changed }];
  });
};

const placeOf = ({ kind, agent, path, step, seq, tool, recorded }: Point): Omit<ChangedPoint, 'changed'> => ({
  kind,
  agent,
  path,
  step,
  seq,
  ...(tool === undefined ? {} : { tool }),
  recorded,
});
