import type { ToolSpec } from '../../contracts/tool.ts';
import { outputInstruction } from '../output-schema.ts';
import type { LessonOptions } from './text-parser.ts';

/** The tools as a model without calls of its own is told of them. */
export const toolList = (tools: readonly ToolSpec[]): string =>
  tools.length === 0
    ? 'There are no tools.'
    : `Tools:\n${tools
        .map(
          ({ name, description, parameters }) =>
            `- ${name}: ${description.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}\n  input (JSON Schema): ${JSON.stringify(parameters)}`,
        )
        .join('\n')}`;

/** What is wanted of the final answer, where that is more than words. */
export const answerLesson = ({ output }: LessonOptions): string =>
  output === undefined ? '' : `\n${outputInstruction(output)}`;
