import { TroupeError } from '../../contracts/error.ts';
import type { Clock } from '../../contracts/clock.ts';
import { systemClock } from '../../contracts/clock.ts';
import type { Hook, HookScope, LiveEvent } from '../../contracts/event.ts';
import type { EventRegistry } from './event-registry.ts';
import { clearing } from './clearing.ts';
import { Drafts } from './drafts.ts';
import { Outbox } from './outbox.ts';
import type { PublicationKind } from './publication.ts';
import type { Publisher } from './publisher.ts';
import type { Secrets } from '../../policy/redaction.ts';
import type { Silence } from './silence.ts';
import { silenceOf } from './silence.ts';

/** What is published, when, and what becomes of what cannot be. Times are in ms. */
export interface PublishOptions {
  /** What is published. Default: everything. */
  readonly kinds?: readonly PublicationKind[] | undefined;
  /**
   * Whose words, errors, calls and typing are not published: names, or a rule. Default: the orchestrator of a team. How the run ended is
   * always published.
   */
  readonly silent?: Silence | undefined;
  /** The wait for more before a batch goes; at the end of a sentence, and for all that is no text, only since the last. Default 100. */
  readonly batchMs?: number | undefined;
  /** Publications in a batch at most. Default 100. */
  readonly maxBatch?: number | undefined;
  /** Publications that wait at most, for each run. Default 1,000. */
  readonly capacity?: number | undefined;
  /** What goes where too many wait. Default `dropOldest`. The end of the run never goes. */
  readonly overflow?: 'dropOldest' | 'dropNewest' | undefined;
  /** The number of times that a batch is tried before it is given up, and reported as dropped. Default: as long as the run, and `flushMs`, last. */
  readonly attempts?: number | undefined;
  /** The wait after the first failure; it doubles from there. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** The longest wait. Default 30,000. */
  readonly maxRetryMs?: number | undefined;
  /** The time that one attempt may take. Default 10,000. */
  readonly attemptMs?: number | undefined;
  /** The time that the run's result waits for the rest to be published. Default 5,000. */
  readonly flushMs?: number | undefined;
  /** The time that somebody is shown as typing at least, unless the run ends. Default 5,000. */
  readonly typingMs?: number | undefined;
  /** What must not be seen, by name. Default: the environment's keys, tokens, secrets and passwords. */
  readonly secrets?: Secrets | undefined;
  /** Events of the app's own: with it, only those that it knows are published. Default: all. */
  readonly events?: EventRegistry | undefined;
  /** Default: the clock of each run. */
  readonly clock?: Clock | undefined;
}

/** How publishing has fared so far, over all runs; in publications. */
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
 * A hook that publishes what runs say and do, for people elsewhere: numbered, in batches, at least once, in order.
 *
 * The run waits for it only at its end, where the result comes once the rest is published, or `flushMs` have passed. A publisher
 * that fails is `observer.failed`, once for each time that it begins to fail; what is lost is `observer.dropped`, and told in the next
 * batch. One hook serves any number of runs.
 *
 * @example
 * const chat = publishTo({ name: 'chat', publish: async ({ publications }) => room.send(publications) });
 * await desk.run('…', { hooks: [chat] });
 * await chat.close();
 *
 * @throws {TroupeError} `publishing.invalid` for a number that bounds nothing.
 */
export const publishTo = (publisher: Publisher, options: PublishOptions = {}): PublishingHook => {
  const settings = { ...defaults, ...given(options) };
  checkSettings(publisher.name, settings);
  const isSilent = silenceOf(options.silent);
  const kinds: ReadonlySet<PublicationKind> | undefined = options.kinds && new Set(options.kinds);
  const cleared = clearing(options.secrets);
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

/** News of observers is not published: whoever fails at publishing would publish that, too. */
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

const given = (options: PublishOptions): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key in defaults && value !== undefined),
  );

const checkSettings = (name: string, settings: Settings): void => {
  for (const [key, least] of Object.entries(LEAST)) {
    const value: unknown = Reflect.get(settings, key);
    if (typeof value !== 'number' || !(value >= least))
      throw new TroupeError(
        'publishing.invalid',
        `Cannot publish to '${name}' as '${key}' is at least ${least}: ${String(value)}`,
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
