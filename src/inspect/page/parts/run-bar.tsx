import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { waitsForPerson } from '../actor-tree.ts';
import { CompareWith } from '../compare/compare-with.tsx';
import { clockOf, countOf, moneyOf, several, spanOf } from '../figures.ts';
import type { Tone } from '../folds/problem-of.ts';
import { tones, wordFor } from '../folds/problem-of.ts';
import type { Resumption } from '../folds/resumptions.ts';
import { INTERRUPTION } from '../folds/resumptions.ts';
import { totalsOf } from '../folds/run-sums.ts';
import type { Sums } from '../folds/run-sums.ts';
import {
  askedHere,
  currentRun,
  filter,
  goTo,
  measure,
  middleTab,
  place,
  recorded,
  select,
  selectRoot,
  shown,
  storedRun,
} from '../page-state.ts';
import { hold } from '../playback.ts';
import type { SessionRun } from '../session.ts';

/** The sums of the run at the place shown: each figure opens the view that says more about it. */
export const RunBar = () => {
  const { folds } = recorded.value;
  const { length } = shown.value;
  const { run } = filter.value;
  const sums = folds.sumsAt(length, run);
  if (sums.length === 0) return null;
  const totals = totalsOf(sums);
  const isWhole = sums.every((each) => each.isWhole);
  // A run whose beginning is not recorded has used more.
  const least = isWhole ? '' : '≥ ';
  const tokens = totals.inputTokens + totals.outputTokens;
  const calls = totals.modelCalls + totals.toolCalls;
  const { costUsd, unpriced = [] } = totals;
  return (
    <section class="run-bar" aria-label="Sums of the run at the place shown">
      <Status sums={sums} run={run} />
      <Figure
        name="elapsed"
        opens="Time"
        onOpen={() => {
          middleTab.value = 'time';
        }}
      >
        <Elapsed sums={sums} />
      </Figure>
      <Figure
        name="tokens"
        opens="Cost"
        more={`${countOf(totals.inputTokens)} in, of which ${countOf(totals.cachedTokens)} from caches, and ${countOf(totals.outputTokens)} out${totals.estimated === undefined ? '' : `; ${several(totals.estimated, 'call')} estimated`}`}
        onOpen={() => {
          measure.value = 'tokens';
          middleTab.value = 'cost';
        }}
      >
        {least}
        {countOf(tokens)}
      </Figure>
      <Figure
        name="cost"
        opens="Cost"
        more={
          costUsd === undefined ? `no price is known for ${oneLine(unpriced.join(', '), 200)}` : undefined
        }
        onOpen={() => {
          measure.value = 'costUsd';
          middleTab.value = 'cost';
        }}
      >
        {costUsd === undefined ? 'unknown' : `${least}${moneyOf(costUsd)}`}
      </Figure>
      <Figure
        name={calls === 1 ? 'call' : 'calls'}
        opens="Sequence"
        more={`${countOf(totals.modelCalls)} of models, ${countOf(totals.toolCalls)} of tools, ${several(totals.retries, 'retry', 'retries')}`}
        onOpen={() => {
          middleTab.value = 'sequence';
        }}
      >
        {least}
        {countOf(calls)}
      </Figure>
      <Problems counts={folds.problems.countAt(length, run)} />
      <Resumed all={folds.resumptionsAt(length, run)} />
      <CompareWith />
    </section>
  );
};

/** The tones that decide about a run, the worst first: one without errors may have been stopped, or refused something. */
const decisive: readonly Tone[] = ['error', 'stop', 'refusal'];

/** The number of the worst problems that there are; the others by its title. */
const Problems = ({ counts }: { readonly counts: Readonly<Record<Tone, number>> }) => {
  const worst = decisive.find((tone) => counts[tone] > 0) ?? 'error';
  const others = tones.filter((tone) => tone !== worst);
  const [one, many] = wordFor[worst];
  return (
    <Figure
      name={counts[worst] === 1 ? one : many}
      opens="Errors"
      tone={counts.error > 0 ? 'bad' : counts[worst] > 0 ? 'warn' : undefined}
      more={others.map((tone) => several(counts[tone], ...wordFor[tone])).join(', ')}
      onOpen={() => {
        middleTab.value = 'errors';
      }}
    >
      {countOf(counts[worst])}
    </Figure>
  );
};

