import { nearestName } from '../../base/text/nearest-name.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';

/** Part of an invented name that a message quotes. */
const MAX_SHOWN_NAME = 64;

/** More names than this are counted in the answer to an unknown name, not listed. */
const MAX_LISTED = 100;

/** The error of a call to an unknown tool. */
export const unknownTool = (name: string, names: readonly string[]): ErrorData => ({
  code: 'tool.unknown',
  message: unknownToolMessage(name, names),
  retryable: 'no',
  tool: name.slice(0, MAX_SHOWN_NAME),
});

/**
 * Returns the message to a model that called an unknown tool.
 *
 * @example
 * unknownToolMessage('Add', ['add', 'clock'])
 * // => "Cannot call 'Add' as there is no such tool: did you mean 'add'? There are: add, clock"
 */
export const unknownToolMessage = (name: string, names: readonly string[]): string => {
  const listed = names.slice(0, MAX_LISTED);
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : '';
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `did you mean '${nearest}'? `;
  const there = names.length === 0 ? 'there are no tools' : `There are: ${listed.join(', ')}${more}`;
  return `Cannot call '${name.slice(0, MAX_SHOWN_NAME)}' as there is no such tool: ${hint}${there}`;
};
