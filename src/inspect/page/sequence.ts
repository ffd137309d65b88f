import type { ActorEntry, Entry, Role } from '../recording/entry.ts';
import { brief, oneLine } from '../drawing/plain-text.ts';
import { memberName } from './actor-tree.ts';

/** Somebody who says or hears something: an actor, or all calls of one agent to one model, tool or person. */
export interface Lane {
  readonly id: string;
  readonly name: string;
  readonly role: Role | 'outside';
  /** The actor that it is of; of calls, the agent that makes them. */
  readonly actor: string | undefined;
  /** Whose run it is; of what is outside of all runs, none. */
  readonly run: string | undefined;
}

/** Something that one says to another. */
export interface SequenceRow {
  readonly n: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly kind: 'begin' | 'ask' | 'answer' | 'failure' | 'message';
  /** All that was said, where the label is cut. */
  readonly text?: string | undefined;
}

/** Of a text, on a line; of it, where one rests on the line. */
const SHORT = 60;
const LONG = 1_000;

const OUTSIDE = 'outside';

/**
 * Who says what to whom in a recording, as it goes on: agents begin members and hear of their end, ask models, tools and people
 * and are answered, and send messages.
 */
export class Sequence {
  readonly lanes = new Map<string, Lane>();
  readonly rows: SequenceRow[] = [];
  /** The lane of each actor that is there, and who it is below. */
  readonly #places = new Map<string, { readonly lane: string; readonly owner: string; input: string }>();

  /** Takes in the next entry. */
  take(entry: Entry): void {
    if (entry.kind === 'actor') this.#comes(entry);
    else if (entry.kind === 'moved') this.#begins(entry.actor, entry.patch);
    else if (entry.kind === 'gone') this.#goes(entry);
    else if (entry.kind === 'told') this.#told(entry);
    else if (entry.kind === 'received' && isWorthARow(entry.event.type)) {
      const from = this.#laneOf(entry.from);
      this.#add(entry, from, this.#laneOf(entry.actor), entry.event.type, 'message');
    }
  }

  #comes(entry: ActorEntry): void {
    const { actor, parent, role, run } = entry;
    const name = memberName(entry);
    // What looks after a call is no one to talk to: its agent does.
    if (role === 'call' && parent !== undefined) {
      this.#places.set(actor, { lane: this.#laneOf(parent), owner: this.#laneOf(parent), input: '' });
      return;
    }
    const isCall = role === 'model' || role === 'tool' || role === 'person' || role === 'wait';
    const owner = this.#laneOf(parent);
    // Each approval is about another call; who is asked is the same person.
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
    if (parent !== undefined || isCall) this.#add(entry, owner, lane, label, isCall ? 'ask' : 'begin');
  }

  /** What a call is made with is known once it begins. */
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
    if (place === undefined || place.owner === place.lane || place.owner === OUTSIDE) return;
    const { output, status } = entry;
    const said = saidIn(output);
    const label = said === '' ? (status === 'done' ? 'answers' : status) : brief(said, SHORT);
    const text = status === 'done' ? brief(said, LONG) : `${status}: ${brief(said, LONG)}`;
    this.#add(entry, place.lane, place.owner, label, status === 'done' ? 'answer' : 'failure', text);
    this.#places.delete(entry.actor);
  }

  #told(entry: Extract<Entry, { kind: 'told' }>): void {
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

/** What came of somebody, in words: of a model its text, of a failure its message, and of all else the value. */
const saidIn = (output: unknown): unknown => {
  if (output === undefined || output === null) return '';
  if (typeof output !== 'object') return output;
  for (const key of ['text', 'message']) {
    const words: unknown = Reflect.get(output, key);
    if (typeof words === 'string') return words;
  }
  return output;
};

/** Answers are shown where they are given, and messages where they are told of. */
const isWorthARow = (type: string): boolean => !/^(answered|failed|message|entered|begin)(\.|$)/.test(type);

/** The lanes of some rows: actors in the order in which they first say or hear something, each with what it calls beside it. */
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

/** The rows that an actor has a part in: its calls, too, as it is who makes them. */
export const rowsAbout = (rows: readonly SequenceRow[], actor: string): readonly SequenceRow[] =>
  rows.filter(({ from, to }) => from === actor || to === actor);
