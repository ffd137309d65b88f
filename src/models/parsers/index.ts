/** For models without tool calls: calls and answers are parsed from plain text. */
export { jsonParser } from './json-parser.ts';
export { reactParser } from './react-parser.ts';
export { xmlParser } from './xml-parser.ts';
export { withTextTools } from './with-text-tools.ts';
export type { TextToolsOptions } from './with-text-tools.ts';
export type { LessonOptions, ReadingOptions, TextCall, TextParser, TextReading } from './text-parser.ts';
export { looseJson } from './loose-json.ts';
export type { LooseJson } from './loose-json.ts';
export { withThinking } from '../thinking/with-thinking.ts';
