import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { callsIn, parameterType, textCall, valueOf } from './call-words.ts';
import { looseJson } from './loose-json.ts';
import type { TextCall, TextParser, TextReading } from './text-parser.ts';
import { answerLesson, toolList } from './tool-list.ts';

/**
 * Parses Thought / Action / Action Input / Final Answer.
 *
 * Everything from the first `Observation:` on is dropped, as the model invented it: results come from tools. A final
 * answer takes precedence over an action. `Action: add(a=1, b=2)`, `Action: add({"a": 1})` and `Action: search[words]`
 * are parsed too.
 */
export const reactParser: TextParser = {
  name: 'react',
  teach: (options) =>
    [
      toolList(options.tools),
      '',
      'To use a tool, write exactly:',
      'Thought: why',
      'Action: NAME',
      'Action Input: {"parameter": "value"}',
      'and stop there: the next message begins with "Observation:" and tells the result.',
      'When you know the answer, write:',
      'Thought: why',
      `Final Answer: the answer${answerLesson(options)}`,
    ].join('\n'),
  read: (text, { tools = [], isCut = false } = {}) => readSections(sectionsOf(text), text, tools, isCut),
  write: (calls) =>
    calls.map(({ name, input }) => `Action: ${name}\nAction Input: ${JSON.stringify(input)}`).join('\n'),
  result: (tool, text, failed) => `Observation: ${failed ? `${tool} failed: ` : ''}${text}`,
};

type Label = 'thought' | 'action' | 'input' | 'answer' | 'observation';

interface Section {
  readonly label: Label;
  readonly text: string;
}

const LABELS: ReadonlyMap<string, Label> = new Map<string, Label>([
  ['thought', 'thought'],
  ['thoughts', 'thought'],
  ['thinking', 'thought'],
  ['reasoning', 'thought'],
  ['action', 'action'],
  ['tool', 'action'],
  ['function', 'action'],
  ['action input', 'input'],
  ['tool input', 'input'],
  ['input', 'input'],
  ['arguments', 'input'],
  ['args', 'input'],
  ['parameters', 'input'],
  ['final answer', 'answer'],
  ['final', 'answer'],
  ['answer', 'answer'],
  ['observation', 'observation'],
  ['result', 'observation'],
]);

