import { messageOf, TroupeError } from '../contracts/error.ts';
import type { Tool, ToolContext, Toolset } from '../contracts/tool.ts';
import { isToolsetName } from './define-tool.ts';
import { withExecute } from './with-execute.ts';

/**
 * Groups tools under a namespace, with a life cycle around every run that uses them.
 *
 * @example
 * const files = toolset({ name: 'files', tools: [read, write], setup: () => disk.open(), teardown: () => disk.close() });
 * agent({ name: 'clerk', tools: [files] }); // the model sees files.read and files.write
 *
 * @throws `tool.invalid` if the name is no name.
 */
export const toolset = (options: Toolset): Toolset => {
  const { name }: { readonly name: string } = options;
  if (isToolsetName(name)) return options;
  throw new TroupeError(
    'tool.invalid',
    `Cannot define toolset '${messageOf(options.name)}' as its name may hold up to 64 letters, digits, _ and - only: ${messageOf(options.name)}`,
  );
};

/** Goes around the execution of a tool: may look, change what goes in and comes out, or not call `next` at all. */
export type Interceptor = (
  input: unknown,
  context: ToolContext,
  next: (input: unknown) => unknown,
) => unknown;

/**
 * The same tool with something around its execution: a cache, a log, a guard. The input is checked before.
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
