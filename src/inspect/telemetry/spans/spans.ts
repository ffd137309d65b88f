import type { Attributes, Context, HrTime, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import { attribute, modelNames, OWN_PROVIDER, own } from './conventions.ts';
import { factsOf } from './event-facts.ts';
import type { OpenTelemetryApi } from './load-api.ts';
import type { SpanContent } from './span-content.ts';
import { SpanLinks } from './span-links.ts';
import { startAttributes, endAttributes } from './span-attributes.ts';
import type { Work, WorkEnd, WorkListener } from '../work/work.ts';

/** Parameters of making spans. */
export interface SpanSetup {
  readonly api: OpenTelemetryApi;
  readonly tracer: Tracer;
  readonly content: SpanContent;
  /** Returns the parent of a run's spans. */
  readonly parent: (scope: HookScope) => Context;
}

/** Use of an actor's own model calls. */
interface Used {
  provider: string | undefined;
  input: number;
  output: number;
  cached: number;
  costUsd: number;
}

interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
  readonly used: Used;
  firstChunkAt: number | undefined;
}

/** Events that do not become span events: they are spans, attributes, or too many. */
const untold: ReadonlySet<string> = new Set([
  'run.started',
  'run.ended',
  'phase.entered',
  'step.ended',
  'model.asked',
  'model.answered',
  'model.delta',
  'tool.requested',
  'tool.started',
  'tool.finished',
  'member.engaged',
  'member.ended',
]);

/** Makes spans of work: of agents, teams, model calls and tool calls. */
export class SpanMaker implements WorkListener {
  readonly #setup: SpanSetup;
  readonly #open = new Map<Work, OpenSpan>();
  readonly #links = new SpanLinks();

  constructor(setup: SpanSetup) {
    this.#setup = setup;
  }

  /** Returns the context of the span of this work, while it is open. */
  contextOf(work: Work | undefined): SpanContext | undefined {
    return this.#nearest(work)?.span.spanContext();
  }

  began(work: Work): void {
    if (!isSpan(work)) return;
    const { api, tracer, parent } = this.#setup;
    const above = this.#nearest(work.parent)?.context ?? parent(work.scope);
    const links: Link[] = isActor(work) ? this.#links.to(work) : [];
    const span = tracer.startSpan(
      nameOf(work),
      {
        kind: work.kind === 'model' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
        startTime: timeOf(work.startedAt),
        attributes: { ...startAttributes(work), ...this.#setup.content.atStart(work) },
        links,
      },
      above,
    );
    const used = { provider: undefined, input: 0, output: 0, cached: 0, costUsd: 0 };
    this.#open.set(work, { span, context: api.trace.setSpan(above, span), used, firstChunkAt: undefined });
    this.#links.opened(work, span.spanContext());
    if (work.kind === 'model') this.#nameProvider(work);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    if (event.type === 'model.delta') this.#firstChunk(event.at, about);
    if (event.type === 'step.ended' && about !== undefined) this.#links.stepEnded(about);
    if (event.type === 'delegation.began' || event.type === 'child.restarted')
      this.#links.noted(event, about, this.contextOf(about));
    if (untold.has(event.type)) return;
    const facts = factsOf(event);
    this.#nearest(about)?.span.addEvent(`troupe.${event.type}`, attributesOf(facts), timeOf(event.at));
  }

  ended(work: Work, end: WorkEnd): void {
    const open = this.#open.get(work);
    if (open === undefined) return;
    // Removed and ended even if a processor throws.
    this.#open.delete(work);
    const { span } = open;
    try {
      span.setAttributes({
        ...endAttributes(work, end),
        ...this.#setup.content.atEnd(work, end),
        ...(open.firstChunkAt === undefined
          ? {}
          : { [attribute.firstChunk]: (open.firstChunkAt - work.startedAt) / 1_000 }),
        ...(isActor(work) ? usedAttributes(open.used) : {}),
        // The process that had the run before has made a span of it, too.
        ...(end.by !== undefined && work.scope.isRepeated?.(end.by) === true ? { [own.repeated]: true } : {}),
      });
      if (work.kind === 'model') this.#count(work, end);
      if (end.outcome === 'failed') {
        const message = this.#setup.content.message(end.error);
        const code = this.#setup.api.SpanStatusCode.ERROR;
        span.setStatus(message === undefined ? { code } : { code, message });
      }
    } finally {
      if (isActor(work)) this.#links.closed(work, end);
      span.end(timeOf(end.at));
    }
  }

  #nearest(work: Work | undefined): OpenSpan | undefined {
    for (let each = work; each !== undefined; each = each.parent) {
      const open = this.#open.get(each);
      if (open !== undefined) return open;
    }
    return undefined;
  }

  /** An agent asks models of one provider, as a rule: the first one is its own. */
  #nameProvider({ parent, name }: Work): void {
    const asking = parent === undefined ? undefined : this.#open.get(parent);
    if (asking === undefined || asking.used.provider !== undefined || parent?.kind !== 'agent') return;
    asking.used.provider = modelNames(name).provider;
    if (asking.used.provider !== OWN_PROVIDER)
      asking.span.setAttribute(attribute.provider, asking.used.provider);
  }

  #firstChunk(at: number, about: Work | undefined): void {
    const open = about === undefined ? undefined : this.#open.get(about);
    if (open !== undefined && about?.kind === 'model') open.firstChunkAt ??= at;
  }

  #count({ parent }: Work, { by }: WorkEnd): void {
    const used = parent === undefined ? undefined : this.#open.get(parent)?.used;
    if (used === undefined || by?.type !== 'model.answered') return;
    used.input += by.usage.input;
    used.output += by.usage.output;
    used.cached += by.usage.cached ?? 0;
    used.costUsd += by.costUsd ?? 0;
  }
}

const isActor = ({ kind }: Work): boolean => kind === 'agent' || kind === 'team';
const isSpan = (work: Work): boolean => isActor(work) || work.kind === 'model' || work.kind === 'tool';

const nameOf = ({ kind, name }: Work): string => {
  if (kind === 'model') return `chat ${modelNames(name).id}`;
  if (kind === 'tool') return `execute_tool ${name}`;
  return `${kind === 'team' ? 'invoke_workflow' : 'invoke_agent'} ${name}`;
};

/** As a pair: of a plain number, OpenTelemetry would guess from its size whether it counts from 1970, and a simulated clock may start at 0. */
const timeOf = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
};

const usedAttributes = ({ input, output, cached, costUsd }: Used): Attributes =>
  input + output === 0
    ? {}
    : {
        [attribute.inputTokens]: input,
        [attribute.outputTokens]: output,
        ...(cached === 0 ? {} : { [attribute.cachedTokens]: cached }),
        ...(costUsd === 0 ? {} : { [own.costUsd]: costUsd }),
      };

/** Facts of an event as attributes of ours. */
const attributesOf = (facts: Readonly<Record<string, string | number | boolean>>): Attributes =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name === 'error.code'
        ? attribute.errorType
        : `troupe.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      value,
    ]),
  );
