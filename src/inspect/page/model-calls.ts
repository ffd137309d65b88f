import type { MediaPart } from '../../contracts/content/part.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { RawAnswer, SentRequest } from '../../contracts/models/sent-request.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { PublishedEntry } from '../recording/entry.ts';

/** One request of a model, with its outcome. */
export interface ModelAttempt {
  /** The entry that it was asked in. */
  readonly n: number;
  readonly at: number;
  readonly key: string;
  readonly model: string;
  /** The size of what it was sent, and of what was new in it but in the first request of a process; absent where that was not recorded. */
  sent?: { readonly messages: number; readonly added: number | undefined } | undefined;
  status: 'asked' | 'answered' | 'failed' | 'interrupted' | 'discarded' | 'waiting';
  /** The reason why it came to nothing. */
  error?: ErrorData | undefined;
  /** Characters of the answer that came before it broke off. */
  broken?: number | undefined;
  /** The time in ms before the next one. */
  waitMs?: number | undefined;
  /** The raw answer beside its text. */
  raw?: RawAnswer | undefined;
  /** The reason why the model stopped. */
  finish?: string | undefined;
  tokens?: Usage | undefined;
  costUsd?: number | undefined;
  durationMs?: number | undefined;
  /** The time in ms to the first piece of the answer; absent where its stream was not seen. */
  firstMs?: number | undefined;
}

/** A model call. */
export interface ModelItem {
  readonly kind: 'model';
  /** The entry that started it. */
  readonly n: number;
  readonly at: number;
  text: string;
  reasoning?: string | undefined;
  /** The number of the event that has its answer. */
  seq?: number | undefined;
  /** Made beside its text. */
  media?: readonly MediaPart[] | undefined;
  /** In order: the last one is under way, or had the answer. */
  readonly attempts: readonly [ModelAttempt, ...ModelAttempt[]];
}

/** The attempt that tells how a call stands. */
export const lastAttempt = ({ attempts }: ModelItem): ModelAttempt => attempts.at(-1) ?? attempts[0];

/** A call that is added to. */
type OpenItem = ModelItem & { readonly attempts: ModelAttempt[] };

/** An attempt that is to be made. */
interface Announced {
  readonly item: OpenItem;
  readonly model: string;
  /** The beginning of its key, where that is known. */
  readonly begins: string;
}

/**
 * Model calls by their events: an attempt that follows another one is of the same call, whatever its key.
 *
 * The first attempt is the agent's own, all others are those of a call actor of it, with keys of their own; a call that is made again after a
 * crash has the key that it had.
 */
export class ModelCalls {
  /** By the keys of all attempts. */
  readonly #items = new Map<string, OpenItem>();
  readonly #announced: Announced[] = [];

  /** Takes in an event; false if it is about no known call. `begin` is called with a call that begins. */
  take(entry: PublishedEntry, event: LiveEvent, begin: (item: ModelItem) => void): boolean {
    if (event.type === 'model.retrying' || event.type === 'model.fell-back') return this.#announce(event);
    const told = newsOf(event, entry.firstMs);
    if (told === undefined) return false;
    // Of a recording that begins later, or had too long a request, there may be the end alone.
    const known = event.type === 'model.asked' ? undefined : this.#items.get(told.key);
    const item = known ?? this.#ask(entry, told, begin);
    Object.assign(lastAttempt(item), told.facts);
    Object.assign(item, told.said);
    return true;
  }

  /** Adds an attempt to its call, or begins one. */
  #ask({ n, at }: PublishedEntry, { key, model }: Told, begin: (item: ModelItem) => void): OpenItem {
    const attempt: ModelAttempt = { n, at, key, model, status: 'asked' };
    const known = this.#items.get(key) ?? this.#takeAnnounced(key, model);
    const item: OpenItem = known ?? { kind: 'model', n, at, text: '', attempts: [attempt] };
    this.#items.set(key, item);
    if (known === undefined) begin(item);
    else known.attempts.push(attempt);
    return item;
  }

  #announce(event: EventOf<'model.retrying' | 'model.fell-back'>): boolean {
    const { error, runId, path } = event;
    const isRetry = event.type === 'model.retrying';
    const item = this.#items.get(error.errorId ?? '') ?? this.#last(isRetry ? event.model : event.from);
    if (item === undefined) return false;
    // The actor that makes further attempts announces them, but for a first one that falls back.
    const begins = path.includes('/~') ? `${runId}/${path}#` : '';
    this.#announced.push({ item, model: isRetry ? event.model : event.to, begins });
    const facts = isRetry ? ({ status: 'waiting', waitMs: event.waitMs } as const) : {};
    Object.assign(lastAttempt(item), { error, ...facts });
    return true;
  }

  #takeAnnounced(key: string, model: string): OpenItem | undefined {
    const place = this.#announced.findLastIndex(
      (each) => each.model === model && key.startsWith(each.begins),
    );
    return place === -1 ? undefined : this.#announced.splice(place, 1)[0]?.item;
  }

  /** The last call of a model, for errors of old recordings that do not say theirs. */
  #last(model: string): OpenItem | undefined {
    return [...this.#items.values()].findLast((item) => lastAttempt(item).model === model);
  }
}

/** The news of an event about an attempt, and about the words of its call. */
interface Told {
  readonly key: string;
  readonly model: string;
  readonly facts: Partial<ModelAttempt>;
  readonly said: Partial<Pick<ModelItem, 'text' | 'reasoning' | 'seq'>>;
}

const newsOf = (event: LiveEvent, firstMs: number | undefined): Told | undefined => {
  switch (event.type) {
    case 'model.asked':
      return about(event, { sent: sizesOf(event.request) }, { text: '', reasoning: undefined });
    case 'model.answered': {
      const { text, reasoning, usage: tokens, costUsd, durationMs, finish, raw, seq } = event;
      const facts = { status: 'answered', tokens, costUsd, durationMs, finish, raw, firstMs } as const;
      return about(event, facts, { text, reasoning, seq });
    }
    case 'model.interrupted': {
      const { text, usage: tokens, costUsd } = event;
      const facts = { status: 'interrupted', broken: text.length, tokens, costUsd, firstMs } as const;
      return about(event, facts, { text });
    }
    case 'model.discarded': {
      const { characters: broken, usage: tokens, costUsd } = event;
      return about(event, { status: 'discarded', broken, tokens, costUsd, firstMs });
    }
    case 'model.failed':
      return about(event, { status: 'failed', error: event.error }, { text: event.error.message });
    default:
      return undefined;
  }
};

const about = (
  { key, model }: Pick<Told, 'key' | 'model'>,
  facts: Told['facts'],
  said: Told['said'] = {},
): Told => ({ key, model, facts, said });

const sizesOf = (request: SentRequest | undefined): ModelAttempt['sent'] =>
  request && {
    messages: request.turns.reduce((sum, [from, to]) => sum + to - from + 1, 0),
    added: request.isFirst === true ? undefined : request.added.length,
  };
