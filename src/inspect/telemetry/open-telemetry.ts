import type { Context, MeterProvider, SpanContext, TracerProvider } from '@opentelemetry/api';
import type { Hook, HookScope, LiveEvent } from '../../contracts/event.ts';
import { redactorOf } from '../../policy/redaction.ts';
import { Fault } from './fault.ts';
import { WorkFollower } from './follow-work.ts';
import { followed } from './followed-events.ts';
import type { Claims } from './followed-run.ts';
import { Measures } from './instruments.ts';
import { loadApi } from './load-api.ts';
import { fullContent, noContent } from './span-content.ts';
import { SpanMaker } from './spans.ts';

/** What {@link openTelemetry} may be told. */
export interface OpenTelemetryOptions {
  /** Default: the one that the process has registered. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the one that the process has registered. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * What spans say. `names` (default): names, numbers, codes of errors, nothing of what people, models or tools said. `full`: also
   * arguments, results, answers, input and output, with secrets taken out. `off`: no spans, only metrics.
   */
  readonly spans?: 'names' | 'full' | 'off' | undefined;
  /** Takes secrets out of a text, where spans are `full`. Default: the secrets in the environment, as `[redacted NAME]`. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The longest attribute that spans may have where they are `full`, in characters. Default 8,192. */
  readonly maxCharacters?: number | undefined;
  /** Listens to the pieces of answers, for the time to the first one. Default false: models need not stream, then. */
  readonly chunks?: boolean | undefined;
  /**
   * What a run is a part of, from its `context` (of `run(input, { context })`) or its thread. Default: the span that is active where the
   * run is started.
   */
  readonly parent?: ((scope: HookScope) => Context | undefined) | undefined;
}

/** A hook that makes spans and metrics. */
export interface OpenTelemetryHook extends Hook {
  /** Where an event belongs in its trace, while its run is under way: for the lines of a log. */
  spanContext(event: Pick<LiveEvent, 'runId' | 'path'>): SpanContext | undefined;
  /** Ends all spans that are open: for a process that stops while runs are under way. */
  close(): void;
}

/**
 * Spans and metrics by the OpenTelemetry conventions for generative AI: `invoke_workflow` for teams, `invoke_agent`, `chat` for every
 * attempt of a model call, `execute_tool`; retries, approvals and the like are events of them. Times are the run's own.
 *
 * A span's parent follows from the address of its actor, so members at work at the same time never mix; work that was given away to be
 * done meanwhile is linked to the call that gave it. The first span of a run is a child of the span that is active where `run` or
 * `stream` is called. A run that waits in line for its engine begins elsewhere: name its parent by `parent` and `context`.
 *
 * However often it is attached, to an engine and to a run, and also where two of these hooks have one provider, a span is made once. The
 * models of this package keep their SDKs from making spans of their own; whoever brings a client has to do so for it.
 *
 * A run that is resumed is told again from its first event, so its trace is whole, and apart from that of the part before it was cut off.
 *
 * @example
 * const traced = await openTelemetry(); // with whatever the process has registered
 * const engine = createGlobalEngine({ hooks: [traced] });
 * await tracer.startActiveSpan('request', async (span) => {
 *   await engine.execute(desk, '…', { thread: 'conversation-1' }); // its spans are children of `request`
 *   span.end();
 * });
 *
 * @throws (rejects with) `telemetry.package-missing` where `@opentelemetry/api` is not installed.
 */
export const openTelemetry = async (options: OpenTelemetryOptions = {}): Promise<OpenTelemetryHook> => {
  const api = await loadApi();
  const { spans = 'names', chunks = false, parent } = options;
  const tracers = options.tracerProvider ?? api.trace.getTracerProvider();
  const meters = options.meterProvider ?? api.metrics.getMeterProvider();
  const secrets = redactorOf();
  const redact = options.redact ?? ((text: string) => secrets.text(text));
  const content = spans === 'full' ? fullContent(redact, options.maxCharacters ?? 8_192) : noContent;
  const maker = new SpanMaker({
    api,
    tracer: tracers.getTracer('troupe'),
    content,
    parent: (scope) => parent?.(scope) ?? api.context.active(),
  });
  // The registered one stands behind a proxy: whoever names it means the same.
  const real = tracers instanceof api.ProxyTracerProvider ? tracers.getDelegate() : tracers;
  const traces = new WorkFollower(maker, claimsOf(real));
  const measures = new WorkFollower(new Measures(meters.getMeter('troupe')), claimsOf(meters));
  const followers = spans === 'off' ? [measures] : [traces, measures];
  return {
    name: 'open-telemetry',
    // Told first, so that a log can ask where an event belongs.
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

const each = <Item>(items: readonly Item[], work: (item: Item) => void): void => {
  const fault = new Fault();
  for (const item of items)
    fault.watch(() => {
      work(item);
    });
  fault.surface();
};

/** Who tells a provider of what: two hooks with one provider share it. */
const claims = new WeakMap<object, Claims>();

const claimsOf = (provider: object): Claims => {
  const known = claims.get(provider) ?? new Map<string, object>();
  claims.set(provider, known);
  return known;
};
