import type { Json } from '../../base/json/json.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import { areOrigins } from '../../contracts/tools/origins.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { blobsOf } from './blobs-of.ts';
import type { Content, GivenPart, MediaPart, Part } from '../../contracts/content/part.ts';
import { contentText } from '../../contracts/content/part.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { BlobStore } from '../../contracts/content/blob-store.ts';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import { readParts } from '../../contracts/content/read-content.ts';
import type { BlobHolder } from '../../contracts/journals/journal.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Definition } from '../define/definition.ts';
import type { GivenBlobs } from './read-given.ts';
import { readInput, readTurns, takenHistory } from './read-given.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { HeldBytes, HoldPlace } from './hold-blobs.ts';

/**
 * The media of one run. Owns the bytes on their way to the blob store; machines, events and records have references.
 *
 * I1 A record that refers to bytes is committed after they are stored: who writes it awaits `written` first.
 * I2 Of a stored run they are held before they are stored, so that pruning another run leaves them.
 */
export class RunContent {
  readonly convert: ContentOptions['convert'];
  readonly #options: ContentOptions;
  readonly #runId: string | undefined;
  readonly #given: Pick<RunOptions, 'content' | 'store' | 'threads'>;
  #blobs: BlobStore | undefined;
  /** Bytes that are being stored. */
  readonly #pending = new Map<
    string,
    { readonly bytes: Uint8Array | undefined; readonly stored: Promise<void> }
  >();
  /** Of a run that holds its bytes: those to be held and stored before the next record, as only then the store has the run. */
  #wanted = new Map<string, Uint8Array | undefined>();
  /** Hashes that were stored, or held. */
  readonly #known = new Set<string>();
  #failure: TroupeError | undefined;
  /** Bytes that were given or read, where they are in memory only; undefined if they have a place of their own. */
  readonly #own: Map<string, Uint8Array> | undefined;
  readonly #fitted = new Map<string, WeakMap<Turn, Turn>>();

  constructor(
    options: Pick<RunOptions, 'content' | 'store' | 'threads'>,
    given?: GivenBlobs,
    runId?: string,
  ) {
    const { content = {} } = options;
    this.#options = content;
    this.convert = content.convert;
    this.#given = options;
    this.#runId = runId;
    this.#own = content.blobs === undefined && options.store === undefined ? new Map() : undefined;
    if (given !== undefined) for (const [hash, bytes] of given) this.#keep(hash, bytes);
  }

  /** Bytes that are lost with this process. */
  get unstored(): GivenBlobs {
    return this.#own ?? NO_BLOBS;
  }

