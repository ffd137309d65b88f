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
  readonly report?: string | undefined;
  readonly sign?: string | undefined;
  readonly against?: string | undefined;
  readonly key?: string | undefined;
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
  /** The file that the report is written to. */
  readonly report: string | undefined;
  /** The private key that signs it. */
  readonly sign: string | undefined;
  /** A report whose proof is made again. */
  readonly against: string | undefined;
  /** The public key that has to have signed it. */
  readonly key: string | undefined;
}

/** Builds the command `verify`. @throws {TroupeError} `command.usage` */
export const verifyCommandFrom = (
  given: string,
  exportName: string | undefined,
  values: VerifyValues,
): VerifyCommand => {
  const name = 'verify';
  const isAudit = values.over !== undefined;
  const idle = isAudit
    ? (['depth', 'mermaid', 'report', 'sign', 'against', 'key'] as const)
    : (['run', 'limit'] as const);
  const astray = idle.find((each) => values[each] !== undefined);
  if (astray !== undefined)
    throw wrong(`--${astray} is of use ${isAudit ? 'without' : 'with'} --over only`, name);
  if (values.sign !== undefined && values.report === undefined)
    throw wrong(`--sign is of use with --report only: '${values.sign}'`, name);
  if (values.key !== undefined && values.against === undefined)
    throw wrong(`--key is of use with --against only: '${values.key}'`, name);
  if (values.depth !== undefined && values.against !== undefined)
    throw wrong('--depth is of use without --against only, as the report has its own', name);
  return {
    name,
    ...namedModule(given, exportName, name),
    isAudit,
    run: textOf(values.run, '--run', name),
    limit: countOf(values.limit, '--limit', name),
    depth: atLeastOne(values.depth, '--depth', name),
    mermaid: textOf(values.mermaid, '--mermaid', name),
    report: textOf(values.report, '--report', name),
    sign: textOf(values.sign, '--sign', name),
    against: textOf(values.against, '--against', name),
    key: textOf(values.key, '--key', name),
  };
};