/** A label at the start of a line, plain or in Markdown's bold, numbered or not. */
const LABEL =
  /^[ \t>*_#-]{0,8}(thoughts?|thinking|reasoning|action input|tool input|action|tool|function|input|arguments|args|parameters|final answer|final|answer|observation|result)[ \t]{0,2}\d{0,3}[*_]{0,2}[ \t]{0,2}:[*_]{0,2}/gim;

const sectionsOf = (text: string): readonly Section[] => {
  const found = [...text.matchAll(LABEL)];
  const sections: Section[] = [];
  for (const [index, match] of found.entries()) {
    const label = LABELS.get((match[1] ?? '').toLowerCase()) ?? 'thought';
    if (label === 'observation' && sections.some((each) => each.label === 'action')) break;
    const start = match.index + match[0].length;
    sections.push({ label, text: text.slice(start, found[index + 1]?.index ?? text.length).trim() });
  }
  return sections;
};

const readSections = (
  sections: readonly Section[],
  text: string,
  tools: readonly ToolSpec[],
  isCut: boolean,
): TextReading => {
  const thought = sections
    .filter(({ label }) => label === 'thought')
    .map((section) => section.text)
    .join('\n');
  const spoken = thought === '' ? {} : { thought };
  const answer = sections.findLast(({ label }) => label === 'answer');
  const answered = answer === undefined ? '' : afterAnswer(text);
  if (answered !== '') return { kind: 'answer', answer: answered, ...spoken };
  const calls = callsOf(sections, tools, isCut);
  if (calls.length > 0) return { kind: 'calls', calls, ...spoken };
  if (sections.some(({ label }) => label === 'action'))
    return { kind: 'problem', problem: 'the action names no tool' };
  if (answer !== undefined) return { kind: 'problem', problem: 'the final answer is empty' };
  if (thought !== '') return { kind: 'problem', problem: 'there is neither an Action nor a Final Answer' };
  return text.trim() === ''
    ? { kind: 'problem', problem: 'it is empty' }
    : { kind: 'answer', answer: text.trim() };
};

/** An answer may contain lines that look like labels: it extends to the end, or to an invented observation. */
const afterAnswer = (text: string): string => {
  const matches = [...text.matchAll(LABEL)];
  const at = matches.findIndex((match) => LABELS.get((match[1] ?? '').toLowerCase()) === 'answer');
  const match = matches[at];
  return match === undefined ? '' : text.slice(match.index + match[0].length).trim();
};

const callsOf = (
  sections: readonly Section[],
  tools: readonly ToolSpec[],
  isCut: boolean,
): readonly TextCall[] => {
  const calls: TextCall[] = [];
  for (const [index, section] of sections.entries()) {
    if (section.label !== 'action') continue;
    const next = sections[index + 1];
    const input = next?.label === 'input' ? next.text : undefined;
    const isLast = index + (input === undefined ? 1 : 2) >= sections.length;
    const call = callOf(section.text, input, tools, isCut && isLast);
    if (call !== undefined) calls.push(...call);
  }
  return calls;
};

const NO_ACTION = /^(none|n\/a|no action)?$/i;

const callOf = (
  action: string,
  given: string | undefined,
  tools: readonly ToolSpec[],
  isCut: boolean,
): readonly TextCall[] | undefined => {
  const text = action.replaceAll('`', '').trim();
  if (NO_ACTION.test(text)) return undefined;
  // The whole call as JSON, after the label.
  if (text.startsWith('{') || text.startsWith('[')) {
    const found = looseJson(text);
    return found === undefined ? undefined : callsIn(found.value, tools, isCut || found.isTruncated);
  }
  const [, name = '', bracket, inner = ''] =
    /^([\p{L}\p{M}\p{N}_.:/-]{1,256})\s*(?:([([])([\s\S]*))?/u.exec(text) ?? [];
  if (name === '') return undefined;
  const tool = tools.find((each) => each.name === name);
  if (given !== undefined) return [withInput(name, given, tool, isCut)];
  if (bracket === undefined) return [textCall(name, {}, tool, isCut)];
  const close = bracket === '(' ? ')' : ']';
  const isClosed = inner.trimEnd().endsWith(close);
  const within = isClosed ? inner.trimEnd().slice(0, -1).trim() : inner.trim();
  return [withInput(name, within, tool, isCut || !isClosed)];
};

const withInput = (name: string, given: string, tool: ToolSpec | undefined, isCut: boolean): TextCall => {
  const text = given.replaceAll(/^```(?:json)?\s*|(?<!\s)\s*```$/g, '').trim();
  if (text === '') return textCall(name, {}, tool, isCut);
  if (text.startsWith('{')) {
    const found = looseJson(text);
    return found === undefined
      ? { name, input: text, problem: 'The arguments are no JSON that can be read.' }
      : textCall(name, found.value, tool, found.isTruncated || (isCut && !/\}\s*$/.test(text)));
  }
  const named = namedArguments(text, tool);
  return textCall(name, named ?? valueOf(unquote(text), undefined), tool, isCut);
};

const unquote = (text: string): string => /^(["'])([^"']*)\1$/.exec(text)?.[2] ?? text;

/** Parses keyword arguments `a=1, text="x, y"`; undefined for any other text. */
const namedArguments = (text: string, tool: ToolSpec | undefined): object | undefined => {
  const pairs: [string, unknown][] = [];
  const pair = /\s*([A-Za-z_]\w{0,63})\s*=(?:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*|([^,"'=]+))(?:,|$)/y;
  while (pair.lastIndex < text.length) {
    const match = pair.exec(text);
    if (match === null) return undefined;
    const [, key = '', quoted, plain = ''] = match;
    pairs.push([
      key,
      quoted === undefined
        ? valueOf(plain.trim(), parameterType(tool, key))
        : quoted.slice(1, -1).replaceAll(/\\(["'\\])/g, '$1'),
    ]);
  }
  return Object.fromEntries(pairs);
};
