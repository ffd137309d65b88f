import { isJsonObject } from '../../base/json/json.ts';
import { answerIn, callsIn, thoughtIn } from './call-words.ts';
import { looseJson } from './loose-json.ts';
import type { TextParser, TextReading } from './text-parser.ts';
import { answerLesson, toolList } from './tool-list.ts';

/**
 * Parses replies that are one JSON object: `{"thought", "calls": [{"tool", "input"}]}` or `{"thought", "answer"}`.
 *
 * A text without any JSON is a final answer: small models forget the format when they are done.
 */
export const jsonParser: TextParser = {
  name: 'json',
  teach: (options) =>
    [
      toolList(options.tools),
      '',
      'Reply with one JSON object and nothing around it. To use tools:',
      '{"thought": "why", "calls": [{"tool": "NAME", "input": {}}]}',
      'When you know the answer:',
      `{"thought": "why", "answer": ${options.output === undefined ? '"the answer"' : '{}'}}`,
      `Never write results yourself: they are told to you.${answerLesson(options)}`,
    ].join('\n'),
  read: (text, { tools = [], isCut = false } = {}) => {
    const found = looseJson(text);
    if (found === undefined) return inWords(text, isCut);
    const { value, isTruncated } = found;
    const thought = isJsonObject(value) ? thoughtIn(value) : undefined;
    const given = isJsonObject(value) ? answerIn(value) : undefined;
    const spoken = thought === undefined ? {} : { thought };
    if (given !== undefined && !(isTruncated && isCut))
      return { kind: 'answer', answer: answerText(given), ...spoken };
    const calls = callsIn(
      value,
      tools,
      isTruncated || (isCut && found.end === text.length && !isClosed(text)),
    );
    if (calls !== undefined) return { kind: 'calls', calls, ...spoken };
    return isTruncated
      ? { kind: 'problem', problem: 'the JSON is cut off' }
      : { kind: 'problem', problem: 'the JSON object has neither "calls" nor "answer"' };
  },
  write: (calls) => JSON.stringify({ calls: calls.map(({ name, input }) => ({ tool: name, input })) }),
  result: (tool, text, failed) => `Result of ${tool}${failed ? ' (failed)' : ''}: ${text}`,
};

const isClosed = (text: string): boolean => /[}\]]\s*(```\s*)?$/.test(text);

const inWords = (text: string, isCut: boolean): TextReading => {
  if (/^\s*(```(json)?\s*)?[{[]/.test(text))
    return { kind: 'problem', problem: isCut ? 'the JSON is cut off' : 'it is no JSON that can be read' };
  return text.trim() === ''
    ? { kind: 'problem', problem: 'it is empty' }
    : { kind: 'answer', answer: text.trim() };
};

const answerText = (answer: unknown): string =>
  typeof answer === 'string' ? answer : JSON.stringify(answer);
