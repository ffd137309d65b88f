import type { JsonObject } from '../../../base/json/json.ts';
import type { UiChunk } from './ui-chunk.ts';

type BlockKind = 'text' | 'reasoning';

/** The model call that a block belongs to. */
export interface UiVoice {
  readonly key: string;
  /** The speaker, where it is not the root of the run. */
  readonly member?: JsonObject | undefined;
}

/** A text that was sent, or reasoning. */
interface Block {
  readonly kind: BlockKind;
  readonly id: string;
  readonly voice: UiVoice;
  sent: string;
  isOpen: boolean;
}

/** Everything else that was sent: of a model call, where it is withdrawn with its answer. */
interface Extra {
  readonly chunk: UiChunk;
  readonly key: string | undefined;
}

/** A call whose arguments stream. */
interface StreamedInput {
  readonly toolCallId: string;
  readonly toolName: string;
}

/**
 * Owns the open step of a message: all that a client shows since the last `start-step`.
 *
 * A client can remove the open step, and nothing else. So what may still be discarded is never in an earlier one, and
 * what is not discarded is sent again.
 *
 * I1  A step begins only while no block is open.
 * I2  After `discard(key)` the client shows nothing of that model call, and all else as before.
 */
export class UiStep {
  readonly #canReset: boolean;
  #place: string | undefined;
  #held: (Block | Extra)[] = [];
  /** By key, what was sent of an answer under way, over all of its blocks. */
  readonly #sent = new Map<string, Record<BlockKind, string>>();
  readonly #inputs = new Map<string, StreamedInput[]>();
  #blocks = 0;

  constructor(canReset: boolean) {
    this.#canReset = canReset;
  }

  /** Begins the step of `place` if it is another one, nothing is open, and `isFree`. The first one begins in any case. */
  enter(place: string, isFree: boolean): readonly UiChunk[] {
    if (place === this.#place) return [];
    const isBusy = !isFree || this.#inputs.size > 0 || this.#held.some(isOpenBlock);
    if (this.#place !== undefined && isBusy) return [];
    const ended = this.#place === undefined ? [] : [FINISH_STEP];
    this.#place = place;
    this.#held = [];
    return [...ended, { type: 'start-step' }];
  }

  /** The text or reasoning of an answer under way that was sent so far. */
  sent(key: string, kind: BlockKind): string {
    return this.#sent.get(key)?.[kind] ?? '';
  }

  say(kind: BlockKind, voice: UiVoice, delta: string): readonly UiChunk[] {
    const { key } = voice;
    const so = this.#sent.get(key) ?? { text: '', reasoning: '' };
    so[kind] += delta;
    this.#sent.set(key, so);
    const open = this.#openOf(key);
    if (open?.kind === kind) {
      open.sent += delta;
      return [deltaOf(open, delta)];
    }
    const ended = open === undefined ? [] : [closeBlock(open)];
    this.#blocks += 1;
    const block: Block = { kind, id: `${key}.${this.#blocks}`, voice, sent: delta, isOpen: true };
    this.#held.push(block);
    return [...ended, startOf(block), deltaOf(block, delta)];
  }

  /** Sends a part that is no block; with a `key`, it is withdrawn with the answer of that model call. */
  add(chunk: UiChunk, key?: string): UiChunk {
    this.#held.push({ chunk, key });
    return chunk;
  }

  /** Notes a call whose arguments stream, so that it can be withdrawn. */
  streams(key: string, input: StreamedInput): void {
    this.#inputs.set(key, [...(this.#inputs.get(key) ?? []), input]);
  }

  /** Ends the blocks of a model call whose answer is whole. */
  close(key: string): readonly UiChunk[] {
    this.#sent.delete(key);
    this.#inputs.delete(key);
    const open = this.#openOf(key);
    return open === undefined ? [] : [closeBlock(open)];
  }

  /** Removes all that was sent of a model call; for a client that cannot remove it, it is marked as discarded. */
  discard(key: string): readonly UiChunk[] {
    const inputs = this.#inputs.get(key) ?? [];
    this.#inputs.delete(key);
    this.#sent.delete(key);
    if (!this.#canReset) return this.#mark(key, inputs);
    const kept = this.#held.filter((each) => keyOf(each) !== key);
    if (kept.length === this.#held.length) return [];
    this.#held = kept;
    return [{ type: 'reset-step' }, ...kept.flatMap(againOf)];
  }

  /** Ends everything that is open, and the step. */
  finish(): readonly UiChunk[] {
    const open = this.#held.filter(isOpenBlock).map(closeBlock);
    this.#sent.clear();
    this.#inputs.clear();
    const ended = this.#place === undefined ? [] : [FINISH_STEP];
    this.#place = undefined;
    return [...open, ...ended];
  }

  #mark(key: string, inputs: readonly StreamedInput[]): readonly UiChunk[] {
    const open = this.#openOf(key);
    const ended: readonly UiChunk[] =
      open === undefined ? [] : [{ ...closeBlock(open), providerMetadata: DISCARDED_BY_TROUPE }];
    const withdrawn = inputs.map((input): UiChunk => ({
      type: 'tool-input-error',
      ...input,
      input: null,
      errorText: 'The answer of the model was discarded',
    }));
    return [...ended, ...withdrawn];
  }

  #openOf(key: string): Block | undefined {
    return this.#held.filter(isOpenBlock).find(({ voice }) => voice.key === key);
  }
}

const FINISH_STEP: UiChunk = { type: 'finish-step' };

const DISCARDED_BY_TROUPE = { troupe: { isDiscarded: true } };

const isBlock = (each: Block | Extra): each is Block => 'kind' in each;

const isOpenBlock = (each: Block | Extra): each is Block => isBlock(each) && each.isOpen;

const keyOf = (each: Block | Extra): string | undefined => (isBlock(each) ? each.voice.key : each.key);

const startOf = ({ kind, id, voice: { member } }: Block): UiChunk => ({
  type: `${kind}-start`,
  id,
  ...(member === undefined ? {} : { providerMetadata: { troupe: member } }),
});

const deltaOf = ({ kind, id }: Block, delta: string): UiChunk => ({ type: `${kind}-delta`, id, delta });

/** Ends a block. */
const closeBlock = (block: Block): Extract<UiChunk, { type: 'text-end' | 'reasoning-end' }> => {
  block.isOpen = false;
  return { type: `${block.kind}-end`, id: block.id };
};

/** The parts that make a client show again what it showed. */
const againOf = (each: Block | Extra): readonly UiChunk[] => {
  if (!isBlock(each)) return [each.chunk];
  const { kind, id, sent, isOpen } = each;
  return [startOf(each), deltaOf(each, sent), ...(isOpen ? [] : [{ type: `${kind}-end`, id } as const])];
};
