import type { LiveEvent } from '../../../contracts/events/event.ts';
import { usageIn } from '../work/usage-in.ts';
import type { Work, WorkEnd, WorkKind, WorkListener } from '../work/work.ts';
import type { AlertSubject } from './alert.ts';

/** A kind of work whose time and outcome are measured; `run` is that of its root. */
export type MeasuredKind = 'run' | 'agent' | 'model' | 'tool';

/** A figure of a run at a moment, of which rules take what they judge. */
export type Measure = {
  /** In ms since 1970, by the run's clock. */
  readonly at: number;
  readonly runId: string;
  readonly subject: AlertSubject;
} & (
  | { readonly what: 'ended'; readonly kind: MeasuredKind; readonly ms: number; readonly hasFailed: boolean }
  | { readonly what: 'used'; readonly tokens: number; readonly costUsd: number }
  | { readonly what: 'retried' }
  | { readonly what: 'budget'; readonly fraction: number }
  /** A tool call that begins to wait, or no longer does. */
  | { readonly what: 'queued'; readonly by: 1 | -1 }
);

/** A piece of work in progress. */
export interface OpenWork {
  readonly kind: MeasuredKind;
  readonly subject: AlertSubject;
  readonly runId: string;
  readonly startedAt: number;
}

interface MeasuresSetup {
  readonly tenantOf: (work: Work) => string | undefined;
  readonly take: (measure: Measure) => void;
}

/** Turns work into measures. */
export class Measures implements WorkListener {
  readonly #setup: MeasuresSetup;
  readonly #open = new Map<Work, readonly OpenWork[]>();

  constructor(setup: MeasuresSetup) {
    this.#setup = setup;
  }

  /** True while any work is in progress. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  *open(): Iterable<OpenWork> {
    for (const works of this.#open.values()) yield* works;
  }

  began(work: Work): void {
    if (work.kind === 'wait') this.#take(work, work.startedAt, { what: 'queued', by: 1 });
    const kinds = kindsOf(work);
    if (kinds.length === 0) return;
    const { runId, startedAt } = work;
    const subject = this.#subjectOf(work);
    this.#open.set(
      work,
      kinds.map((kind) => ({ kind, subject, runId, startedAt })),
    );
  }

  ended(work: Work, { at, outcome }: WorkEnd): void {
    if (work.kind === 'wait') this.#take(work, at, { what: 'queued', by: -1 });
    this.#open.delete(work);
    // The time until something was cancelled says nothing about it.
    if (outcome === 'unfinished') return;
    for (const kind of kindsOf(work))
      this.#take(work, at, { what: 'ended', kind, ms: at - work.startedAt, hasFailed: outcome === 'failed' });
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    if (about === undefined) return;
    const { at } = event;
    if (event.type === 'model.retrying') this.#take(about, at, { what: 'retried' }, { model: event.model });
    else if (event.type === 'tool.retrying') this.#take(about, at, { what: 'retried' });
    else if (event.type === 'budget.warned')
      this.#take(about, at, { what: 'budget', fraction: event.fraction });
    const used = usageIn(event);
    if (used === undefined) return;
    const { model, usage, costUsd = 0 } = used;
    // The answer names its model as the provider does.
    const asked = about.kind === 'model' ? {} : { model };
    this.#take(about, at, { what: 'used', tokens: usage.input + usage.output, costUsd }, asked);
  }

  #take(work: Work, at: number, measure: MeasureOf, more: AlertSubject = {}): void {
    this.#setup.take({ at, runId: work.runId, subject: { ...this.#subjectOf(work), ...more }, ...measure });
  }

  #subjectOf(work: Work): AlertSubject {
    const { kind, name, agent } = work;
    const tenant = this.#setup.tenantOf(work);
    return {
      agent,
      ...(kind === 'tool' || kind === 'wait' ? { tool: name } : {}),
      ...(kind === 'model' ? { model: name } : {}),
      ...(tenant === undefined ? {} : { tenant }),
    };
  }
}

type Without<Each> = Each extends Measure ? Omit<Each, 'at' | 'runId' | 'subject'> : never;
type MeasureOf = Without<Measure>;

const measured: Readonly<Record<WorkKind, MeasuredKind | undefined>> = {
  agent: 'agent',
  team: 'agent',
  model: 'model',
  tool: 'tool',
  phase: undefined,
  wait: undefined,
};

const kindsOf = ({ kind, by }: Work): readonly MeasuredKind[] => {
  const own = measured[kind];
  if (own === undefined) return [];
  return own === 'agent' && by.type === 'run.started' ? ['run', 'agent'] : [own];
};
