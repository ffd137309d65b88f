import { platformSha256 } from '../../base/platform-sha256.ts';
import { blobsOf } from './blobs-of.ts';
import { contentText } from '../../contracts/content/content-text.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { BlobStore } from '../../contracts/content/blob-store.ts';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import type { Content, MediaPart, Part } from '../../contracts/content/part.ts';
import { readParts } from '../../contracts/content/read-content.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Definition } from '../define/definition.ts';
import type { GivenBlobs } from './read-given.ts';
import { readInput } from './read-given.ts';
import { isThenable } from '../../base/promises/thenable.ts';

/**
 * The media of one run. Owns the bytes on their way to the blob store; machines, events and records have references.
 *
 * I1 A record that refers to bytes is committed after they are stored: who writes it awaits `written` first.
 */
export class RunContent {
  readonly convert: ContentOptions['convert'];
  readonly #options: ContentOptions;
  readonly #place: () => BlobStore;
  #blobs: BlobStore | undefined;
  /** Bytes that are being stored. */
  readonly #pending = new Map<string, { readonly bytes: Uint8Array; readonly stored: Promise<void> }>();
  #failure: TroupeError | undefined;
  /** Bytes that were given or read, where they are in memory only; undefined if they have a place of their own. */
  readonly #own: Map<string, Uint8Array> | undefined;
  readonly #fitted = new Map<string, WeakMap<Turn, Turn>>();

  constructor(options: Pick<RunOptions, 'content' | 'store' | 'threads'>, given?: GivenBlobs) {
    const { content = {} } = options;
    this.#options = content;
    this.convert = content.convert;
    this.#place = () => blobsOf(options);
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

  /** Takes the bytes out of the input of an agent of the run. @throws {TroupeError} `content.*` */
  takeInput(definition: Definition, input: unknown): unknown {
    return readInput(definition, input, this.#keep, this.#options);
  }

  /** A message of a text, of parts, or as it is, with its parts read. @throws {TroupeError} `content.*` */
  messageOf(given: Content | Message): Message {
    if (typeof given === 'string') return { from: 'person', text: given };
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

  /** Stores bytes under their hash. */
  readonly #keep = (hash: string, bytes: Uint8Array): void => {
    if (this.#pending.has(hash)) return;
    this.#own?.set(hash, bytes);
    try {
      const storing = this.#store.put(hash, bytes);
      if (!isThenable(storing)) return;
      const stored = Promise.resolve(storing).then(
        () => void this.#pending.delete(hash),
        (thrown: unknown) => this.#failed(thrown),
      );
      this.#pending.set(hash, { bytes, stored });
    } catch (thrown) {
      this.#failed(thrown);
    }
  };

  /** Reads the bytes of a part. Rejects with `content.missing` if the store has them not. */
  async bytesOf({ hash, name, mediaType, type }: MediaPart): Promise<Uint8Array> {
    const bytes = this.#pending.get(hash)?.bytes ?? (await this.#store.get(hash));
    if (bytes !== undefined && platformSha256(bytes) === hash) {
      this.#own?.set(hash, bytes);
      return bytes;
    }
    throw new TroupeError(
      'content.missing',
      `Cannot read the ${type} '${name ?? mediaType}' as its bytes are ${bytes === undefined ? 'not' : 'damaged'} in ${this.#store.name}: ${hash}. Give the run the store that has them (\`content.blobs\`)`,
    );
  }

  /** Resolves when all bytes taken so far are stored; undefined if they are. Rejects if that failed. */
  written(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
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
    return (this.#blobs ??= this.#place());
  }

  #failed(thrown: unknown): void {
    const message = `Cannot store the bytes of media in ${this.#store.name}`;
    this.#failure ??= toError(errorData(thrown, 'journal.failed', { message }));
  }
}

/** Characters of a hash that tell the texts of a conversation apart. */
const HASH_IN_NAME = 12;

const NO_BLOBS: GivenBlobs = new Map();
