import { isJsonObject, type Json } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { jsonIn, plainText, statement } from './offline-evidence.ts';

/** A labelled part of a prompt; the part before the first label has none. */
export interface Section {
  readonly label: string;
  readonly body: string;
}

/** A completed call for the current request, with its result. */
export interface MadeCall {
  readonly name: string;
  readonly input: Json;
  readonly text: string;
  readonly failed: boolean;
}

/** A request as the offline model understands it. */
export interface Reading {
  readonly instructions: string;
  /** The text of the requesting turn. */
  readonly request: string;
  /** The question: the part labelled so, or the whole. */
  readonly question: string;
  readonly sections: readonly Section[];
  /** Later reports of other agents. */
  readonly reports: readonly string[];
  /** Objections to an answer, oldest first. */
  readonly notes: readonly string[];
  readonly calls: readonly MadeCall[];
}

/** Interprets a request by its speakers and the labels in their texts. */
export const readRequest = (request: ModelRequest): Reading => {
  const turns = request.messages.toArray();
  const at = requestAt(turns);
  const asked = turns[at];
  const text = asked?.role === 'user' ? asked.text : '';
  const sections = sectionsOf(text);
  const reports: string[] = [];
  const notes: string[] = [];
  const inputs = new Map<string, { name: string; input: Json }>();
  const calls: MadeCall[] = [];
  for (const turn of turns.slice(at + 1)) {
    if (turn.role === 'user') (isNote(turn) ? notes : reports).push(turn.text);
    else if (turn.role === 'assistant') for (const call of turn.calls ?? []) inputs.set(call.id, call);
    else {
      const call = inputs.get(turn.callId);
      calls.push({
        name: turn.tool,
        input: call?.input ?? {},
        text: turn.text,
        failed: turn.failed === true,
      });
    }
  }
  return {
    instructions: request.instructions,
    request: text,
    question: questionIn(sections, text),
    sections,
    reports,
    notes,
    calls,
  };
};

/** Index of the user's last turn; if all turns are by others, the first. */
const requestAt = (turns: readonly Turn[]): number => {
  const own = turns.findLastIndex((turn) => turn.role === 'user' && turn.from === undefined);
  return own >= 0 ? own : turns.findIndex((turn) => turn.role === 'user');
};

const isNote = (turn: Turn): boolean =>
  turn.role === 'user' &&
  (turn.from === 'critic' || turn.from === 'runtime' || /critic|review/i.test(turn.from ?? ''));

const QUESTION =
  /^(the )?(user'?s? )?(original )?(question|task|request|goal|query|problem|assignment|objective|topic|prompt|input)s?$/i;

const questionIn = (sections: readonly Section[], text: string): string => {
  const labelled = sections.find(({ label, body }) => QUESTION.test(label) && body !== '');
  if (labelled !== undefined) return labelled.body;
  const opening = sections[0];
  return opening?.label === '' && sections.length > 1 && opening.body !== '' ? opening.body : text.trim();
};

/** The sections of `reading` whose label matches. */
export const sectionsLabelled = (sections: readonly Section[], label: RegExp): Section[] =>
  sections.filter((section) => label.test(section.label));

/**
 * A prompt in its labelled parts: `Label: …`, a Markdown heading, an element `<label>…</label>`, or the keys of a
 * JSON object.
 */
export const sectionsOf = (text: string): Section[] => {
  const value = jsonIn(text);
  if (isJsonObject(value)) {
    return Object.entries(value).map(([label, item]) => ({ label, body: bodyOf(item ?? null) }));
  }
  const sections: { label: string; body: string[] }[] = [{ label: '', body: [] }];
  let element: string | undefined;
  for (const line of text.split('\n')) {
    const last = sections.at(-1);
    if (element !== undefined) {
      if (line.trim() === `</${element}>`) {
        element = undefined;
        sections.push({ label: '', body: [] });
      } else last?.body.push(line);
      continue;
    }
    const opened = /^<([a-z][\w-]*)>$/i.exec(line.trim())?.[1];
    const whole = /^<([a-z][\w-]*)>(.*)<\/\1>$/i.exec(line.trim());
    const titled = /^#{1,6}\s(.*)$/.exec(line)?.[1]?.trim().replace(/:$/, '').trimEnd();
    const heading =
      titled === undefined || titled === '' ? /^\*\*([^*]{1,40})\*\*:?$/.exec(line.trim())?.[1] : titled;
    const labelledLine = /^(?:\*\*)?([A-Z][A-Za-z'’ -]{1,40}?)(?:\*\*)?:(?:\*\*)?(?:\s(.*))?$/.exec(line);
    if (opened !== undefined) {
      element = opened;
      sections.push({ label: opened, body: [] });
    } else if (whole?.[1] !== undefined) sections.push({ label: whole[1], body: [whole[2] ?? ''] });
    else if (heading !== undefined) sections.push({ label: heading, body: [] });
    else if (labelledLine?.[1] !== undefined && labelledLine[1].split(' ').length <= 6) {
      sections.push({ label: labelledLine[1], body: [labelledLine[2] ?? ''] });
    } else last?.body.push(line);
  }
  return sections
    .map(({ label, body }) => ({ label, body: body.join('\n').trim() }))
    .filter(({ label, body }) => label !== '' || body !== '');
};

const bodyOf = (value: Json): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item: Json) => bodyOf(item)).join('\n\n');
  if (!isJsonObject(value)) return plainText(value);
  const { citation, text } = value;
  if (typeof text === 'string') return typeof citation === 'string' ? `[${citation}]\n${text}` : text;
  return statement(value);
};
