import { TroupeError } from '../../contracts/errors/error.ts';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import type { Hook, HookScope, LiveEvent } from '../../contracts/events/event.ts';
import type { EventRegistry } from './event-registry.ts';
import { publicationRedactor } from './redact-publication.ts';
import { Drafts } from './drafts.ts';
import { Outbox } from './outbox.ts';
import type { PublicationKind } from './publication.ts';
import type { Publisher } from './publisher.ts';
import type { Secrets } from '../../policy/redaction.ts';
import type { Silence } from './silence.ts';
import { silenceOf } from './silence.ts';

/** Options of publishing: content, timing, and handling of failures. Times are in ms. */
export interface PublishOptions {
  /** The kinds to publish. Default: all. */
  readonly kinds?: readonly PublicationKind[] | undefined;
  /**
   * Agents whose text, errors, calls and typing are not published: names, or a rule. Default: the orchestrator of a
   * team. The end of the run is always published.
   */
  readonly silent?: Silence | undefined;
  /**
   * Time to wait for more before a batch is sent; at the end of a sentence, and for anything but text, counted from the
   * last batch. Default 100.
   */
  readonly batchMs?: number | undefined;
  /** Publications in a batch at most. Default 100. */
  readonly maxBatch?: number | undefined;
  /** Publications that wait at most, for each run. Default 1,000. */
  readonly capacity?: number | undefined;
  /** The end at which a full buffer drops. Default `dropOldest`. The end of the run is never dropped. */
  readonly overflow?: 'dropOldest' | 'dropNewest' | undefined;
  /**
   * Number of attempts before a batch is abandoned, and reported as dropped. Default: until the end of the run, plus
   * `flushMs`.
   */
  readonly attempts?: number | undefined;
  /** The wait after the first failure; it doubles from there. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** The longest wait. Default 30,000. */
  readonly maxRetryMs?: number | undefined;
  /** The time that one attempt may take. Default 10,000. */
  readonly attemptMs?: number | undefined;
  /** The time that the run's result waits for the rest to be published. Default 5,000. */
  readonly flushMs?: number | undefined;
  /** Minimum time for which an agent is shown as typing, unless the run ends. Default 5,000. */
  readonly typingMs?: number | undefined;
  /** Secrets to redact, by name. Default: the environment's keys, tokens, secrets and passwords. */
  readonly secrets?: Secrets | undefined;
  /** An app's custom events: if set, only those defined in it are published. Default: all. */
  readonly events?: EventRegistry | undefined;
  /** Default: the clock of each run. */
  readonly clock?: Clock | undefined;
}

/** Statistics of publishing over all runs; in publications. */
export interface PublishStats {
  readonly published: number;
  readonly dropped: number;
  readonly waiting: number;
}

/** A hook that publishes. */
export interface PublishingHook extends Hook, AsyncDisposable {
  readonly stats: PublishStats;
  flush(runId: string): Promise<void>;
  /** Waits until all runs are flushed, and then closes the publisher. */
  close(): Promise<void>;
}

interface RunPublishing {
  readonly drafts: Drafts;
  readonly outbox: Outbox;
}

/**
 * A hook that publishes a run's progress for people elsewhere: numbered, in batches, at least once, in order.
 *
 * The run waits for it only at its end: its result follows once the rest is published, or `flushMs` have passed. A
 * failing publisher is reported as `observer.failed`, once for each time that it starts to fail; losses are reported as
 * `observer.dropped`, and in the next batch. One hook serves any number of runs.
 *
 * @example
 * const chat = publishTo({ name: 'chat', publish: async ({ publications }) => room.send(publications) });
 * await desk.run('…', { hooks: [chat] });
 * await chat.close();
 *
 * @throws {TroupeError} `publishing.invalid` for an invalid limit.
 */
export const publishTo = (publisher: Publisher, options: PublishOptions = {}): PublishingHook => {
  const settings = { ...defaults, ...givenOptions(options) };
  checkSettings(publisher.name, settings);
  const isSilent = silenceOf(options.silent);
  const kinds: ReadonlySet<PublicationKind> | undefined = options.kinds && new Set(options.kinds);
  const cleared = publicationRedactor(options.secrets);
  const runs = new Map<string, RunPublishing>();
  let published = 0;
  let dropped = 0;

  const begin = (runId: string, scope: HookScope): RunPublishing => {
    const clock = options.clock ?? scope.clock ?? systemClock;
    const outbox = new Outbox({
      ...settings,
      runId,
      publisher,
      clock,
      cleared,
      failed: (error) => scope.failed?.(error),
      published: (count) => {
        published += count;
      },
      dropped: (count) => {
        dropped += count;
        scope.dropped?.(count);
      },
    });
    const drafts = new Drafts({
      clock,
      typingMs: settings.typingMs,
      isSilent,
      add: (draft, isUrgent) => {
        if (kinds?.has(draft.type) ?? true) outbox.add(draft, isUrgent);
      },
    });
    const run = { drafts, outbox };
    runs.set(runId, run);
    return run;
  };

  const end = async (runId: string): Promise<void> => {
    const run = runs.get(runId);
    if (run === undefined) return;
    run.drafts.end();
    await run.outbox.end();
    if (runs.get(runId) === run) runs.delete(runId);
  };
  const close = async (): Promise<void> => {
    await Promise.all([...runs.keys()].map(end));
    await publisher.close?.();
  };

  return {
    name: publisher.name,
    // A little more than it takes by itself.
    timeoutMs: settings.flushMs + 1_000,
    get stats() {
      const waiting = [...runs.values()].reduce((sum, { outbox }) => sum + outbox.waiting, 0);
      return { published, dropped, waiting };
    },
    handle: (event, scope) => {
      if (isNews(event) || options.events?.admits(event) === false) return;
      const { drafts } = runs.get(event.runId) ?? begin(event.runId, scope);
      drafts.take(event);
    },
    flush: end,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Reports of observers are not published: a failing publisher would publish its own failure. */
const isNews = ({ type }: LiveEvent): boolean => type === 'observer.failed' || type === 'observer.dropped';

const defaults = {
  batchMs: 100,
  maxBatch: 100,
  capacity: 1_000,
  overflow: 'dropOldest',
  attempts: Infinity,
  retryMs: 1_000,
  maxRetryMs: 30_000,
  attemptMs: 10_000,
  flushMs: 5_000,
  typingMs: 5_000,
} as const;

type Settings = {
  readonly [Key in keyof typeof defaults]: Key extends 'overflow' ? 'dropOldest' | 'dropNewest' : number;
};

const givenOptions = (options: PublishOptions): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key in defaults && value !== undefined),
  );

const checkSettings = (name: string, settings: Settings): void => {
  for (const [key, least] of Object.entries(LEAST)) {
    const value: unknown = Reflect.get(settings, key);
    if (typeof value !== 'number' || !(value >= least))
      throw new TroupeError(
        'publishing.invalid',
        `Cannot publish to '${name}' as '${key}' must be at least ${least}: ${String(value)}`,
      );
  }
};

const LEAST = {
  batchMs: 0,
  maxBatch: 1,
  capacity: 1,
  attempts: 1,
  retryMs: 0,
  maxRetryMs: 0,
  attemptMs: 1,
  flushMs: 0,
  typingMs: 0,
} as const;
