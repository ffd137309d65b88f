import { oneLine } from '../../../base/text/printable.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { callsSchema } from '../../../inspect/local/forks/fork-command.ts';
import { wrong } from '../../usage/wrong-usage.ts';
import { givenJson, quote } from './given-json.ts';

/**
 * The calls of `--calls`: JSON, or `@FILE` with a file that holds it.
 *
 * @throws {TroupeError} (rejects with) `command.usage`
 */
export const givenCalls = async (given: string, folder: string): Promise<readonly ChosenCall[]> => {
  const option = { option: '--calls', given, folder, advice: EXAMPLE };
  const { data, error } = callsSchema.safeParse(await givenJson(option));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw wrong(
    `--calls is no list of calls: found ${quote(option)} (${oneLine(`${place === '' ? '' : `${place}: `}${issue?.message ?? 'it is invalid'}`, 200)}). ${EXAMPLE}`,
    'fork',
  );
};

const EXAMPLE = `Give a list such as '[{"name": "search", "input": {"query": "tea"}}]', or @FILE`;
