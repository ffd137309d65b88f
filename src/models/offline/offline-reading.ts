import { isJsonObject, type Json } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { plainText } from './offline-canonical.ts';
import { jsonIn, statement } from './offline-evidence.ts';

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
  /** Own answers since the request, oldest first. */
  readonly said: readonly string[];
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
  const said: string[] = [];
  const inputs = new Map<string, { name: string; input: Json }>();
  const calls: MadeCall[] = [];
  for (const turn of turns.slice(at + 1)) {
    if (turn.role === 'user') (isNote(turn) ? notes : reports).push(turn.text);
    else if (turn.role === 'assistant') {
      if (turn.text !== '' && (turn.calls ?? []).length === 0) said.push(turn.text);
      for (const call of turn.calls ?? []) inputs.set(call.id, call);
    } else {
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
    said,
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

/** An option listed in a prompt, with its description. */
export interface Alternative {
  readonly name: string;
  readonly about: string;
}

/**
 * Parses the alternatives that a prompt lists under a heading such as "Workers:", for a property such as `worker`: list
 * items `- name — about`, lines `name: about`, or names in a row.
 */
export const alternativesFor = (key: string, texts: readonly string[]): Alternative[] => {
  const wanted =
    key
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[\s_-]+/)
      .at(-1) ?? key;
  const heading = new RegExp(`\\b${wanted.replace(/[^\w]/g, '')}(?:s|es)?\\b[^\\n:]{0,40}:[ \\t]*(.*)$`, 'i');
  for (const text of texts) {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      const found = heading.exec(line);
      if (found === null) continue;
      const listed = listAfter(lines.slice(index + 1));
      if (listed.length > 0) return listed;
      const inline = (found[1] ?? '').trim();
      if (inline !== '') {
        const first = alternative(inline);
        if (first !== undefined && first.about !== '' && !/,|;/.test(first.name)) {
          return inline.split(/;\s*/).flatMap((item) => alternative(item) ?? []);
        }
        return inline
          .split(/[,;]|\bor\b|\band\b/)
          .flatMap((name) => alternative(name.trim().replace(/\.$/, '')) ?? []);
      }
    }
  }
  return [];
};

const listAfter = (lines: readonly string[]): Alternative[] => {
  const found: Alternative[] = [];
  for (const line of lines) {
    if (line.trim() === '') {
      if (found.length > 0) break;
      continue;
    }
    const item = /^\s*(?:[-*•]|\d+[.)])\s(.*)$/.exec(line)?.[1];
    const named = item === undefined ? undefined : alternative(item);
    if (named === undefined) break;
    found.push(named);
  }
  return found;
};

const alternative = (item: string): Alternative | undefined => {
  const found = /^[`"'*]*([\w$][\w$./-]*)[`"'*]*(?:\s*(?:[—–:(]|\s-\s|-\s)(.*))?$/.exec(item.trim());
  return found?.[1] === undefined
    ? undefined
    : { name: found[1], about: (found[2] ?? '').trim().replace(/\)$/, '') };
};
