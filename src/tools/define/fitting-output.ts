import { TroupeError } from '../../contracts/errors/error.ts';
import type { Checked, Schema } from '../../base/schemas/schema.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { checkSchema } from '../schemas/schemas.ts';
import { dual, isDual } from '../calls/tool-result.ts';

/** Validates a tool's result by its output schema. */
const fittingTo = (name: string, output: Schema): ((returned: unknown) => unknown) => {
  const fitting = (returned: unknown): unknown => {
    const value = isDual(returned) ? returned.value : returned;
    const checked = checkSchema(output, value);
    return isThenable(checked) ? checked.then((it) => keep(returned, it)) : keep(returned, checked);
  };
  const keep = (returned: unknown, checked: Checked<unknown>): unknown => {
    if (checked.ok) return isDual(returned) ? dual({ ...returned, value: checked.value }) : checked.value;
    throw new TroupeError(
      'tool.failed',
      `Cannot use the result of '${name}' as it does not match its output schema: ${issuesText(checked.issues)}`,
      { tool: name },
    );
  };
  return fitting;
};

/** Checks what `execute` returned. */
export const checkingOutput = <Input, Result>(
  options: { readonly name: string; execute(input: Input, context: ToolContext): Result },
  output: Schema,
): ((input: Input, context: ToolContext) => unknown) => {
  const fitting = fittingTo(options.name, output);
  return (input, context) => {
    const returned: unknown = options.execute(input, context);
    return isThenable(returned) ? Promise.resolve(returned).then(fitting) : fitting(returned);
  };
};

/** The outcome of an earlier call is validated like a result. */
export const becameOf = (
  options: { readonly name: string; readonly whatBecame?: Tool['whatBecame'] },
  output: Schema | undefined,
): Pick<Tool, 'whatBecame'> => {
  const { name } = options;
  const whatBecame = options.whatBecame?.bind(options);
  if (whatBecame === undefined) return {};
  if (output === undefined) return { whatBecame };
  const fitting = fittingTo(name, output);
  return {
    whatBecame: async (key, asked) => {
      const became = await whatBecame(key, asked);
      return became === undefined ? undefined : { value: await fitting(became.value) };
    },
  };
};
