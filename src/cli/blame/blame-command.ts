import type { BlameCommand, Code } from '../usage/commands.ts';
import { namedModule } from '../usage/named-module.ts';
import { countOf, dollarsOf, textOf } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';

/** Parsed values of options. */
export interface BlameValues {
  readonly fails?: string | undefined;
  readonly live?: boolean | undefined;
  readonly tools?: string | undefined;
  readonly budget?: string | undefined;
  readonly samples?: string | undefined;
  readonly limit?: string | undefined;
  readonly write?: string | undefined;
}

/** Builds the command `blame`. @throws {TroupeError} `command.usage` */
export const blameCommandFrom = (runId: string, code: Code, values: BlameValues): BlameCommand => {
  const name = 'blame';
  const check = textOf(values.fails, '--fails', name);
  if (check === undefined)
    throw wrong(
      'the check is missing: give --fails FILE, a module whose function says that a run fails',
      name,
    );
  const { live = false, tools = 'recorded' } = values;
  if (tools !== 'recorded' && tools !== 'read')
    throw wrong(`--tools has no '${tools}': give recorded or read`, name);
  const idle = (['tools', 'budget'] as const).find((each) => values[each] !== undefined);
  if (!live && idle !== undefined) throw wrong(`--${idle} is of use with --live only`, name);
  const samples = countOf(values.samples, '--samples', name);
  if (samples === 0) throw wrong("--samples is too few: '0'. Give one from 1 on", name);
  return {
    ...code,
    name,
    runId,
    check: namedModule(check, undefined, name),
    isLive: live,
    tools,
    budget: dollarsOf(values.budget, name),
    samples,
    limit: countOf(values.limit, '--limit', name),
    write: testFileOf(textOf(values.write, '--write', name)),
  };
};

const testFileOf = (file: string | undefined): string | undefined => {
  if (file === undefined || TEST.test(file)) return file;
  throw wrong(`--write names no test: '${file}'. Give a file such as blamed.test.ts`, 'blame');
};

/** The name of a test, without its ending and with it. */
export const TEST = /^(.+)\.(?:test|spec)\.[cm]?[jt]s$/;
