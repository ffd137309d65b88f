import { copyPlain } from '../../base/json/copy-plain.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** The reason why a tool refuses the input of a call. */
export interface Misfit {
  readonly message: string;
  /** The issues of its schema; undefined if that threw, and so has not said that the input does not fit. */
  readonly issues?: Json | undefined;
}

/** Checks the input of a call by its tool; undefined for one that fits. A promise only if the tool checks asynchronously. */
export const misfitOf = (
  tool: Tool,
  { input }: Pick<ToolCall, 'input'>,
): Misfit | undefined | Promise<Misfit | undefined> => {
  const said = (checked: Checked<unknown>): Misfit | undefined => {
    if (checked.ok) return undefined;
    const { issues } = checked;
    const message = `Cannot call '${tool.name}' as its input does not fit: ${issuesText(issues)}`;
    return { message, issues: toJson(issues) };
  };
  const threw = (thrown: unknown): Misfit => ({
    message: `Cannot check the input of '${tool.name}' as its schema threw: ${messageOf(thrown)}`,
  });
  try {
    // A copy: the tool may change its input, and the recorded one stays as it is.
    const checked = tool.check(copyPlain(input));
    return isThenable(checked) ? Promise.resolve(checked).then(said).catch(threw) : said(checked);
  } catch (thrown) {
    return threw(thrown);
  }
};
