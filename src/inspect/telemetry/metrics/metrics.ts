import type { EventOf, Hook, LiveEvent } from '../../../contracts/events/event.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { followed } from '../work/followed-events.ts';
import { isFromBefore, NewWork } from '../work/new-work.ts';
import type { Gauges, MetricsSnapshot } from './snapshot.ts';
import { ModelSeries, Series, SeriesBook, TenantSeries } from './series.ts';
import { tenantIn } from '../work/followed-run.ts';
import { usageIn } from '../work/usage-in.ts';
import type { Work, WorkEnd, WorkKind, WorkListener } from '../work/work.ts';

/** Options of {@link metrics}. */
export interface MetricsOptions {
  /** Observes deltas, for `firstChunkMs` and `streams`. Default false, so that models need not stream. */
  readonly chunks?: boolean | undefined;
  /** Maximum number of distinct names of each kind (agent, model, tool, phase, tenant); the rest is `(other)`. Default 200. */
  readonly names?: number | undefined;
}

/** A hook that counts. */
export interface MetricsHook extends Hook {
  /** Returns the counts so far, as plain JSON; its cost is proportional to the number of names. */
  snapshot(): MetricsSnapshot;
}

/**
 * Counts runs, steps, retries, failures, tokens, costs and drops, current work, and the duration of agents, models,
 * tools, phases and tenants as percentiles (within 1 %). It needs no other package, and its memory is bounded.
 *
 * One hook may be on an engine and on any number of runs: repeated events count once. Of a run that is resumed it counts only
 * what happens from then on, so that the processes of a run together count what it did.
 *
 * @example
 * const counted = metrics();
 * await desk.run('…', { hooks: [counted] });
 * const { tools, now } = counted.snapshot();
 * console.log(tools[0]?.name, tools[0]?.durationMs.p95, now.runs); // the tool that was called first, ms, 0
 */
export const metrics = ({ chunks = false, names = 200 }: MetricsOptions = {}): MetricsHook => {
  const counter = new Counter(names);
  const follower = new WorkFollower(new NewWork(counter));
  return {
    name: 'metrics',
    on: chunks ? [...followed, 'model.delta'] : followed,
    handle: (event, scope) => {
      follower.take(event, scope);
    },
    snapshot: () => counter.snapshot(),
  };
};

/** Counts work. */
class Counter implements WorkListener {
  readonly #runTimes: SeriesBook<Series>;
  readonly #tenants: SeriesBook<TenantSeries>;
  readonly #agents: SeriesBook<Series>;
  readonly #models: SeriesBook<ModelSeries>;
  readonly #tools: SeriesBook<Series>;
  readonly #phases: SeriesBook<Series>;
  readonly #runs = { started: 0, completed: 0, stopped: 0, aborted: 0, failed: 0 };
  readonly #retries = { model: 0, tool: 0, member: 0 };
  readonly #dropped = { events: 0, messages: 0 };
  readonly #errors = new Map<string, number>();
  readonly #budgets = new Map<string, number>();
  readonly #open: Record<WorkKind, number> = { agent: 0, team: 0, phase: 0, model: 0, tool: 0, wait: 0 };
  /** Characters that have arrived, of the answers that are arriving. */
  readonly #arriving = new Map<Work, number>();
  #activeRuns = 0;
  #steps = 0;

