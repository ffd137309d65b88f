import type { NamedModule } from '../usage/named-module.ts';
import { namedModule } from '../usage/named-module.ts';
import { atLeastOne, countOf, dollarsOf, textOf } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';
import type { Dependency } from '../../testing/resilience/fault.ts';
import { dependencies } from '../../testing/resilience/fault.ts';

/** The evals that a module exports. */
export interface EvalCommand extends NamedModule {
  readonly name: 'eval';
  /** The module of the agent that is compared with that of the evals. */
  readonly candidate: NamedModule | undefined;
  /** True for stored runs in place of the dataset. */
  readonly isOver: boolean;
  /** True to ask the models of judges about stored runs. */
  readonly judges: boolean;
  readonly tools: 'recorded' | 'read';
  readonly tries: number | undefined;
  readonly concurrency: number | undefined;
  readonly limit: number | undefined;
  /** In US dollars. */
  readonly budget: number | undefined;
  /** Files that reports are written to. */
  readonly junit: string | undefined;
  readonly html: string | undefined;
}

/** Feedback of a person on a stored run; without any of it, that of before is listed. */
export interface FeedbackCommand {
  readonly name: 'feedback';
  readonly runId: string;
  readonly verdict: 'good' | 'bad' | undefined;
  readonly comment: string | undefined;
  readonly expected: string | undefined;
  readonly evaluator: string | undefined;
  readonly by: string | undefined;
  readonly path: string | undefined;
  readonly step: number | undefined;
  readonly call: string | undefined;
  /** True if what is expected is JSON. */
  readonly isData: boolean;
}

/** Faults that are injected into what an agent depends on. */
export interface ResilienceCommand extends NamedModule {
  readonly name: 'resilience';
  readonly input: string | undefined;
  readonly isData: boolean;
  readonly faults: readonly Dependency[] | undefined;
  readonly limit: number | undefined;
  /** True if calls that need approval are approved. */
  readonly isApproved: boolean;
  /** A file that the page is written to. */
  readonly html: string | undefined;
}

/** Parsed values of options. */
export interface EvalValues {
  readonly candidate?: string | undefined;
  readonly export?: string | undefined;
  readonly over?: string | undefined;
  readonly judges?: boolean | undefined;
  readonly approve?: boolean | undefined;
  readonly tools?: string | undefined;
  readonly tries?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly limit?: string | undefined;
  readonly budget?: string | undefined;
  readonly junit?: string | undefined;
  readonly html?: string | undefined;
  readonly faults?: string | undefined;
  readonly data?: boolean | undefined;
  readonly comment?: string | undefined;
  readonly expected?: string | undefined;
  readonly evaluator?: string | undefined;
  readonly by?: string | undefined;
  readonly path?: string | undefined;
  readonly step?: string | undefined;
  readonly call?: string | undefined;
}

/** Builds the command `eval`. @throws {TroupeError} `command.usage` */
export const evalCommandFrom = (given: string, values: EvalValues): EvalCommand => {
  const name = 'eval';
  const { tools = 'recorded', judges = false, over, candidate } = values;
  if (tools !== 'recorded' && tools !== 'read')
    throw wrong(`--tools has no '${tools}': give recorded or read`, name);
  if (over === undefined && judges)
    throw wrong('--judges is of use with --over only: judges are asked anyway', name);
  if (values.tools !== undefined && (over === undefined || candidate === undefined))
    throw wrong('--tools is of use with --over and --candidate only', name);
  const idle = (['tries', 'concurrency'] as const).find((each) => values[each] !== undefined);
  if (over !== undefined && idle !== undefined)
    throw wrong(`--${idle} is of no use with --over, which runs nothing again`, name);
  if (over !== undefined && candidate === undefined && values.budget !== undefined)
    throw wrong('--budget is of no use with --over alone, which costs nothing', name);
  const other = textOf(candidate, '--candidate', name);
  return {
    name,
    ...namedModule(given, values.export, name),
    candidate: other === undefined ? undefined : namedModule(other, undefined, name),
    isOver: over !== undefined,
    judges,
    tools,
    tries: atLeastOne(values.tries, '--tries', name),
    concurrency: atLeastOne(values.concurrency, '--concurrency', name),
    limit: atLeastOne(values.limit, '--limit', name),
    budget: dollarsOf(values.budget, name),
    junit: textOf(values.junit, '--junit', name),
    html: textOf(values.html, '--html', name),
  };
};

/** Builds the command `feedback`. @throws {TroupeError} `command.usage` */
export const feedbackCommandFrom = (
  runId: string,
  verdict: string | undefined,
  values: EvalValues,
): FeedbackCommand => {
  const name = 'feedback';
  if (verdict !== undefined && verdict !== 'good' && verdict !== 'bad')
    throw wrong(`the verdict is neither good nor bad: '${verdict}'`, name);
  return {
    name,
    runId,
    verdict,
    comment: textOf(values.comment, '--comment', name),
    expected: textOf(values.expected, '--expected', name),
    evaluator: textOf(values.evaluator, '--evaluator', name),
    by: textOf(values.by, '--by', name),
    path: textOf(values.path, '--path', name),
    step: countOf(values.step, '--step', name),
    call: textOf(values.call, '--call', name),
    isData: values.data ?? false,
  };
};

/** Builds the command `resilience`. @throws {TroupeError} `command.usage` */
export const resilienceCommandFrom = (
  given: string,
  input: string | undefined,
  values: EvalValues,
): ResilienceCommand => {
  const name = 'resilience';
  const faults = textOf(values.faults, '--faults', name)
    ?.split(',')
    .map((word) => {
      const found = dependencies.find((each) => each === word.trim());
      if (found === undefined)
        throw wrong(
          `--faults has no '${word.trim()}': give one or several of ${dependencies.join(',')}`,
          name,
        );
      return found;
    });
  return {
    name,
    ...namedModule(given, values.export, name),
    input,
    isData: values.data ?? false,
    faults,
    limit: atLeastOne(values.limit, '--limit', name),
    isApproved: values.approve ?? false,
    html: textOf(values.html, '--html', name),
  };
};
