import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json } from '../../../base/json/json.ts';
import { oneLine } from '../../../base/text/printable.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import { wrong } from '../../usage/wrong-usage.ts';

/** An option of `troupe fork` that takes JSON. */
export interface JsonOption {
  readonly option: string;
  /** The value of the option: JSON, or `@FILE` with a file that holds it. */
  readonly given: string;
  readonly folder: string;
  /** The advice of what to give. */
  readonly advice: string;
}

/**
 * Parses the JSON of an option.
 *
 * @throws {TroupeError} (rejects with) `command.usage`
 */
export const givenJson = async (given: JsonOption): Promise<Json> => {
  const text = await textOf(given);
  try {
    // It gives nothing else.
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw wrong(
      `${given.option} is not JSON: found ${quote(given)} (${reasonOf(thrown)}). ${given.advice}`,
      'fork',
    );
  }
};

const textOf = async (option: JsonOption): Promise<string> => {
  const { given, folder } = option;
  if (!given.startsWith('@')) return given;
  try {
    return await readFile(resolve(folder, given.slice(1)), 'utf8');
  } catch (thrown) {
    throw wrong(
      `${option.option} names a file that cannot be read: ${quote(option)} (${reasonOf(thrown)})`,
      'fork',
    );
  }
};

const reasonOf = (thrown: unknown): string => oneLine(messageOf(thrown), 200);

/** The value of an option, for a message. */
export const quote = ({ given }: Pick<JsonOption, 'given'>): string => `'${oneLine(given, 80)}'`;