  constructor(names: number) {
    const book = (): SeriesBook<Series> => new SeriesBook(names, (name) => new Series(name));
    [this.#runTimes, this.#agents, this.#tools, this.#phases] = [book(), book(), book(), book()];
    this.#models = new SeriesBook(names, (name) => new ModelSeries(name));
    this.#tenants = new SeriesBook(names, (name) => new TenantSeries(name));
  }

  began(work: Work): void {
    this.#open[work.kind] += 1;
    if (work.by.type !== 'run.started' || !isActor(work)) return;
    this.#activeRuns += 1;
    if (!isFromBefore(work)) this.#runs.started += 1;
  }

  ended(work: Work, end: WorkEnd): void {
    this.#open[work.kind] -= 1;
    this.#arriving.delete(work);
    if (end.outcome === 'failed') add(this.#errors, end.error?.code ?? `${work.kind}.failed`);
    if (isActor(work)) {
      this.#agents.of(work.name).ended(work, end);
      if (work.by.type === 'run.started') this.#runEnded(work, end);
    } else if (work.kind === 'model') this.#models.of(work.name).ended(work, end);
    else if (work.kind === 'tool') this.#tools.of(work.name).ended(work, end);
    else if (work.kind === 'phase') this.#phases.of(work.name).ended(work, end);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    if (event.type === 'step.ended') this.#steps += 1;
    else if (event.type === 'model.retrying') this.#retries.model += 1;
    else if (event.type === 'tool.retrying') this.#retries.tool += 1;
    else if (event.type === 'child.restarted') this.#retries.member += 1;
    else if (event.type === 'observer.dropped') this.#dropped.events += event.count;
    else if (event.type === 'message.dropped') this.#dropped.messages += event.count ?? 1;
    else if (event.type === 'model.delta') this.#arrived(event, about);
    else if (event.type === 'budget.warned') {
      const { budget, fraction } = event;
      this.#budgets.set(budget, Math.max(fraction, this.#budgets.get(budget) ?? 0));
    }
    const used = usageIn(event);
    if (used !== undefined) this.#tenantOf(about)?.spent(used);
  }

  snapshot(): MetricsSnapshot {
    const books = [this.#runTimes, this.#tenants, this.#agents, this.#models, this.#tools, this.#phases];
    return {
      runs: { ...this.#runs },
      steps: this.#steps,
      retries: { ...this.#retries },
      errors: Object.fromEntries(this.#errors),
      dropped: { ...this.#dropped },
      budgets: Object.fromEntries(this.#budgets),
      now: this.#gauges(),
      runTimes: this.#runTimes.all.map((series) => series.timing()),
      tenants: this.#tenants.all.map((series) => series.timing()),
      agents: this.#agents.all.map((series) => series.timing()),
      models: this.#models.all.map((series) => series.timing()),
      tools: this.#tools.all.map((series) => series.timing()),
      phases: this.#phases.all.map((series) => series.timing()),
      isCut: books.some(({ isCut }) => isCut),
    };
  }

  #gauges(): Gauges {
    const { agent, team, model, tool, wait } = this.#open;
    return {
      runs: this.#activeRuns,
      actors: agent + team,
      modelCalls: model,
      toolCalls: tool,
      waitingCalls: wait,
      streams: this.#arriving.size,
      streamedCharacters: [...this.#arriving.values()].reduce((sum, each) => sum + each, 0),
    };
  }

  #tenantOf(work: Work | undefined): TenantSeries | undefined {
    const tenant = work === undefined ? undefined : tenantIn(work);
    return tenant === undefined ? undefined : this.#tenants.of(tenant);
  }

  #runEnded(work: Work, end: WorkEnd): void {
    this.#activeRuns -= 1;
    this.#runTimes.of(work.name).ended(work, end);
    this.#tenantOf(work)?.ended(work, end);
    const { outcome, by } = end;
    // A suspended run is not over.
    if (by?.type === 'run.ended' && (outcome !== 'unfinished' || by.status === 'aborted'))
      this.#runs[by.status] += 1;
  }

  #arrived({ delta, at }: EventOf<'model.delta'>, call: Work | undefined): void {
    if (call?.kind !== 'model') return;
    const soFar = this.#arriving.get(call);
    if (soFar === undefined) this.#models.of(call.name).firstChunk(at - call.startedAt);
    this.#arriving.set(call, (soFar ?? 0) + ('text' in delta ? delta.text.length : 0));
  }
}

const isActor = ({ kind }: Work): boolean => kind === 'agent' || kind === 'team';

const add = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};
