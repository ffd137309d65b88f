import type { NamedModule } from '../usage/named-module.ts';
import { namedModule } from '../usage/named-module.ts';
import { atLeastOne, countOf, textOf } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';

/** Parsed values of options. */
export interface VerifyValues {
  readonly over?: string | undefined;
  readonly run?: string | undefined;
  readonly limit?: string | undefined;
  readonly depth?: string | undefined;
  readonly mermaid?: string | undefined;
}

/** An agent or a team whose properties are proven, or audited over a store. */
export interface VerifyCommand extends NamedModule {
  readonly name: 'verify';
  /** True to audit the runs of the store that `--over` names. */
  readonly isAudit: boolean;
  /** One run. */
  readonly run: string | undefined;
  readonly limit: number | undefined;
  readonly depth: number | undefined;
  /** The file that the first story is written to, as a sequence diagram. */
  readonly mermaid: string | undefined;
}

/** Builds the command `verify`. @throws {TroupeError} `command.usage` */
export const verifyCommandFrom = (
  given: string,
  exportName: string | undefined,
  values: VerifyValues,
): VerifyCommand => {
  const name = 'verify';
  const isAudit = values.over !== undefined;
  const idle = isAudit ? (['depth', 'mermaid'] as const) : (['run', 'limit'] as const);
  const astray = idle.find((each) => values[each] !== undefined);
  if (astray !== undefined)
    throw wrong(`--${astray} is of use ${isAudit ? 'without' : 'with'} --over only`, name);
  return {
    name,
    ...namedModule(given, exportName, name),
    isAudit,
    run: textOf(values.run, '--run', name),
    limit: countOf(values.limit, '--limit', name),
    depth: atLeastOne(values.depth, '--depth', name),
    mermaid: textOf(values.mermaid, '--mermaid', name),
  };
};
