import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';
import type { StreamRedactor } from '../../contracts/secrets/stream-redactor.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** A delta that was held, and its call. */
export interface HeldDelta {
  readonly key: string;
  readonly delta: ModelDelta;
}

interface Stream {
  readonly key: string;
  readonly last: Exclude<ModelDelta, { type: 'progress' }>;
  readonly text: StreamRedactor;
  /** Text that waits for the whole; undefined if deltas are shown at once. */
  readonly held: string | undefined;
}

/**
 * Redacts streamed deltas: a trailing part that may become a secret waits for the next delta or the end of the call.
 *
 * I1 A delta that neither is nor may become a secret is shown at once, unchanged.
 * I2 Content with secret fields in its schema is shown only when it is complete, and never if it is discarded.
 */
export class RedactedDeltas {
  readonly #secrets: RunSecrets;
  /** By call, kind and index. */
  readonly #streams = new SmallMap<string, Stream>();

  constructor(secrets: RunSecrets) {
    this.#secrets = secrets;
  }

  /** Deltas to show before this one: a new kind follows the held text before it, unless that may be part of a secret. */
  before(key: string, delta: ModelDelta): readonly HeldDelta[] {
    if (delta.type === 'progress' || this.#streams.size === 0) return NONE;
    if (this.#streams.has(placeOf(key, delta))) return NONE;
    return [...this.#streams.values()].flatMap((stream): readonly HeldDelta[] => {
      if (stream.key !== key || stream.held !== undefined || stream.last.type === 'tool-call') return [];
      const text = stream.text.release();
      return text === '' ? [] : [{ key, delta: { ...stream.last, text } }];
    });
  }

  /** The part of a delta that can be shown now; undefined if all of it is held, as it is if `isHeld` is set on the first. */
  shown(key: string, delta: ModelDelta, isHeld = false): ModelDelta | undefined {
    if (delta.type === 'progress') return delta;
    const place = placeOf(key, delta);
    const before = this.#streams.get(place);
    const text = before?.text ?? this.#secrets.stream();
    const waiting = before === undefined ? (isHeld ? '' : undefined) : before.held;
    const held = waiting === undefined ? undefined : waiting + delta.text;
    const last = held === undefined || before === undefined ? delta : { ...before.last, ...delta };
    this.#streams.set(place, { key, last, text, held });
    if (held !== undefined) return undefined;
    text.use(this.#secrets.redactor);
    const shown = text.push(delta.text);
    if (shown === delta.text) return delta;
    return shown === '' ? undefined : { ...delta, text: shown };
  }

  /** Held deltas of the call that this event ends; none if it was discarded. */
  ended(body: EventBody | RuntimeEvent): readonly HeldDelta[] {
    if (this.#streams.size === 0 || !('key' in body) || body.type === 'model.asked') return NONE;
    return [...this.#streams].flatMap(([place, { key, last, text, held }]): readonly HeldDelta[] => {
      if (key !== body.key) return [];
      this.#streams.delete(place);
      const rest = this.#restOf(text, held, body.type);
      return rest === '' ? [] : [{ key, delta: { ...last, text: rest } }];
    });
  }

  /** Held deltas of a cancelled call, unless they may be part of a secret. */
  withdrawn(key: string): readonly HeldDelta[] {
    if (this.#streams.size === 0) return NONE;
    return [...this.#streams].flatMap(([place, { key: of, last, text, held }]): readonly HeldDelta[] => {
      if (of !== key) return [];
      this.#streams.delete(place);
      const rest = held === undefined ? text.release() : '';
      return rest === '' ? [] : [{ key, delta: { ...last, text: rest } }];
    });
  }

  #restOf(text: StreamRedactor, held: string | undefined, type: EventBody['type']): string {
    if (type === 'model.discarded') return '';
    if (held !== undefined) return type === 'model.answered' ? this.#secrets.text(held) : '';
    text.use(this.#secrets.redactor);
    return text.end();
  }
}

const placeOf = (key: string, delta: ModelDelta): string =>
  `${key} ${delta.type} ${delta.type === 'tool-call' ? delta.index : ''}`;

const NONE: readonly HeldDelta[] = [];
