import type { NamedModule } from '../usage/named-module.ts';
import { namedModule } from '../usage/named-module.ts';
import { countOf, textOf } from '../usage/option-values.ts';

/** The charts of an agent as stored runs lived them. */
export interface CoverageCommand extends NamedModule {
  readonly name: 'coverage';
  readonly limit: number;
  /** The store with the runs of tests or evals. */
  readonly tested: string | undefined;
  /** A file that the charts are written to, as drawn and as lived. */
  readonly mermaid: string | undefined;
}

/** Parsed values of options. */
export interface CoverageValues {
  readonly export?: string | undefined;
  readonly limit?: string | undefined;
  readonly tested?: string | undefined;
  readonly mermaid?: string | undefined;
}

/** Runs whose ways are counted. */
const COUNTED = 100;

/** Builds the command `coverage`. @throws {TroupeError} `command.usage` */
export const coverageCommandFrom = (given: string, values: CoverageValues): CoverageCommand => {
  const name = 'coverage';
  return {
    name,
    ...namedModule(given, values.export, name),
    limit: countOf(values.limit, '--limit', name) ?? COUNTED,
    tested: textOf(values.tested, '--tested', name),
    mermaid: textOf(values.mermaid, '--mermaid', name),
  };
};
