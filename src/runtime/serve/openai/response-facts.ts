import * as z from 'zod/mini';
import { onDemand } from '../../../base/on-demand.ts';
import type { Json } from '../../../base/json/json.ts';
import type { KeyValueFiles } from '../../../contracts/conversations/memory.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';

/** The facts of a response that its run does not have. */
export interface ResponseFacts {
  readonly id: string;
  readonly createdAt: number;
  /** The name by which its agent is served. */
  readonly model: string;
  readonly previous: string | null;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isBackground: boolean;
  readonly isStored: boolean;
  /** False if the client's tools are called one after the other. */
  readonly isParallel: boolean;
  /** The client's tools, as it gave them. */
  readonly tools: readonly Json[];
  /** The requests whose answers it follows. */
  readonly after: readonly string[];
  /** The format of its text, as the client gave it. */
  readonly format: Json;
}

/** The room of a store in which the facts are. */
const ROOM = 'serve-responses';
/** Responses that are remembered without a store; of more, the oldest is forgotten. */
const MOST = 1_000;

const schema = onDemand(() =>
  z.object({
    id: z.string(),
    createdAt: z.number(),
    model: z.string(),
    previous: z.nullable(z.string()),
    instructions: z.nullable(z.string()),
    metadata: z.record(z.string(), z.string()),
    isBackground: z.boolean(),
    isStored: z.boolean(),
    isParallel: z.boolean(),
    tools: z.array(z.json()),
    after: z.array(z.string()),
    format: z.json(),
  }),
);

/** The responses that a server keeps: in its store, or the newest in memory. */
export class ResponseBook {
  readonly #files: KeyValueFiles | undefined;
  readonly #here = new Map<string, ResponseFacts>();

  constructor(store: JournalStore | undefined) {
    this.#files = store?.files(ROOM);
  }

  async write(facts: ResponseFacts): Promise<void> {
    if (this.#files !== undefined) {
      await this.#files.write(facts.id, JSON.stringify(facts));
      return;
    }
    this.#here.set(facts.id, facts);
    const [oldest] = this.#here.keys();
    if (oldest !== undefined && this.#here.size > MOST) this.#here.delete(oldest);
  }

  /** The facts of a response; undefined for one that is not kept. Check whose its run is before. */
  async read(id: string): Promise<ResponseFacts | undefined> {
    if (this.#files === undefined) return this.#here.get(id);
    const text = await this.#files.read(id);
    return text === undefined ? undefined : schema().parse(JSON.parse(text));
  }

  async remove(id: string): Promise<void> {
    this.#here.delete(id);
    await this.#files?.remove(id);
  }
}
