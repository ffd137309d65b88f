import { canonical } from '../../base/json/canonical.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import type { Dataset } from '../datasets/datasets.ts';
import { casesInList } from '../datasets/read-cases.ts';
import type { EvalOptions } from './eval-options.ts';

/** The cases of an eval, and the name of their place. */
export interface EvalCases {
  readonly dataset: string;
  readonly rows: readonly EvalCase[];
}

/** Reads the dataset of an eval. @throws {TroupeError} `input.invalid` for one that cannot be read, or has no case. */
export const readCases = async (
  { name, dataset }: Pick<EvalOptions, 'name' | 'dataset'>,
  limit = Infinity,
): Promise<EvalCases> => {
  if (isDataset(dataset)) return { dataset: dataset.name, rows: (await dataset.read()).slice(0, limit) };
  const place = `the eval '${name}'`;
  return { dataset: place, rows: casesInList(dataset, place).slice(0, limit) };
};

/** The cases of a dataset by their inputs, for runs that are on record. A dataset may be an empty list where only recorded runs are graded. */
export class KnownCases {
  readonly #byInput: ReadonlyMap<string, EvalCase>;

  constructor(rows: readonly EvalCase[]) {
    // Of equal inputs the first counts.
    this.#byInput = new Map(rows.toReversed().map((row) => [canonical(row.input), row]));
  }

  static async of(definition: Pick<EvalOptions, 'name' | 'dataset'>): Promise<KnownCases> {
    const { dataset } = definition;
    const isEmpty = !isDataset(dataset) && dataset.length === 0;
    return new KnownCases(isEmpty ? [] : (await readCases(definition)).rows);
  }

  /** A recorded run's case, with what the dataset expects of its input; what people said of the run itself goes first. */
  complete(row: EvalCase): EvalCase {
    const known = this.#byInput.get(canonical(row.input));
    if (known === undefined) return row;
    const { expected, calls, tags, metadata } = known;
    return {
      ...(expected === undefined ? {} : { expected }),
      ...(calls === undefined ? {} : { calls }),
      ...(tags === undefined ? {} : { tags }),
      ...row,
      ...(metadata === undefined ? {} : { metadata: { ...metadata, ...row.metadata } }),
    };
  }
}

const isDataset = (given: EvalOptions['dataset']): given is Dataset => 'read' in given;
