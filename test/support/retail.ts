import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../src/base/json/json.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { fixtures } from './fixtures.ts';

/** One recorded call, and what it did. */
export interface RetailStep {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly output: string;
  readonly isError: boolean;
  readonly mutates: boolean;
  /** The digest of the database before and after. */
  readonly pre: string;
  readonly post: string;
  readonly patch: readonly {
    readonly collection: string;
    readonly key: string;
    readonly value: JsonObject | null;
  }[];
}

/** One customer's wish, and the calls that fulfil it. */
export interface RetailTask {
  readonly id: string;
  readonly instruction: string;
  readonly initial_digest: string;
  readonly final_digest: string;
  readonly steps: readonly RetailStep[];
}

interface RetailToolSpec {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** Records by key, by collection. */
export type RetailData = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

const read = (file: string): unknown => JSON.parse(readFileSync(fixtures('retail', file), 'utf8'));

// What lies in the fixtures was recorded in these shapes.
export const retailTasks = (): readonly RetailTask[] => read('tasks.json') as RetailTask[];
export const retailData = (): RetailData => read('db.json') as RetailData;
export const retailPolicy = (): string => readFileSync(fixtures('retail', 'policy.md'), 'utf8');
/** What each tool of the desk says of itself. */
export const retailToolSpecs = (): readonly RetailToolSpec[] => read('tools.json') as RetailToolSpec[];

/** JSON with sorted keys and no white space. */
export const canonical = (value: Json | undefined): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const entries = Object.keys(value).toSorted();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Records are never changed, only replaced: each is worked out once. */
const recordDigests = new WeakMap<JsonObject, string>();

const recordDigest = (record: JsonObject): string => {
  const known = recordDigests.get(record);
  if (known !== undefined) return known;
  const digest = sha256(canonical(record));
  recordDigests.set(record, digest);
  return digest;
};

/** A service desk's database, and the book that it keeps of what was done. */
export class RetailDesk {
  /** Every call that came in, in order. */
  readonly ledger: { readonly name: string; readonly key: string; readonly mutates: boolean }[] = [];
  readonly #collections: Map<string, Map<string, JsonObject>>;
  readonly #steps: readonly RetailStep[];
  readonly #isSlow: boolean;
  #begun = 0;

  /** A slow desk takes its time, and less of it for later calls: who starts them too early has them out of order. */
  constructor(data: RetailData, steps: readonly RetailStep[], isSlow = false) {
    this.#steps = steps;
    this.#isSlow = isSlow;
    this.#collections = new Map(
      Object.entries(data).map(([name, records]) => [name, new Map(Object.entries(records))]),
    );
  }

  digest(): string {
    const lines = [...this.#collections].flatMap(([collection, records]) =>
      [...records].map(([key, record]) => `${collection}\t${key}\t${recordDigest(record)}`),
    );
    return sha256(lines.toSorted().join('\n'));
  }

  /** Does the next recorded call, if this is it and the database is as it was then. */
  call(name: string, input: Json, key: string): string {
    const step = this.#steps[this.ledger.length];
    if (step === undefined || step.name !== name || canonical(input) !== canonical(step.arguments))
      throw new Error(
        `call ${this.ledger.length} was recorded as ${step?.name ?? 'none'}, and came as ${name}`,
      );
    if (this.digest() !== step.pre) throw new Error(`the database is not as it was before ${name}`);
    this.ledger.push({ name, key, mutates: step.mutates });
    for (const { collection, key: record, value } of step.patch) {
      const records = this.#collections.get(collection) ?? new Map<string, JsonObject>();
      this.#collections.set(collection, records);
      if (value === null) records.delete(record);
      else records.set(record, value);
    }
    if (this.digest() !== step.post) throw new Error(`the database is not as it was after ${name}`);
    // An error of troupe's own says to the model exactly what its message says.
    if (step.isError) throw new TroupeError('tool.failed', step.output);
    return step.output;
  }

  async #later(work: () => string): Promise<string> {
    const turns = Math.max(1, this.#steps.length - this.#begun) * 2;
    this.#begun += 1;
    for (let turn = 0; turn < turns; turn += 1) await new Promise((next) => setImmediate(next));
    return work();
  }

  /** The tools of the fixture, at this desk. What any recorded call of a tool changes, its tool may change. */
  tools(tasks: readonly RetailTask[]): readonly Tool[] {
    const writing = new Set(
      tasks.flatMap(({ steps }) => steps.filter(({ mutates }) => mutates).map(({ name }) => name)),
    );
    return retailToolSpecs().map(({ function: { name, description, parameters } }) =>
      tool({
        name,
        description,
        parameters,
        dynamicSchema: true,
        safety: writing.has(name) ? 'write' : 'read',
        execute: (input, { key }) =>
          this.#isSlow ? this.#later(() => this.call(name, input, key)) : this.call(name, input, key),
      }),
    );
  }
}

/** What a model is to read of a recorded output: providers refuse an empty text. */
export const toldToModel = ({ output }: RetailStep): string =>
  output.trim() === '' ? '(no output)' : output;
