import type { Strategy } from '../../contracts/agents/strategy.ts';
import { jsonParser } from '../../models/parsers/json-parser.ts';
import { reactParser } from '../../models/parsers/react-parser.ts';
import type { TextParser } from '../../models/parsers/text-parser.ts';
import type { TextToolsOptions } from '../../models/parsers/with-text-tools.ts';
import { withTextTools } from '../../models/parsers/with-text-tools.ts';
import { xmlParser } from '../../models/parsers/xml-parser.ts';

const parsers = { react: reactParser, json: jsonParser, xml: xmlParser } as const;

/**
 * Emulates tool calls as text, for models without native ones.
 *
 * @example agent({ name: 'clerk', model: openaiChat('small-model'), strategy: textCalls('react'), tools: [add] })
 */
export const textCalls = (
  format: keyof typeof parsers | TextParser = 'react',
  options: TextToolsOptions = {},
): Strategy => {
  const parser = typeof format === 'string' ? parsers[format] : format;
  return { name: `text-calls: ${parser.name}`, model: (model) => withTextTools(model, parser, options) };
};
