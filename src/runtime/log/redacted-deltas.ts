import type { EventBody, RuntimeEvent } from '../../contracts/event.ts';
import type { ModelDelta } from '../../contracts/model.ts';
import type { StreamRedactor } from '../../contracts/secrets/stream-redactor.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** A piece that was held back, and the call that it is of. */
export interface HeldDelta {
  readonly key: string;
  readonly delta: ModelDelta;
}

interface Stream {
  readonly key: string;
  readonly last: Exclude<ModelDelta, { type: 'progress' }>;
  readonly text: StreamRedactor;
  /** What waits for the whole; undefined where nothing does. */
  readonly held: string | undefined;
}

/**
 * Takes secrets out of what models say in pieces: an end that may become one waits for the next piece, or for the end of the call.
 *
 * I1  A piece that neither is nor may become a secret is shown at once, as it is.
 * I2  Of what has secrets in it by its schema nothing is shown before it is whole, and nothing of what never is.
 */
export class RedactedDeltas {
  readonly #secrets: RunSecrets;
  /** By call, kind and place. */
  readonly #streams = new SmallMap<string, Stream>();

  constructor(secrets: RunSecrets) {
    this.#secrets = secrets;
  }

  /** What is shown before a piece: what begins comes after the words in front of it, unless these may be a part of a secret. */
  before(key: string, delta: ModelDelta): readonly HeldDelta[] {
    if (delta.type === 'progress' || this.#streams.size === 0) return NONE;
    if (this.#streams.has(placeOf(key, delta))) return NONE;
    return [...this.#streams.values()].flatMap((stream): readonly HeldDelta[] => {
      if (stream.key !== key || stream.held !== undefined || stream.last.type === 'tool-call') return [];
      const text = stream.text.release();
      return text === '' ? [] : [{ key, delta: { ...stream.last, text } }];
    });
  }

  /** What can be shown of a piece by now; undefined where all of it waits, as it does where `isHeld` is said of the first. */
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

  /** What is left of a call's pieces where this event says that there will be none any more: of one that came to nothing, none. */
  ended(body: EventBody | RuntimeEvent): readonly HeldDelta[] {
    if (this.#streams.size === 0 || !('key' in body) || body.type === 'model.asked') return NONE;
    return [...this.#streams].flatMap(([place, { key, last, text, held }]): readonly HeldDelta[] => {
      if (key !== body.key) return [];
      this.#streams.delete(place);
      const rest = this.#restOf(text, held, body.type);
      return rest === '' ? [] : [{ key, delta: { ...last, text: rest } }];
    });
  }

  /** What is left of a call that nobody waits for any more, unless it may be a part of a secret. */
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
