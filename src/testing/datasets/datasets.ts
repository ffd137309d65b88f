import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { readTextFile } from '../../persistence/read-text-file.ts';
import { casesInText } from './read-cases.ts';
import type { StoredRunsOptions } from './stored-cases.ts';
import { storedCases } from './stored-cases.ts';

/** A source of cases, which is read when an eval is run. */
export interface Dataset {
  readonly name: string;
  read(): Promise<readonly EvalCase[]>;
}

/** Sources of cases; a plain list of cases is one, too. */
export const datasets = {
  /**
   * A file of JSON Lines (`.jsonl`, `.ndjson`), a JSON list (`.json`) or CSV (`.csv`, with a row of names).
   *
   * @example
   * datasets.file(new URL('./capitals.jsonl', import.meta.url));
   */
  file: (place: string | URL): Dataset => {
    if (typeof place !== 'string' && !(place instanceof URL))
      throw new TroupeError(
        'input.invalid',
        `Cannot read a dataset as its file is neither a path nor a URL: found ${foundText(place)}`,
      );
    const name = typeof place === 'string' ? place : place.pathname;
    return {
      name,
      read: async () => casesInText(await readTextFile(place, 'the dataset'), name),
    };
  },
  /** The inputs of stored runs, with what people said of them: what they corrected, or found good, is expected. */
  runs: (options: StoredRunsOptions): Dataset => ({
    name: options.store.name,
    read: async () => (await storedCases(options)).map(({ row }) => row),
  }),
} as const;
