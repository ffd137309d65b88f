import type { MediaPart } from '../../contracts/content/part.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Entry, PublishedEntry, ReceivedEntry } from '../recording/entry.ts';
import { inputText } from '../drawing/input-text.ts';
import { brief } from '../drawing/plain-text.ts';
import { loopWords, stopWords } from '../drawing/stop-words.ts';
import { mediaIn } from './media-in.ts';
import type { ModelItem } from './model-calls.ts';
import { ModelCalls } from './model-calls.ts';

interface Placed {
  /** The entry that started it. */
  readonly n: number;
  readonly at: number;
}

/** A call of a tool. */
export interface ToolItem extends Placed {
  readonly kind: 'tool';
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  status: 'requested' | 'awaiting approval' | 'running' | 'done' | 'failed' | 'denied' | 'ambiguous';
  text?: string | undefined;
  durationMs?: number | undefined;
  attempts: number;
  artifacts: readonly string[];
  /** The number of the event that has its result. */
  seq?: number | undefined;
  media?: readonly MediaPart[] | undefined;
}

/** A message: from the one that gave the work, a person, or another agent. */
export interface SaidItem extends Placed {
  readonly kind: 'said';
  readonly who: string;
  readonly text: string;
  /** The number of the event of a message. */
  readonly seq?: number | undefined;
  media?: readonly MediaPart[] | undefined;
}

/** An informative note. */
export interface NoteItem extends Placed {
  readonly kind: 'note';
  readonly tone: 'plain' | 'warning' | 'error' | 'good';
  readonly title: string;
  readonly text: string;
}

export type TranscriptItem = ModelItem | ToolItem | SaidItem | NoteItem;

/** Builds an actor's transcript from its entries. */
export const transcriptOf = (entries: Iterable<Entry>): readonly TranscriptItem[] => {
  const transcript = new Transcript();
  for (const entry of entries) transcript.take(entry);
  return transcript.items;
};

class Transcript {
  readonly items: TranscriptItem[] = [];
  readonly #models = new ModelCalls();
  readonly #tools = new Map<string, ToolItem>();
  /** Messages that an event told of, by id. */
  readonly #said = new Map<string, SaidItem>();
  /** Messages whose media are shown. */
  readonly #shown = new Set<string>();
  #hasInput = false;

  take(entry: Entry): void {
    if (entry.kind === 'moved' && !this.#hasInput) {
      this.#hasInput = true;
      const input = entry.patch?.['input'];
      if (input !== undefined && input !== null && input !== '')
        this.items.push({
          ...placeOf(entry),
          kind: 'said',
          who: 'task',
          text: valueText(inputText(input)),
          media: mediaIn(input),
        });
    } else if (entry.kind === 'published') this.#addEvent(entry, entry.event);
    else if (entry.kind === 'received') this.#addMedia(entry);
  }

