import {
  aBoolean,
  aFunction,
  aText,
  fulfilling,
  listOf,
  objectWith,
  optional,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Tool, ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import { isToolsetName } from '../define/tool-options.ts';
import { withExecute } from './with-execute.ts';

/**
 * Groups tools under a namespace, with a life cycle around every run that uses them.
 *
 * @example
 * const files = toolset({ name: 'files', tools: [read, write], setup: () => disk.open(), teardown: () => disk.close()
 * });
 * agent({ name: 'clerk', tools: [files] }); // the model sees files.read and files.write
 *
 * @throws `tool.invalid` for an invalid name, and for options that do not fit.
 */
export const toolset = (options: Toolset): Toolset => {
  const { name } = { ...options };
  return check(options, typeof name === 'string' ? `toolset '${name}'` : undefined);
};

const check = optionsCheck<Toolset>({ code: 'tool.invalid', owner: 'a toolset' }, () => ({
  name: fulfilling(
    isToolsetName,
    'not a name: write up to 64 letters, digits, _ and -, the first a letter or _',
  ),
  tools: listOf(objectWith(['execute'], 'not a tool: write tool({ … })'), 'not a list: write `tools: [ … ]`'),
  deferred: optional(aBoolean()),
  mergeHint: optional(aText(1)),
  setup: optional(aFunction()),
  teardown: optional(aFunction()),
  open: optional(aFunction()),
}));

/** Wraps the execution of a tool: may observe it, change its input and result, or not call `next` at all. */
export type Interceptor = (
  input: unknown,
  context: ToolContext,
  next: (input: unknown) => unknown,
) => unknown;

/**
 * Wraps the execution of a tool: with a cache, a log, a guard. The input is validated before.
 *
 * @example
 * const timed = wrapTool(search, async (input, context, next) => {
 *   const found = await next(input);
 *   context.progress('searched');
 *   return found;
 * });
 */
export const wrapTool = (inner: Tool, intercept: Interceptor): Tool =>
  withExecute(
    inner,
    (input, context) => intercept(input, context, (changed) => inner.execute(changed, context)),
    { givesAnother: true },
  );
