import { escapePattern } from '../../base/text/escape-pattern.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { callsIn, parameterType, textCall, valueOf } from './call-words.ts';
import { looseJson } from './loose-json.ts';
import type { TextCall, TextParser, TextReading } from './text-parser.ts';
import { answerLesson, toolList } from './tool-list.ts';

/**
 * Reads `<call name="NAME">{…}</call>` and `<answer>…</answer>`.
 *
 * Also what open models were trained on: `<tool_call>{"name", "arguments"}</tool_call>`,
 * `<invoke name="NAME"><parameter name="a">1</parameter></invoke>`, and one element for each argument. A call that is not closed
 * was cut off.
 */
export const xmlParser: TextParser = {
  name: 'xml',
  teach: (options) =>
    [
      toolList(options.tools),
      '',
      'To use tools, write for each call:',
      '<call name="NAME">{"parameter": "value"}</call>',
      'and stop: results are told to you. When you know the answer, write:',
      `<answer>the answer</answer>`,
      `You may think first, within <thought></thought>.${answerLesson(options)}`,
    ].join('\n'),
  read: (text, { tools = [], isCut = false } = {}) => {
    const thought = elements(text, THOUGHTS)
      .map(({ body }) => plainText(body))
      .filter((each) => each !== '')
      .join('\n');
    const spoken = thought === '' ? {} : { thought };
    // What was thought aloud is neither a call nor an answer.
    const said = without(text, THOUGHTS);
    const answer = elements(said, ANSWERS).find(({ body }) => body.trim() !== '');
    if (answer !== undefined && !(answer.isOpen && isCut))
      return { kind: 'answer', answer: plainText(answer.body), ...spoken };
    const calls = elements(said, CALLS).flatMap((element) => callsOf(element, tools));
    if (calls.length > 0) return { kind: 'calls', calls, ...spoken };
    return neither(said, thought);
  },
  write: (calls) =>
    calls.map(({ name, input }) => `<call name="${name}">${JSON.stringify(input)}</call>`).join('\n'),
  result: (tool, text, failed) => `<result of="${tool}"${failed ? ' failed="true"' : ''}>${text}</result>`,
};

const CALLS = ['call', 'tool_call', 'toolcall', 'invoke', 'function_call', 'tool_use', 'action', 'tool'];
const ANSWERS = ['answer', 'final_answer', 'final', 'response', 'result'];
const THOUGHTS = ['thought', 'thinking', 'think', 'reasoning'];

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly body: string;
  /** Its end is missing. */
  readonly isOpen: boolean;
  readonly start: number;
  readonly end: number;
}

/** The elements of some names, outermost first, in order. An end that is missing is the end of the text. */
const elements = (text: string, names: readonly string[]): readonly Element[] => {
  const opening = new RegExp(`<(${names.join('|')})((?:\\s[^<>]{0,500})?)>`, 'gi');
  const found: Element[] = [];
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [whole, name = '', attributes = ''] = match;
    const start = match.index + whole.length;
    if (attributes.endsWith('/')) {
      found.push({ name, attributes, body: '', isOpen: false, start: match.index, end: start });
      continue;
    }
    const rest = text.slice(start);
    const closing = new RegExp(`</${name}\\s*>`, 'i').exec(rest);
    const body = closing === null ? rest : rest.slice(0, closing.index);
    const end = closing === null ? text.length : start + closing.index + closing[0].length;
    found.push({ name, attributes, body, isOpen: closing === null, start: match.index, end });
    opening.lastIndex = end;
  }
  return found;
};

const without = (text: string, names: readonly string[]): string => {
  let rest = '';
  let at = 0;
  for (const { start, end } of elements(text, names)) {
    rest += text.slice(at, start);
    at = end;
  }
  return rest + text.slice(at);
};

const attribute = (attributes: string, names: string): string | undefined =>
  new RegExp(`\\b(?:${names})\\s*=\\s*["']([^"']*)["']`, 'i').exec(attributes)?.[1]?.trim();

const callsOf = ({ attributes, body, isOpen }: Element, tools: readonly ToolSpec[]): readonly TextCall[] => {
  const [named] = elements(body, ['name', 'tool_name', 'tool', 'function']);
  const name =
    attribute(attributes, 'name|tool|function') ?? (named === undefined ? undefined : named.body.trim());
  if (name !== undefined && name !== '') {
    const tool = tools.find((each) => each.name === name);
    const rest = named === undefined ? body : body.slice(0, named.start) + body.slice(named.end);
    return [textCall(name, inputOf(rest, tool), tool, isOpen)];
  }
  const found = looseJson(body);
  if (found !== undefined) return callsIn(found.value, tools, found.isTruncated || isOpen) ?? [];
  // `<call><add><a>1</a></add></call>`: the tool itself is the element.
  const [own] = elements(
    body,
    tools.map((tool) => escapePattern(tool.name)),
  );
  const tool = tools.find((each) => each.name.toLowerCase() === own?.name.toLowerCase());
  return own === undefined || tool === undefined
    ? []
    : [textCall(tool.name, inputOf(own.body, tool), tool, own.isOpen)];
};

/** Arguments: JSON, parameters by name, one element each, or bare text. */
const inputOf = (body: string, tool: ToolSpec | undefined): unknown => {
  const [wrapper] = elements(body, ['input', 'arguments', 'args', 'parameters', 'params']);
  const inner = wrapper === undefined ? body : wrapper.body;
  if (/^\s*(```(json)?\s*)?\{/.test(inner)) {
    const found = looseJson(inner);
    if (found !== undefined && isJsonObject(found.value)) return found.value;
  }
  const parameters = elements(inner, ['parameter', 'param', 'arg', 'argument']);
  const pairs =
    parameters.length > 0
      ? parameters.map(({ attributes, body: value }) => [attribute(attributes, 'name') ?? '', value] as const)
      : elements(inner, ['[A-Za-z_][\\w.-]{0,63}']).map(({ name, body: value }) => [name, value] as const);
  if (pairs.length > 0)
    return Object.fromEntries(
      pairs.map(([key, value]) => [key, valueOf(plainText(value), parameterType(tool, key))]),
    );
  const text = plainText(inner);
  return text === '' ? {} : text;
};

const neither = (said: string, thought: string): TextReading => {
  if (/<(call|tool_call|invoke|function_call|tool_use)\b/i.test(said))
    return { kind: 'problem', problem: 'the call names no tool' };
  const text = said.trim();
  if (text !== '') return { kind: 'answer', answer: text, ...(thought === '' ? {} : { thought }) };
  return {
    kind: 'problem',
    problem: thought === '' ? 'it is empty' : 'there is neither a call nor an answer',
  };
};

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);

const plainText = (body: string): string =>
  body
    .replaceAll(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')
    .trim()
    .replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES.get(entity) ?? entity);
