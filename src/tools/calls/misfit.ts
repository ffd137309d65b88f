import { copyPlain } from '../../base/json/copy-plain.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Checked, SchemaIssue } from '../../base/schemas/schema.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** An input that a tool refuses. */
export interface Misfit {
  readonly message: string;
  readonly checked: Checked<unknown>;
}

/** The message of a call whose input its tool does not take. */
export const misfitText = (tool: string, issues: readonly SchemaIssue[]): string =>
  `Cannot call '${tool}' as its input does not fit: ${issuesText(issues)}`;

/**
 * Checks the input of a call by its tool; undefined for one that fits, and where the check throws: it has not said that the input does not fit.
 * A promise only if the tool checks asynchronously.
 */
export const misfitOf = (
  tool: Tool,
  { input }: Pick<ToolCall, 'input'>,
): Misfit | undefined | Promise<Misfit | undefined> => {
  const said = (checked: Checked<unknown>): Misfit | undefined =>
    checked.ok ? undefined : { message: misfitText(tool.name, checked.issues), checked };
  try {
    // A copy: the tool may change its input, and the recorded one stays as it is.
    const checked = tool.check(copyPlain(input));
    return isThenable(checked)
      ? Promise.resolve(checked)
          .then(said)
          .catch(() => undefined)
      : said(checked);
  } catch {
    return undefined;
  }
};
