import type { EventBody, RuntimeEvent } from '../contracts/event.ts';
import type { ModelDelta } from '../contracts/model.ts';
import type { StreamRedactor } from '../contracts/secrets/stream-redactor.ts';
import type { RunSecrets } from './run-secrets.ts';

/** A piece that was held back, and the call that it is of. */
export interface HeldDelta {
  readonly key: string;
  readonly delta: ModelDelta;
}

interface Stream {
  readonly key: string;
  readonly last: Exclude<ModelDelta, { type: 'progress' }>;
  readonly text: StreamRedactor;
}

/**
 * Takes secrets out of what models say in pieces: an end that may become one waits for the next piece, or for the end of the call.
 *
 * I1  A piece that neither is nor may become a secret is shown at once, as it is.
 */
export class RedactedDeltas {
  readonly #secrets: RunSecrets;
  /** By call, kind and place. */
  readonly #streams = new Map<string, Stream>();

  constructor(secrets: RunSecrets) {
    this.#secrets = secrets;
  }

  /** What can be shown of a piece by now; undefined where all of it waits. */
  shown(key: string, delta: ModelDelta): ModelDelta | undefined {
    if (delta.type === 'progress') return delta;
    const place = `${key} ${delta.type} ${delta.type === 'tool-call' ? delta.index : ''}`;
    const text = this.#streams.get(place)?.text ?? this.#secrets.stream();
    this.#streams.set(place, { key, last: delta, text });
    const shown = text.push(delta.text);
    if (shown === delta.text) return delta;
    return shown === '' ? undefined : { ...delta, text: shown };
  }

  /** What is left of a call's pieces where this event says that there will be none any more: of one that came to nothing, none. */
  ended(body: EventBody | RuntimeEvent): readonly HeldDelta[] {
    if (this.#streams.size === 0 || !('key' in body) || body.type === 'model.asked') return NONE;
    return [...this.#streams].flatMap(([place, { key, last, text }]): readonly HeldDelta[] => {
      if (key !== body.key) return [];
      this.#streams.delete(place);
      const rest = body.type === 'model.discarded' ? '' : text.end();
      return rest === '' ? [] : [{ key, delta: { ...last, text: rest } }];
    });
  }
}

const NONE: readonly HeldDelta[] = [];
