import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
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
 * @throws `tool.invalid` for an invalid name.
 */
export const toolset = (options: Toolset): Toolset => {
  const { name }: { readonly name: string } = options;
  if (isToolsetName(name)) return options;
  throw new TroupeError(
    'tool.invalid',
    `Cannot define toolset '${messageOf(options.name)}' as its name may contain up to 64 letters, digits, _ and - only: ${messageOf(options.name)}`,
  );
};

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
