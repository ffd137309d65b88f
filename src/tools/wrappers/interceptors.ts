import { copyPlain } from '../../base/json/copy-plain.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { wrapTool } from './compose.ts';
import { isThenable } from '../../base/promises/thenable.ts';

/** The outcome of a call, as interceptors see it. */
export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** The effect of `before`: change the input, answer in place of the tool, or deny. Undefined: none. */
export type BeforeCall =
  | { readonly input: unknown }
  | { readonly answer: unknown }
  | { readonly deny: string }
  | undefined;

/** Observes the calls of a tool, and may intervene. */
export interface CallInterceptor {
  readonly name: string;
  /** In order of the list. */
  before?(input: unknown, context: ToolContext): BeforeCall | Promise<BeforeCall>;
  /**
   * Called in reverse order, for interceptors whose `before` passed; returns the effective outcome, or undefined to
   * leave it.
   */
  after?(
    outcome: CallOutcome,
    context: ToolContext,
  ): CallOutcome | undefined | Promise<CallOutcome | undefined>;
  /** True if an error here fails the call: for guards. Default false: an error is reported and changes nothing. */
  readonly required?: boolean | undefined;
}

/**
 * Wraps a tool with interceptors: before in order, after in reverse order.
 *
 * An interceptor's error is reported to observers as progress and changes nothing, unless the interceptor is
 * `required`: then the call fails. An input replaced by `before` is validated like any input.
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
    const said = await callInterceptor(tool, interceptor, context, () =>
      interceptor.before?.(copyPlain(input), context),
    );
    if (said.failed !== undefined) {
      outcome = said.failed;
      break;
    }
    passed.unshift(interceptor);
    const { value } = said;
    if (value === undefined) continue;
    if ('deny' in value) outcome = { ok: false, error: deniedError(tool, value.deny) };
    else if ('answer' in value) outcome = { ok: true, value: value.answer };
    else {
      const checked = await tool.check(toJson(value.input));
      if (checked.ok) input = checked.value;
      else outcome = { ok: false, error: unfit(tool, interceptor) };
    }
    if (outcome !== undefined) break;
  }
  let end: CallOutcome = outcome ?? (await settleCall(() => next(input)));
  for (const interceptor of passed) end = await judgeCall(interceptor, tool, end, context);
  if (end.ok) return end.value;
  throw end.error;
};

const judgeCall = async (
  interceptor: CallInterceptor,
  tool: Tool,
  outcome: CallOutcome,
  context: ToolContext,
): Promise<CallOutcome> => {
  const said = await callInterceptor(tool, interceptor, context, () =>
    interceptor.after?.(copyPlain(outcome), context),
  );
  return said.failed ?? said.value ?? outcome;
};

const settleCall = async (work: () => unknown): Promise<CallOutcome> => {
  try {
    const value = work();
    return { ok: true, value: isThenable(value) ? await value : value };
  } catch (error) {
    return { ok: false, error };
  }
};

/** Calls an interceptor; an error counts as no result, or fails the call. */
const callInterceptor = async <T>(
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

const deniedError = (tool: Tool, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot run '${tool.name}' as it was denied: ${reason}`, {
    retryable: 'no',
  });

const unfit = (tool: Tool, { name }: CallInterceptor): TroupeError =>
  new TroupeError(
    'tool.failed',
    `Cannot run '${tool.name}' as the input from the interceptor '${name}' is invalid`,
  );