  /** Reads parts as they were given, and stores their bytes. @throws {TroupeError} `content.*` */
  take(parts: readonly unknown[]): readonly Part[] {
    return readParts(parts, this.#keep, this.#options);
  }

  /** Takes the bytes out of the input of an agent of the run. @throws {TroupeError} `content.*`, `input.invalid` */
  takeInput(definition: Definition, input: unknown): Json {
    return readInput(definition, input, this.#keep, this.#options);
  }

  /** Takes the bytes out of the earlier turns of an agent of the run. @throws {TroupeError} `content.*` */
  takeHistory(given: readonly Turn<GivenPart>[]): readonly Turn[] {
    return takenHistory({ history: readTurns(given, this.#keep, this.#options) }) ?? [];
  }

  /** A message of a text, of parts, or as it is, with its parts read. @throws {TroupeError} `content.*` */
  messageOf(given: Content | Message): Message {
    if (typeof given === 'string') return { from: 'person', text: given };
    if (!Array.isArray(given)) checkMessage(given);
    if ('text' in given)
      return given.parts === undefined ? given : { ...given, parts: this.take(given.parts) };
    const parts = this.take(given);
    return { from: 'person', text: contentText(parts), parts };
  }

  /** Stores a text, whatever its length: it is the run's own. Its name is its source with a part of its hash. */
  putAside(text: string, source: string): MediaPart {
    const bytes = new TextEncoder().encode(text);
    const hash = platformSha256(bytes);
    this.#keep(hash, bytes);
    const name = `${source}-${hash.slice(0, HASH_IN_NAME)}`;
    return { type: 'file', hash, mediaType: 'text/plain', size: bytes.byteLength, name };
  }

  /** Holds the bytes that a value refers to before the next record is committed. */
  async refer(value: unknown): Promise<void> {
    if (!this.#isHolding) return;
    const { hashesIn } = await import('./hold-blobs.ts');
    for (const hash of hashesIn(value)) this.#keep(hash);
  }

  /** Holds the bytes that a value refers to for somebody else; a failure is one of the run. */
  async holdFor(holder: BlobHolder, value: unknown): Promise<void> {
    if (!this.#isHolding) return;
    const { hashesIn } = await import('./hold-blobs.ts');
    const hashes = hashesIn(value);
    if (hashes.size > 0) await this.#hold(holder, new Map([...hashes].map((hash) => [hash, undefined])));
  }

  /** Stores bytes under their hash, and holds those that are referred to. */
  readonly #keep = (hash: string, bytes?: Uint8Array): void => {
    if (this.#pending.has(hash) || this.#known.has(hash)) return;
    if (bytes !== undefined) this.#own?.set(hash, bytes);
    if (!this.#isHolding) {
      if (bytes !== undefined) this.#put(hash, bytes);
    } else if (this.#given.store !== undefined) this.#wanted.set(hash, bytes ?? this.#wanted.get(hash));
    else if (bytes !== undefined) {
      const blobs = new Map([[hash, bytes]]);
      this.#await(blobs, this.#hold('outside', blobs));
    }
  };

  #put(hash: string, bytes: Uint8Array): void {
    try {
      const storing = this.#store.put(hash, bytes);
      if (isThenable(storing)) this.#await(new Map([[hash, bytes]]), Promise.resolve(storing));
      else this.#known.add(hash);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #await(blobs: HeldBytes, storing: Promise<void>): void {
    const stored = storing.then(
      () => {
        for (const hash of blobs.keys()) {
          this.#pending.delete(hash);
          this.#known.add(hash);
        }
      },
      (thrown: unknown) => {
        this.#failed(thrown);
      },
    );
    for (const [hash, bytes] of blobs) this.#pending.set(hash, { bytes, stored });
  }

  async #hold(holder: BlobHolder, blobs: HeldBytes): Promise<void> {
    try {
      const { holdBlobs } = await import('./hold-blobs.ts');
      const { store, content } = this.#given;
      const place: HoldPlace = { store, blobs: this.#store, isInStore: content?.blobs === undefined };
      await holdBlobs(place, holder, blobs);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** True if bytes may be removed from where they are. */
  get #isHolding(): boolean {
    const { content: { blobs } = {}, store } = this.#given;
    if (this.#runId === undefined) return false;
    return blobs === undefined
      ? store?.hold !== undefined
      : blobs.remove !== undefined && blobs.names !== undefined;
  }

  /** Reads the bytes of a part. Rejects with `content.missing` if the store has them not. */
  async bytesOf({ hash, name, mediaType, type }: MediaPart): Promise<Uint8Array> {
    const bytes = this.#pending.get(hash)?.bytes ?? this.#wanted.get(hash) ?? (await this.#read(hash));
    if (bytes !== undefined && platformSha256(bytes) === hash) {
      this.#own?.set(hash, bytes);
      return bytes;
    }
    throw new TroupeError(
      'content.missing',
      `Cannot read the ${type} '${name ?? mediaType}' as its bytes are ${bytes === undefined ? 'not' : 'damaged'} in ${this.#store.name}: ${hash}. Give the run the store that has them (\`content.blobs\`)`,
    );
  }

  async #read(hash: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#store.get(hash);
    if (bytes !== undefined || this.#store.names === undefined) return bytes;
    const { readHeld } = await import('../../contracts/content/held-blobs.ts');
    return readHeld(this.#store, hash);
  }

  /** Resolves when all bytes taken so far are stored; undefined if they are. Rejects if that failed. */
  written(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#wanted.size > 0 && this.#runId !== undefined) {
      const wanted = this.#wanted;
      this.#wanted = new Map();
      this.#await(wanted, this.#hold({ runId: this.#runId }, wanted));
    }
    if (this.#pending.size === 0) return undefined;
    return Promise.all([...this.#pending.values()].map(({ stored }) => stored)).then(() => {
      if (this.#failure !== undefined) throw this.#failure;
    });
  }

  /** Turns with their parts converted for the model of that name: each is converted once. */
  fittedTo(model: string): WeakMap<Turn, Turn> {
    const known = this.#fitted.get(model) ?? new WeakMap<Turn, Turn>();
    this.#fitted.set(model, known);
    return known;
  }

  /** Opened on first use, as most runs have no media. */
  get #store(): BlobStore {
    return (this.#blobs ??= blobsOf(this.#given));
  }

  #failed(thrown: unknown): void {
    const message = `Cannot store the bytes of media in ${this.#store.name}`;
    this.#failure ??= toError(errorData(thrown, 'journal.failed', { message }));
  }
}

/** Characters of a hash that tell the texts of a conversation apart. */
const HASH_IN_NAME = 12;

const NO_BLOBS: GivenBlobs = new Map();

/** Checks what is neither a text nor a list of parts. */
const checkMessage = (given: unknown): void => {
  const { text, origins = [] } = isObject(given) ? (given as Partial<Record<keyof Message, unknown>>) : {};
  if (typeof text === 'string' && areOrigins(origins)) return;
  throw new TroupeError(
    'content.invalid',
    `Cannot send what is neither a text, nor a list of parts, nor a message with text (names as origins): found ${foundText(given)}`,
  );
};
