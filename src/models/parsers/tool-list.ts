import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { outputInstruction } from '../schemas/output-schema.ts';
import type { LessonOptions } from './text-parser.ts';

/** Describes the tools to a model without native calls. */
export const toolList = (tools: readonly ToolSpec[]): string =>
  tools.length === 0
    ? 'There are no tools.'
    : `Tools:\n${tools
        .map(
          ({ name, description, parameters }) =>
            `- ${name}: ${description.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}\n  input (JSON Schema): ${JSON.stringify(parameters)}`,
        )
        .join('\n')}`;

/** Describes the expected final answer, if it is not free text. */
export const answerLesson = ({ output }: LessonOptions): string =>
  output === undefined ? '' : `\n${outputInstruction(output)}`;
