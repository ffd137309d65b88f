import { copyPlain } from '../contracts/copy-plain.ts';
import { messageOf, TroupeError } from '../contracts/error.ts';
import { toJson } from '../contracts/json.ts';
import type { Tool, ToolContext } from '../contracts/tool.ts';
import { wrapTool } from './compose.ts';
import { isThenable } from '../contracts/thenable.ts';

/** How a call ended, as interceptors see it. */
export type CallOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** What `before` may do: change what goes in, answer itself, or say no. Nothing, for undefined. */
export type BeforeCall =
  { readonly input: unknown } | { readonly answer: unknown } | { readonly deny: string } | undefined;

/** Something that looks at the calls of a tool, and may step in. */
export interface CallInterceptor {
  readonly name: string;
  /** In order of the list. */
  before?(input: unknown, context: ToolContext): BeforeCall | Promise<BeforeCall>;
  /** In reverse order, for those whose `before` was passed; gives the outcome that counts, or undefined for the same. */
  after?(
    outcome: CallOutcome,
    context: ToolContext,
  ): CallOutcome | undefined | Promise<CallOutcome | undefined>;
  /** True if the call fails where this throws: for guards. Default false: a throw is reported and changes nothing. */
  readonly required?: boolean | undefined;
}

/**
 * The same tool with others looking at its calls: before in order, after in reverse order.
 *
 * What an interceptor throws is told to observers as progress and changes nothing, unless the interceptor is `required`:
 * then the call fails. What `before` puts in place of the input is checked like any input.
 *
 * @example
 * const logged = intercepted(search, [{ name: 'log', after: (outcome) => void console.log(outcome.ok) }]);
 */
export const intercepted = (tool: Tool, interceptors: readonly CallInterceptor[]): Tool =>
  wrapTool(tool, (input, context, next) => around(tool, interceptors, input, context, next));

const around = async (
  tool: Tool,
  interceptors: readonly CallInterceptor[],
  given: unknown,
  context: ToolContext,
  next: (input: unknown) => unknown,
): Promise<unknown> => {
  const passed: CallInterceptor[] = [];
  let input = given;
  let outcome: CallOutcome | undefined;
  for (const interceptor of interceptors) {
    const said = await isolated(tool, interceptor, context, () =>
      interceptor.before?.(copyPlain(input), context),
    );
    if (said.failed !== undefined) {
      outcome = said.failed;
      break;
    }
    passed.unshift(interceptor);
    const { value } = said;
    if (value === undefined) continue;
    if ('deny' in value) outcome = { ok: false, error: denied(tool, value.deny) };
    else if ('answer' in value) outcome = { ok: true, value: value.answer };
    else {
      const checked = await tool.check(toJson(value.input));
      if (checked.ok) input = checked.value;
      else outcome = { ok: false, error: unfit(tool, interceptor) };
    }
    if (outcome !== undefined) break;
  }
  let end: CallOutcome = outcome ?? (await settled(() => next(input)));
  for (const interceptor of passed) end = await judgedBy(interceptor, tool, end, context);
  if (end.ok) return end.value;
  throw end.error;
};

const judgedBy = async (
  interceptor: CallInterceptor,
  tool: Tool,
  outcome: CallOutcome,
  context: ToolContext,
): Promise<CallOutcome> => {
  const said = await isolated(tool, interceptor, context, () =>
    interceptor.after?.(copyPlain(outcome), context),
  );
  return said.failed ?? said.value ?? outcome;
};

const settled = async (work: () => unknown): Promise<CallOutcome> => {
  try {
    const value = work();
    return { ok: true, value: isThenable(value) ? await value : value };
  } catch (error) {
    return { ok: false, error };
  }
};

/** What an interceptor says; one that throws has said nothing, or has failed the call. */
const isolated = async <T>(
  tool: Tool,
  { name, required }: CallInterceptor,
  context: ToolContext,
  work: () => T | Promise<T>,
): Promise<{ readonly value?: T; readonly failed?: CallOutcome }> => {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (required === true) return { failed: { ok: false, error: thrown } };
    context.progress(`The interceptor '${name}' of '${tool.name}' threw: ${messageOf(thrown)}`);
    return {};
  }
};

const denied = (tool: Tool, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot run '${tool.name}' as it was denied: ${reason}`, {
    retryable: 'no',
  });

const unfit = (tool: Tool, { name }: CallInterceptor): TroupeError =>
  new TroupeError(
    'tool.failed',
    `Cannot run '${tool.name}' as what the interceptor '${name}' made of its input does not fit`,
  );