/** The places at which the run was resumed by another process; a click goes to the last one. */
const Resumed = ({ all }: { readonly all: readonly Resumption[] }) => {
  const last = all.at(-1);
  if (last === undefined) return null;
  const when = clockOf(last.at).slice(0, 5);
  const after = last.isInterrupted ? ' after an interruption' : '';
  return (
    <button
      type="button"
      class="figure warn"
      title={`${all.some((each) => each.isInterrupted) ? INTERRUPTION : 'It waited, and another process resumed it from its journal'}. Goes there`}
      onClick={() => {
        hold();
        goTo(last.n + 1);
        select(last.actor);
      }}
    >
      {all.length === 1
        ? `resumed once${after} at ${when}`
        : `resumed ${countOf(all.length)} times, last${after} at ${when}`}
    </button>
  );
};

interface FigureProps {
  readonly name: string;
  /** The view that a click opens. */
  readonly opens: string;
  readonly more?: string | undefined;
  readonly tone?: 'bad' | 'warn' | undefined;
  readonly onOpen: () => void;
  readonly children: ComponentChildren;
}

const Figure = ({ name, opens, more, tone, onOpen, children }: FigureProps) => (
  <button
    type="button"
    class={`figure ${tone ?? ''}`}
    title={`${more === undefined ? '' : `${more}. `}Opens ${opens}`}
    onClick={onOpen}
  >
    <b>{children}</b> <span class={`of-${name}`}>{name}</span>
  </button>
);

/** A clock that is off by more than this is a simulated one: it does not go on by itself. */
const MOST_OFF = 30 * 24 * 60 * 60 * 1_000;

/** The time that passed up to the place shown; of a run that goes on up to now. */
const Elapsed = ({ sums }: { readonly sums: readonly Sums[] }) => {
  const { timeline } = recorded.value;
  const { length, isLive } = shown.value;
  const isOver = sums.every(({ endedAt, status }) => endedAt !== undefined && status !== 'suspended');
  const ticks = isLive && !isOver && storedRun.value === undefined && (currentRun.value?.isLive ?? true);
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, [ticks]);
  const startedAt = Math.min(...sums.map((each) => each.startedAt));
  const here = timeline.entry(length - 1)?.at ?? startedAt;
  const now = Date.now();
  const until = isOver
    ? Math.max(...sums.map(({ endedAt }) => endedAt ?? startedAt))
    : ticks && now > here && now - here < MOST_OFF
      ? now
      : here;
  return <>{spanOf(Math.max(0, until - startedAt))}</>;
};

/** Statuses that are highlighted. */
const statusTones = [
  'completed',
  'failed',
  'paused',
  'waiting',
  'stopped',
  'suspended',
  'aborted',
  'interrupted',
  'process ended',
];

/** Returns a run's status now: a running one may wait for a person. */
const statusOf = ({ run, status, isLive }: SessionRun): string => {
  const said = status ?? (isLive ? 'running' : 'over');
  if (said !== 'running' || askedHere.value.here.length === 0) return said;
  return waitsForPerson(shown.value.tableau, run) ? 'waiting for a person' : said;
};

/** The status at the place shown; a click selects the run's root. */
const Status = ({ sums, run }: { readonly sums: readonly Sums[]; readonly run: string | undefined }) => {
  const current = currentRun.value;
  const isNow = place.value === undefined && current !== undefined;
  const [first] = sums;
  const status =
    sums.length > 1 ? severalStatuses(sums) : isNow ? statusOf(current) : (first?.status ?? 'running');
  const tone = sums.length > 1 ? '' : (statusTones.find((each) => status.startsWith(each)) ?? '');
  const isOver = sums.every(({ endedAt }) => endedAt !== undefined);
  return (
    <button
      type="button"
      class={`pill ${isOver ? 'over' : 'live'} ${tone}`}
      title="Opens the chart of the root"
      onClick={() => {
        selectRoot(run);
        middleTab.value = 'chart';
      }}
    >
      {oneLine(status, 60)}
    </button>
  );
};

const severalStatuses = (sums: readonly Sums[]): string => {
  const counts = new Map<string, number>();
  for (const { status } of sums) counts.set(status, (counts.get(status) ?? 0) + 1);
  return `${several(sums.length, 'run')}: ${[...counts].map(([status, count]) => `${countOf(count)} ${status}`).join(', ')}`;
};
