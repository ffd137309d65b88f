import type { ActorEntry, Entry, Role } from './entry.ts';
import { memberName } from './member-name.ts';
import { brief, oneLine } from '../drawing/plain-text.ts';

/** A participant: an actor, or all calls of one agent to one model, tool or person. */
export interface Lane {
  readonly id: string;
  readonly name: string;
  readonly role: Role | 'outside';
  /** The actor that it is of; of calls, the agent that makes them. */
  readonly actor: string | undefined;
  /** Its run; undefined for participants outside of all runs. */
  readonly run: string | undefined;
}

/** A message from one participant to another. */
export interface SequenceRow {
  readonly n: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly kind: 'begin' | 'ask' | 'answer' | 'failure' | 'message';
  /** The whole text, if the label is truncated. */
  readonly text?: string | undefined;
}

/** Of a text, on a line; of it, where one rests on the line. */
const SHORT = 60;
const LONG = 1_000;

const OUTSIDE = 'outside';

/**
 * Builds a sequence diagram from a recording as it grows: agents engage members and learn of their end, call models,
 * tools and people, and send messages.
 */
export class Sequence {
  readonly lanes = new Map<string, Lane>();
  readonly rows: SequenceRow[] = [];
  /** The lane of each actor that is there, and who it is below. */
  readonly #places = new Map<string, { readonly lane: string; readonly owner: string; input: string }>();

  /** Adds the next entry. */
  take(entry: Entry): void {
    if (entry.kind === 'actor') this.#comes(entry);
    else if (entry.kind === 'moved') this.#begins(entry.actor, entry.patch);
    else if (entry.kind === 'gone') this.#goes(entry);
    else if (entry.kind === 'published') this.#addEvent(entry);
    else if (entry.kind === 'received' && isWorthARow(entry.event.type)) {
      const from = this.#laneOf(entry.from);
      this.#add(entry, from, this.#laneOf(entry.actor), entry.event.type, 'message');
    }
  }

  #comes(entry: ActorEntry): void {
    const { actor, parent, role, run } = entry;
    const name = memberName(entry);
    // The actor of a call is not a participant: its agent is.
    if (role === 'call' && parent !== undefined) {
      this.#places.set(actor, { lane: this.#laneOf(parent), owner: this.#laneOf(parent), input: '' });
      return;
    }
    const isCall = role === 'model' || role === 'tool' || role === 'person' || role === 'wait';
    const owner = this.#laneOf(parent);
    // Each approval concerns another call, but the same person.
    const called = role === 'person' ? 'person' : role === 'wait' ? 'clock' : name;
    const lane = isCall ? `${owner}#${role}.${called}` : actor;
    if (!this.lanes.has(lane))
      this.lanes.set(lane, {
        id: lane,
        name: isCall ? called : name,
        role,
        actor: isCall ? parent : actor,
        run,
      });
    this.#places.set(actor, { lane, owner, input: '' });
    const label = isCall ? (role === 'tool' ? name : role === 'person' ? name : 'asks') : `begins ${name}`;
    this.#add(entry, owner, lane, label, isCall ? 'ask' : 'begin');
  }

  /** The input of a call is known once it starts. */
  #begins(actor: string, patch: Readonly<Record<string, unknown>> | undefined): void {
    const place = this.#places.get(actor);
    const given = patch?.['input'] ?? patch?.['question'];
    if (place === undefined || place.input !== '' || given === undefined) return;
    place.input = brief(given, SHORT);
    const row = this.rows.at(-1);
    if (row === undefined || row.to !== place.lane || (row.kind !== 'ask' && row.kind !== 'begin')) return;
    if (row.label === 'asks') return;
    const label = `${row.label}${row.kind === 'begin' ? ':' : ''} ${place.input}`;
    this.rows[this.rows.length - 1] = { ...row, label, text: `${row.label}: ${brief(given, LONG)}` };
  }

  #goes(entry: Extract<Entry, { kind: 'gone' }>): void {
    const place = this.#places.get(entry.actor);
    if (place === undefined || place.owner === place.lane) return;
    const { output, status } = entry;
    const said = textIn(output);
    const label = said === '' ? (status === 'done' ? 'answers' : status) : brief(said, SHORT);
    const text = status === 'done' ? brief(said, LONG) : `${status}: ${brief(said, LONG)}`;
    this.#add(entry, place.lane, place.owner, label, status === 'done' ? 'answer' : 'failure', text);
    this.#places.delete(entry.actor);
  }

  #addEvent(entry: Extract<Entry, { kind: 'published' }>): void {
    const { event } = entry;
    if (event.type !== 'message.sent') return;
    const from = event.sender === undefined ? OUTSIDE : this.#laneOf(`${event.runId}/${event.sender}`);
    const to = this.#laneOf(`${event.runId}/${event.to}`);
    this.#add(
      entry,
      from,
      to === OUTSIDE ? this.#laneOf(entry.actor) : to,
      oneLine(event.text, 60),
      'message',
    );
  }

  #laneOf(actor: string | undefined): string {
    const known = actor === undefined ? undefined : this.#places.get(actor)?.lane;
    if (known !== undefined) return known;
    if (actor !== undefined && this.lanes.has(actor)) return actor;
    return OUTSIDE;
  }

  #add(
    { n, at }: { readonly n: number; readonly at: number },
    from: string,
    to: string,
    label: string,
    kind: SequenceRow['kind'],
    text = '',
  ): void {
    if ((from === OUTSIDE || to === OUTSIDE) && !this.lanes.has(OUTSIDE))
      this.lanes.set(OUTSIDE, {
        id: OUTSIDE,
        name: 'outside',
        role: 'outside',
        actor: undefined,
        run: undefined,
      });
    this.rows.push({ n, at, from, to, label, kind, ...(text === '' || text === label ? {} : { text }) });
  }
}

/** Extracts the text of an output: a model's text, a failure's message, else the value. */
const textIn = (output: unknown): unknown => {
  if (output === undefined || output === null) return '';
  if (typeof output !== 'object') return output;
  for (const key of ['text', 'message']) {
    const words: unknown = Reflect.get(output, key);
    if (typeof words === 'string') return words;
  }
  return output;
};

/** Answers and messages have rows of their own elsewhere. */
const isWorthARow = (type: string): boolean => !/^(answered|failed|message|entered|begin)(\.|$)/.test(type);

/** Returns the lanes of some rows: actors in order of first appearance, each followed by its callees. */
export const lanesOf = (rows: readonly SequenceRow[], lanes: ReadonlyMap<string, Lane>): readonly Lane[] => {
  const seen = new Set<string>();
  for (const { from, to } of rows) seen.add(from).add(to);
  const groups = new Map<string, Lane[]>();
  for (const id of seen) {
    const lane = lanes.get(id);
    if (lane === undefined) continue;
    const group = groups.get(lane.actor ?? id);
    if (group === undefined) groups.set(lane.actor ?? id, [lane]);
    else if (lane.actor === id) group.unshift(lane);
    else group.push(lane);
  }
  return [...groups.values()].flat();
};

/** The rows that a run has a part in. */
export const rowsOfRun = (
  rows: readonly SequenceRow[],
  lanes: ReadonlyMap<string, Lane>,
  run: string,
): readonly SequenceRow[] =>
  rows.filter(({ from, to }) => lanes.get(from)?.run === run || lanes.get(to)?.run === run);

/** Returns the rows in which an actor takes part, its calls included. */
export const rowsAbout = (rows: readonly SequenceRow[], actor: string): readonly SequenceRow[] =>
  rows.filter(({ from, to }) => from === actor || to === actor);