  /** Events of the runtime tell of media in words; what an actor received has them. */
  #addMedia(entry: ReceivedEntry): void {
    const { event } = entry;
    if (event.type === 'message') {
      // A team is given each message, an agent all that it has not read yet, some of them again.
      const inbox = valueIn(event, 'inbox');
      for (const message of Array.isArray(inbox) ? inbox : [valueIn(event, 'message')])
        this.#addMessage(entry, message);
      return;
    }
    const media = mediaIn(event);
    if (media.length === 0) return;
    if (event.type === 'answered.act')
      return this.#changeTool(textIn(event, 'output', 'result', 'callId'), { media });
    const answer = this.items.findLast((item) => item.kind === 'model');
    if (answer?.kind === 'model') answer.media = media;
  }

  #addMessage(entry: Entry, message: unknown): void {
    const media = mediaIn(valueIn(message, 'parts'));
    const id = textIn(message, 'id');
    if (media.length === 0 || this.#shown.has(id)) return;
    if (id !== '') this.#shown.add(id);
    const said = this.#said.get(id);
    if (said !== undefined) said.media = media;
    else {
      const [who, text] = [textIn(message, 'from'), textIn(message, 'text')];
      this.items.push({ ...placeOf(entry), kind: 'said', who, text, media });
    }
  }

  #addEvent(entry: PublishedEntry, event: LiveEvent): void {
    // Of an event that is too long to be shown only its head is there.
    if ('cut' in event && typeof event.cut === 'string') {
      const title = `${event.type} (too long)`;
      this.items.push({ ...placeOf(entry), kind: 'note', tone: 'plain', title, text: event.cut });
    } else if (event.type.startsWith('model.')) this.#model(entry, event);
    else if (event.type.startsWith('tool.')) this.#tool(entry, event);
    else {
      const speech = speechOf(event);
      if (speech === undefined) return this.#note(entry, event);
      const said: SaidItem = { ...placeOf(entry), kind: 'said', ...speech };
      this.items.push(said);
      if (event.type === 'message.sent' && event.id !== undefined) this.#said.set(event.id, said);
    }
  }

  #model(entry: PublishedEntry, event: LiveEvent): void {
    const isTold = this.#models.take(entry, event, (item) => {
      this.items.push(item);
    });
    const isPlain =
      event.type !== 'model.answered' || (event.omitted === undefined && event.providerCalls === undefined);
    if (!isTold || !isPlain) this.#note(entry, event);
  }

  #tool(entry: Entry, event: LiveEvent): void {
    switch (event.type) {
      case 'tool.requested': {
        const { callId, tool, input } = event;
        const made = { callId, tool, input, status: 'requested' as const, attempts: 0, artifacts: [] };
        const item: ToolItem = { ...placeOf(entry), kind: 'tool', ...made };
        this.#tools.set(callId, item);
        this.items.push(item);
        return;
      }
      case 'tool.approval-requested':
        return this.#changeTool(event.callId, { status: 'awaiting approval' });
      case 'tool.ambiguous':
        return this.#changeTool(event.callId, { status: 'ambiguous' });
      case 'tool.approval-given':
        return this.#changeTool(event.callId, { text: `${event.by.name} has approved it, and others must` });
      case 'tool.approved':
        return this.#changeTool(event.callId, {
          status: 'requested',
          ...(event.input === undefined ? {} : { input: event.input }),
        });
      case 'tool.denied':
        return this.#changeTool(event.callId, { status: 'denied', text: denialText(event) });
      case 'tool.started':
        return this.#changeTool(event.callId, { status: 'running', attempts: event.attempt });
      case 'tool.progressed':
        return this.#changeTool(event.callId, { text: event.text });
      case 'tool.finished': {
        const { ok, text, durationMs, artifacts = [], seq } = event;
        const isDenied = this.#tools.get(event.callId)?.status === 'denied';
        const status = ok ? 'done' : isDenied ? 'denied' : 'failed';
        return this.#changeTool(event.callId, { status, text, durationMs, artifacts, seq });
      }
      default:
        return this.#note(entry, event);
    }
  }

  #changeTool(callId: string, facts: Partial<ToolItem>): void {
    const item = this.#tools.get(callId);
    if (item !== undefined) Object.assign(item, facts);
  }

  #note(entry: Entry, event: LiveEvent): void {
    const note = noteOf(event);
    if (note !== undefined) this.items.push({ ...placeOf(entry), kind: 'note', ...note });
  }
}

/** The reason for a denial, after the rule that decided. */
const denialText = ({ rule, reason }: EventOf<'tool.denied'>): string | undefined =>
  rule === undefined ? reason : [rule, reason].filter((each) => each !== undefined).join(': ');

const placeOf = ({ n, at }: Entry): Placed => ({ n, at });

/** The value at a path within a value; undefined where there is none. */
export const valueIn = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value;
  for (const name of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return found;
};

/** The text at a path within a value; empty where there is none. */
export const textIn = (value: unknown, ...path: readonly string[]): string => {
  const found = valueIn(value, ...path);
  return typeof found === 'string' ? found : '';
};

