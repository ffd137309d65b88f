import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { Safety, Tool, ToolContext } from '../../contracts/tools/tool.ts';
import type { DefinedTool } from '../define/define-tool.ts';
import { requiredBy, requiring } from '../environments/requiring.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { dual, isDual } from '../calls/tool-result.ts';

/** Name and description of a composed tool. */
export interface PipeOptions {
  readonly name: string;
  readonly description: string;
}

const SAFETIES: readonly Safety[] = ['read', 'write', 'danger'];

/**
 * Composes two tools: the first one's result is the second one's input. Pipes can be piped in turn.
 *
 * Their types are checked by the compiler, and the value by the second tool's schema at run time. The pipe is as
 * careful as its most careful part: safety, repetition, a person's approval.
 *
 * @example
 * const summary = pipeTools({ name: 'summary', description: 'Fetches and sums up.' }, fetchPage, summarise);
 *
 * @throws `tool.invalid` for a first tool that ends runs, as nothing would follow it.
 */
export const pipeTools = <Input, Middle, Output>(
  { name, description }: PipeOptions,
  first: DefinedTool<Input, Middle>,
  second: DefinedTool<Middle, Output>,
): DefinedTool<Input, Output> => {
  const parts: readonly Tool[] = [first, second];
  if (first.category === 'control')
    throw new TroupeError(
      'tool.invalid',
      `Cannot pipe '${first.name}' into '${second.name}' as it is a control tool`,
    );
  const safety = SAFETIES[Math.max(...parts.map((part) => SAFETIES.indexOf(part.safety)))] ?? 'danger';
  const idempotent = parts.every((part) => part.idempotent);
  const needsApproval = (input: Json): boolean => first.needsApproval(input) || second.safety === 'danger';
  const piped: DefinedTool<Input, Output> = {
    name,
    description,
    version: first.version,
    category: first.category,
    tags: [...new Set(parts.flatMap(({ tags }) => tags))],
    safety,
    idempotent,
    ...(parts.every((part) => part.cacheable === true) ? { cacheable: true } : {}),
    exclusive: parts.some((part) => part.exclusive),
    timeoutMs: first.timeoutMs + second.timeoutMs,
    retry: {
      ...first.retry,
      attempts: idempotent ? Math.min(...parts.map(({ retry }) => retry.attempts)) : 1,
    },
    dynamicSchema: first.dynamicSchema,
    get parameters() {
      return first.parameters;
    },
    check: (input) => first.check(input),
    needsApproval,
    describe: (input) => first.describe(input),
    execute: async (input: Input, context: ToolContext): Promise<unknown> => {
      const returned: unknown = await first.execute(input, context);
      const middle = toJson(isDual(returned) ? returned.value : returned);
      const checked = await second.check(middle);
      if (!checked.ok)
        throw new TroupeError(
          'tool.failed',
          `Cannot continue with '${second.name}' as the result of '${first.name}' is invalid: ${issuesText(checked.issues)}`,
          { tool: name },
        );
      // Nobody could see this input before: a person who was not asked about the whole cannot be asked about a part.
      if (second.safety !== 'danger' && second.needsApproval(middle) && !first.needsApproval(toJson(input)))
        throw new TroupeError(
          'tool.denied',
          `Cannot continue with '${second.name}' as a person must approve it: call it by itself`,
          { tool: name, retryable: 'no' },
        );
      // Validated by the schema from which the tool's type is derived.
      const given: unknown = await second.execute(checked.value as Middle, context);
      const artifacts = isDual(returned) ? (returned.artifacts ?? []) : [];
      if (artifacts.length === 0 || !isDual(given)) return given;
      return dual({ ...given, artifacts: [...artifacts, ...(given.artifacts ?? [])] });
    },
  };
  const groups = [...new Set(parts.flatMap(requiredBy))];
  return groups.length === 0 ? piped : requiring(piped, ...groups);
};
