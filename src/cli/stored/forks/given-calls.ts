import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { oneLine } from '../../../base/text/printable.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import { callsSchema } from '../../../inspect/local/forks/fork-command.ts';
import { wrong } from '../../usage/wrong-usage.ts';

/**
 * The calls of `--calls`: JSON, or `@FILE` with a file that holds it.
 *
 * @throws {TroupeError} (rejects with) `command.usage`
 */
export const givenCalls = async (given: string, folder: string): Promise<readonly ChosenCall[]> => {
  const { data, error } = callsSchema.safeParse(jsonIn(await textOf(given, folder), given));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw wrong(
    `--calls is no list of calls: found ${quote(given)} (${oneLine(`${place === '' ? '' : `${place}: `}${issue?.message ?? 'it is invalid'}`, 200)}). ${EXAMPLE}`,
    'fork',
  );
};

const textOf = async (given: string, folder: string): Promise<string> => {
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(resolve(folder, given.slice(1)), 'utf8');
  } catch (thrown) {
    const reason = oneLine(messageOf(thrown), 200);
    throw wrong(`--calls names a file that cannot be read: ${quote(given)} (${reason})`, 'fork');
  }
};

const jsonIn = (text: string, given: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = oneLine(messageOf(thrown), 200);
    throw wrong(`--calls is not JSON: found ${quote(given)} (${reason}). ${EXAMPLE}`, 'fork');
  }
};

const EXAMPLE = `Give a list such as '[{"name": "search", "input": {"query": "tea"}}]', or @FILE`;

const quote = (given: string): string => `'${oneLine(given, 80)}'`;