/** Formats a text verbatim, anything else as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');

const speechOf = (event: LiveEvent): Pick<SaidItem, 'who' | 'text' | 'seq'> | undefined => {
  switch (event.type) {
    case 'message.sent':
      return { who: `${event.from} → ${event.to}`, text: event.text, seq: event.seq };
    case 'person.asked':
      return { who: 'asks a person', text: event.question };
    case 'person.answered':
      return { who: 'person', text: event.text };
    case 'agent.reminded':
    case 'agent.auto-completed':
      return { who: 'runtime', text: event.text };
    default:
      return undefined;
  }
};

type Note = Omit<NoteItem, 'kind' | 'n' | 'at'>;

/** Events of every step, uninformative in a transcript. */
const routine: ReadonlySet<string> = new Set([
  'phase.entered',
  'run.started',
  'member.engaged',
  'agent.prepared',
  'agent.observed',
  'agent.decided',
  'agent.acted',
  'agent.reduced',
  'agent.checked',
  'step.ended',
  'model.delta',
]);

const noteOf = (event: LiveEvent): Note | undefined => {
  if (routine.has(event.type)) return undefined;
  const title = event.type.replaceAll(/[.-]/g, ' ');
  switch (event.type) {
    case 'run.ended':
    case 'member.ended': {
      const tone = event.status === 'completed' ? 'good' : event.status === 'failed' ? 'error' : 'warning';
      const output = event.type === 'run.ended' && event.output !== undefined ? valueText(event.output) : '';
      const { status, stopReason, error } = event;
      const title = status === stopReason.kind ? status : `${status}: ${stopReason.kind}`;
      return { tone, title, text: status === 'completed' ? output : stopWords(stopReason, error) };
    }
    case 'model.answered': {
      const { omitted, providerCalls = [] } = event;
      const reasons = Object.entries(omitted ?? {}).map(([setting, reason]) => `${setting}: ${reason}`);
      const ran = providerCalls.map(
        ({ tool, input, problem }) =>
          `${tool} ${valueText(input ?? '')}${problem === undefined ? '' : `, failed: ${problem}`}`,
      );
      const title = [
        ...(ran.length === 0 ? [] : ['run by the provider']),
        ...(reasons.length === 0 ? [] : ['settings left out']),
      ];
      return {
        tone: reasons.length === 0 ? 'plain' : 'warning',
        title: title.join('; '),
        text: [...ran, ...reasons].join('\n'),
      };
    }
    case 'agent.critiqued':
      return { tone: 'plain', title: `critic: ${event.verdict}`, text: event.note ?? '' };
    case 'team.planned': {
      const plan = event.assignments.map(({ member, task }) => `${member}: ${task}`);
      return { tone: 'plain', title, text: plan.join('\n') };
    }
    case 'loop.warned':
      return { tone: 'warning', title: 'warned of a loop', text: loopWords(event) };
    case 'team.noted':
      return { tone: 'plain', title, text: event.text };
    case 'custom.emitted':
      return { tone: 'plain', title: event.name, text: brief(event.data, 300) };
    default:
      return { tone: toneOf(event), title, text: errorIn(event)?.message ?? restOf(event) };
  }
};

const toneOf = (event: LiveEvent): Note['tone'] => {
  if (/failed|quarantined|lost/.test(event.type)) return 'error';
  return /warned|neared|refused|retrying|discarded|interrupted|dropped|degraded|deprecated|waiting/.test(
    event.type,
  )
    ? 'warning'
    : 'plain';
};

const errorIn = (event: LiveEvent): ErrorData | undefined =>
  'error' in event && typeof event.error === 'object' ? event.error : undefined;

const common: ReadonlySet<string> = new Set([
  'v',
  'type',
  'at',
  'runId',
  'path',
  'agent',
  'seq',
  'step',
  'phase',
  'key',
]);

/** Formats the specific fields of an event on one line. */
const restOf = (event: LiveEvent): string =>
  Object.entries(event)
    .filter(([key]) => !common.has(key))
    .map(([key, value]: readonly [string, unknown]) => `${key}: ${brief(value, 200)}`)
    .join(' · ');
