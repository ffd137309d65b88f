import type { Context, MeterProvider, SpanContext, TracerProvider } from '@opentelemetry/api';
import {
  aBoolean,
  aFunction,
  objectWith,
  oneOf,
  optional,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import type { Hook, HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import { FirstError } from '../work/first-error.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { NewWork } from '../work/new-work.ts';
import { followed } from '../work/followed-events.ts';
import type { Claims } from '../work/followed-run.ts';
import { Measures } from './instruments.ts';
import { loadApi } from './load-api.ts';
import { fullContent, noContent } from './span-content.ts';
import { redactionBy } from './span-redaction.ts';
import { SpanMaker } from './spans.ts';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** Default: the one registered in the process. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the one registered in the process. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Content of spans. `names` (default): names, numbers, codes of errors, no text of people, models or tools. `full`:
   * also arguments, results, answers, input and output, with secrets redacted. `off`: no spans, only metrics.
   */
  readonly spans?: 'names' | 'full' | 'off' | undefined;
  /** Takes secrets out of a text, where spans are `full`. Default: the secrets in the environment, as `[redacted NAME]`. */
  readonly redact?: ((text: string) => string) | undefined;
  /**
   * The longest attribute that spans may have where they are `full`, in characters. Default 65,536. Longer content is shortened within its
   * JSON: the longest texts first, then lists, and marked where something is missing.
   */
  readonly maxCharacters?: number | undefined;
  /** Listens to the pieces of answers, for the time to the first one. Default false: models need not stream, then. */
  readonly chunks?: boolean | undefined;
  /**
   * Returns the parent of a run, from its `context` (of `run(input, { context })`) or its thread. Default: the span
   * that is active where the run is started.
   */
  readonly parent?: ((scope: HookScope) => Context | undefined) | undefined;
}

/** A hook that makes spans and metrics. */
export interface OpenTelemetryHook extends Hook {
  /** Returns the span of an event, while its run is in progress: for the lines of a log. */
  spanContext(event: Pick<LiveEvent, 'runId' | 'path'>): SpanContext | undefined;
  /** Ends all open spans: for a process that stops while runs are in progress. */
  close(): void;
}

/**
 * Spans and metrics by the OpenTelemetry conventions for generative AI: `invoke_workflow` for teams, `invoke_agent`,
 * `chat` for every attempt of a model call, `execute_tool`; retries, approvals and the like are span events. Times are
 * the run's own.
 *
 * A span's parent follows from the address of its actor, so concurrent members never mix; background work is linked to
 * the call that delegated it. The first span of a run is a child of the span that is active where `run` or `stream` is
 * called. A run queued by its engine starts elsewhere: set its parent by `parent` and `context`.
 *
 * A span is created once, however often the hook is attached, to an engine and to a run, and also if two of these hooks
 * share a provider. The models of this package disable spans of their own SDKs; do the same for a client of your own.
 *
 * A resumed run repeats its events from the first, so its trace is complete, and separate from that of the interrupted
 * part.
 *
 * @example
 * const traced = await openTelemetry(); // with the providers registered in the process
 * const engine = createGlobalEngine({ hooks: [traced] });
 * await tracer.startActiveSpan('request', async (span) => {
 * await engine.execute(desk, '…', { thread: 'conversation-1' }); // its spans are children of `request`
 * span.end();
 * });
 *
 * @throws (rejects with) `telemetry.package-missing` if `@opentelemetry/api` is not installed, `input.invalid` for options that do not fit.
 */
export const openTelemetry = async (options: OpenTelemetryOptions = {}): Promise<OpenTelemetryHook> => {
  const { spans = 'names', chunks = false, parent } = check(options);
  const api = await loadApi();
  const tracers = options.tracerProvider ?? api.trace.getTracerProvider();
  const meters = options.meterProvider ?? api.metrics.getMeterProvider();
  const redaction = options.redact === undefined ? redactorOf() : redactionBy(options.redact);
  const content = spans === 'full' ? fullContent(redaction, options.maxCharacters ?? 65_536) : noContent;
  const maker = new SpanMaker({
    api,
    tracer: tracers.getTracer('troupe'),
    content,
    parent: (scope) => parent?.(scope) ?? api.context.active(),
  });
  // The registered one is behind a proxy: naming either means the same.
  const real = tracers instanceof api.ProxyTracerProvider ? tracers.getDelegate() : tracers;
  const traces = new WorkFollower(maker, claimsOf(real));
  const measures = new WorkFollower(new NewWork(new Measures(meters.getMeter('troupe'))), claimsOf(meters));
  const followers = spans === 'off' ? [measures] : [traces, measures];
  return {
    name: 'open-telemetry',
    // Called first, so that a log can ask for the span of an event.
    priority: 100,
    ...(spans === 'full' ? { wantsRequests: true } : {}),
    on: chunks ? [...followed, 'model.delta'] : followed,
    handle: (event, scope) => {
      content.note?.(event, scope);
      each(followers, (follower) => {
        follower.take(event, scope);
      });
    },
    spanContext: (event) => maker.contextOf(traces.at(event)),
    close: () => {
      each(followers, (follower) => {
        follower.close();
      });
    },
  };
};

const check = optionsCheck<OpenTelemetryOptions>({ code: 'input.invalid', owner: 'openTelemetry' }, () => ({
  tracerProvider: optional(objectWith(['getTracer'], 'not a tracer provider')),
  meterProvider: optional(objectWith(['getMeter'], 'not a meter provider')),
  spans: optional(oneOf(['names', 'full', 'off'])),
  redact: optional(aFunction()),
  maxCharacters: optional(wholeNumber(1)),
  chunks: optional(aBoolean()),
  parent: optional(aFunction()),
}));

const each = <Item>(items: readonly Item[], work: (item: Item) => void): void => {
  const fault = new FirstError();
  for (const item of items)
    fault.watch(() => {
      work(item);
    });
  fault.surface();
};

/** Claims by provider: two hooks with one provider share them. */
const claims = new WeakMap<object, Claims>();

const claimsOf = (provider: object): Claims => {
  const known = claims.get(provider) ?? new Map<string, object>();
  claims.set(provider, known);
  return known;
};
