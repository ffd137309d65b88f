import type { ReportKind } from '../../recording/report/work-report.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import { usageIn } from '../work/usage-in.ts';
import { tenantIn } from '../work/followed-run.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/** A place in a run, with what it has of a figure. */
interface Peak {
  readonly seq: number;
  readonly value: number;
}

/** The figures of an agent, a tool, a model or a tenant in one run. */
export class RunFiguresOf {
  readonly kind: ReportKind;
  readonly name: string;
  /** Of each time that it was done or failed, in ms. */
  readonly durations: number[] = [];
  failed = 0;
  retries = 0;
  tokens = 0;
  costUsd = 0;
  unpriced = 0;
  slowest: Peak | undefined;
  dearest: Peak | undefined;
  /** The event of the first failure. */
  failedAt: number | undefined;

  constructor(kind: ReportKind, name: string) {
    this.kind = kind;
    this.name = name;
  }

  ended({ startedAt, by }: Work, { at, outcome, by: end }: WorkEnd): void {
    const ms = at - startedAt;
    this.durations.push(ms);
    if (ms > (this.slowest?.value ?? -1)) this.slowest = { seq: seqOf(by), value: ms };
    if (outcome !== 'failed') return;
    this.failed += 1;
    this.failedAt ??= seqOf(end ?? by);
  }

  spent(event: LiveEvent, tokens: number, costUsd: number | undefined): void {
    this.tokens += tokens;
    if (costUsd === undefined) this.unpriced += 1;
    else this.costUsd += costUsd;
    if ((costUsd ?? 0) > (this.dearest?.value ?? 0))
      this.dearest = { seq: seqOf(event), value: costUsd ?? 0 };
  }
}

const seqOf = (event: LiveEvent): number => (event.type === 'model.delta' ? 0 : event.seq);

/** The figures of one run: by agent, tool and model, and of its tenant. */
export class RunWork {
  readonly #figures = new Map<string, RunFiguresOf>();

  get figures(): Iterable<RunFiguresOf> {
    return this.#figures.values();
  }

  ended(work: Work, end: WorkEnd): void {
    // The time until something was cancelled says nothing about it.
    const kind = end.outcome === 'unfinished' ? undefined : kindOf(work);
    if (kind === undefined) return;
    this.#of(kind, work.name).ended(work, end);
    if (work.parent === undefined) this.#tenant(work)?.ended(work, end);
  }

  noted(event: LiveEvent, about: Work): void {
    if (event.type === 'model.retrying') this.#retried(about, 'model', event.model);
    else if (event.type === 'tool.retrying') this.#retried(about, 'tool', event.tool);
    const used = usageIn(event);
    if (used === undefined) return;
    const { model, usage, costUsd } = used;
    const tokens = usage.input + usage.output;
    // The answer names its model as the provider does.
    this.#of('model', about.kind === 'model' ? about.name : model).spent(event, tokens, costUsd);
    this.#of('agent', about.agent).spent(event, tokens, costUsd);
    this.#tenant(about)?.spent(event, tokens, costUsd);
  }

  #retried(about: Work, kind: ReportKind, name: string): void {
    const figures = [this.#of(kind, name), this.#of('agent', about.agent), this.#tenant(about)];
    for (const each of figures) if (each !== undefined) each.retries += 1;
  }

  #tenant(work: Work): RunFiguresOf | undefined {
    const tenant = tenantIn(work);
    return tenant === undefined ? undefined : this.#of('tenant', tenant);
  }

  #of(kind: ReportKind, name: string): RunFiguresOf {
    const key = `${kind} ${name}`;
    let found = this.#figures.get(key);
    if (found === undefined) this.#figures.set(key, (found = new RunFiguresOf(kind, name)));
    return found;
  }
}

const kindOf = ({ kind }: Work): ReportKind | undefined => {
  if (kind === 'agent' || kind === 'team') return 'agent';
  return kind === 'tool' || kind === 'model' ? kind : undefined;
};
