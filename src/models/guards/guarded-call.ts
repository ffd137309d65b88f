import type { Clock } from '../../base/clock.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { ExecutableCall } from '../../contracts/tools/executor.ts';
import { guardText, guardValue } from './apply-guards.ts';
import type { Border } from './border.ts';
import type { TrustedGuard } from './consult-guard.ts';

/** Executes a call of a tool between the guards of what goes into it and of what comes back. */
export const guardedCall = (
  guards: readonly TrustedGuard[],
  clock: Clock,
): ((call: ExecutableCall) => unknown) | undefined => {
  const input = guards.filter(({ on }) => on.includes('tool.input'));
  const output = guards.filter(({ on }) => on.includes('tool.output'));
  if (input.length + output.length === 0) return undefined;
  return async ({ tool, input: given, context, run }) => {
    const border: Border = {
      place: 'tool.output',
      tool,
      agent: context.agent,
      runId: context.runId,
      key: context.key,
      signal: () => context.signal,
      clock,
      emit: context.emit,
      ask: context.ask,
    };
    const passed = await guardValue(input, given, { ...border, place: 'tool.input' });
    let returned: unknown;
    try {
      returned = await run(passed);
    } catch (thrown) {
      throw await guardFailure(output, thrown, border);
    }
    return guardValue(output, returned, border);
  };
};

/** A failure as its guards let it pass: where they change it, nothing but its message is left. */
const guardFailure = async (
  guards: readonly TrustedGuard[],
  thrown: unknown,
  border: Border,
): Promise<unknown> => {
  const said = failureTexts(thrown);
  const passed = await guardText(guards, said, border);
  if (passed === said) return thrown;
  const retryable = isTroupeError(thrown) ? thrown.retryable : 'no';
  return new TroupeError('tool.failed', passed, { retryable });
};

/** All that a failure says: its message, its causes and its details. */
const failureTexts = (thrown: unknown): string => {
  const causes: string[] = [];
  for (let each = thrown; each !== undefined && causes.length < 5;)
    [each] = [each instanceof Error ? each.cause : undefined, causes.push(messageOf(each))];
  const details = isTroupeError(thrown) ? thrown.data.details : undefined;
  return [...causes, ...(details === undefined ? [] : [JSON.stringify(details)])].join('\n');
};
