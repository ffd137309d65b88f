import type { Arrived, JournalRecord, RecordedEvent } from '../../contracts/journals/journal-record.ts';
import { callIdOf, keyInRun } from '../../contracts/runs/effect.ts';
import type { Cassette } from '../cassette.ts';
import { agentOf } from '../cassette.ts';
import type { Point } from './point.ts';
import { decisionKey } from './point.ts';

/** The points of a run, in the order in which they were said, and why others are none. */
export interface RunPoints {
  readonly points: readonly Point[];
  /** Tools whose calls ran agents. */
  readonly callers: ReadonlySet<string>;
  readonly untried: readonly string[];
}

/**
 * Reads the points of a run at which something else could have been said.
 *
 * Left out is what has nothing to do with the end: members that were dismissed before they had answered, called or sent anything. What comes
 * before a message from outside is left out, too: a fork that starts there would have to send it again, and cannot know when.
 */
export const readPoints = (
  runId: string,
  records: readonly JournalRecord[],
  cassette: Cassette,
): RunPoints => {
  const reading = new Reading(runId, cassette);
  for (const record of records) reading.take(record);
  return reading.points();
};

/** A call of a tool that was started, and has no result yet. */
interface OpenCall {
  readonly name: string;
  readonly path: string;
  readonly step: number;
  readonly callId: string;
  readonly tool: string;
  readonly from: number;
  readonly within: readonly string[];
}

/** An agent that an effect runs: the calls that it works for, and where a fork has to start to run it again. */
interface Scope {
  readonly within: readonly string[];
  readonly from: number;
}

type EventOf<Type extends RecordedEvent['type']> = Extract<RecordedEvent, { readonly type: Type }>;

class Reading {
  readonly #runId: string;
  readonly #cassette: Cassette;
  readonly #points: Point[] = [];
  readonly #callers = new Set<string>();
  readonly #scopes = new Map<string, Scope>();
  readonly #asked = new Map<string, number>();
  readonly #open = new Map<string, OpenCall>();
  /** Messages from outside, by id. */
  readonly #outside = new Set<string>();
  /** Members that were dismissed, and agents that called a tool or sent a message. */
  readonly #dismissed: string[] = [];
  readonly #active = new Set<string>();
  /** Steps of agents whose model has answered, and names of those that decided without one. */
  readonly #answered = new Set<string>();
  readonly #deciding = new Set<string>();
  /** Number of the last message from outside. */
  #cut = 0;
  /** Number of the last event of the run's own scope. */
  #last = 0;

  constructor(runId: string, cassette: Cassette) {
    this.#runId = runId;
    this.#cassette = cassette;
  }

  take(record: JournalRecord): void {
    if (record.kind === 'arrived') this.#arrival(record);
    if (record.kind !== 'event') return;
    const { event, scope } = record;
    if (scope === undefined) this.#last = event.seq;
    const own = scope === undefined ? undefined : this.#scopes.get(scope);
    switch (event.type) {
      case 'model.asked':
        this.#asked.set(event.key, own?.from ?? event.seq);
        return;
      case 'model.answered':
        return this.#answer(event, own);
      case 'agent.decided':
        if (!this.#answered.has(`${event.path}#${event.step ?? 0}`)) this.#deciding.add(event.agent);
        return;
      case 'tool.started':
        return this.#start(event, own);
      case 'tool.finished':
        return this.#finish(event);
      case 'message.sent':
        return this.#message(event, scope);
      case 'member.ended':
        if (event.status === 'aborted') this.#dismissed.push(event.path);
        return;
      default:
    }
  }

  points(): RunPoints {
    const counting = this.#points.filter(({ path }) => !this.#isIdle(path));
    const points = counting.filter(({ from }) => from >= this.#cut);
    const untried = [
      ...(points.length < counting.length
        ? [`${counting.length - points.length} points before the last message from outside: it would be lost`]
        : []),
      ...[...this.#deciding].map((agent) => `'${agent}' decides by its own code`),
    ];
    return { points, callers: this.#callers, untried };
  }

  #answer({ key, path, agent, step, seq, text }: EventOf<'model.answered'>, own?: Scope): void {
    const inRun = keyInRun({ key, runId: this.#runId });
    const asker = agentOf(path);
    this.#answered.add(`${asker}#${step ?? 0}`);
    const raw = this.#cassette.answers.get(inRun)?.raw;
    const calls = (raw?.calls ?? []).map(({ name, input }) => ({ name, input }));
    this.#points.push({
      kind: 'answer',
      key: decisionKey(inRun),
      agent,
      path: asker,
      step,
      seq,
      from: this.#asked.get(key) ?? own?.from ?? seq,
      within: own?.within ?? [],
      recorded: { text, calls },
    });
  }

  #start({ path, step = 0, callId, tool, seq, synthesised }: EventOf<'tool.started'>, own?: Scope): void {
    if (synthesised === true) return;
    const asker = agentOf(path);
    const name = `${asker}#${step}.${callId}`;
    this.#active.add(asker);
    // A call that is retried is started again; a fork has to start before the first time.
    if (this.#open.has(name)) return;
    this.#open.set(name, {
      name,
      path: asker,
      step,
      callId,
      tool,
      from: own?.from ?? seq,
      within: own?.within ?? [],
    });
  }

  #finish(event: EventOf<'tool.finished'>): void {
    const { path, step = 0, callId, tool, agent, seq, text, synthesised, cached } = event;
    const call = this.#open.get(`${agentOf(path)}#${step}.${callId}`);
    if (call === undefined) return;
    this.#open.delete(call.name);
    if (synthesised === true || cached === true) return;
    const { name: key, from, within } = call;
    this.#points.push({
      kind: 'result',
      key,
      agent,
      path: call.path,
      step,
      seq,
      from,
      within,
      tool,
      recorded: { text },
    });
  }

  #message({ id, path, agent, step, seq, text }: EventOf<'message.sent'>, scope?: string): void {
    this.#active.add(agentOf(path));
    if (id === undefined || !this.#outside.has(id)) return;
    this.#cut = seq;
    // A fork cannot change one to an agent that a call runs.
    if (scope !== undefined) return;
    const place = { agent, path, step, seq, from: seq, within: [] };
    this.#points.push({ kind: 'message', key: id, ...place, recorded: { text } });
  }

  #arrival({ arrival, scope }: Arrived): void {
    if (arrival.type === 'message' && arrival.message.sender === undefined) {
      if (arrival.message.id !== undefined) this.#outside.add(arrival.message.id);
    }
    if (arrival.type !== 'engaged') return;
    const outer = scope === undefined ? undefined : this.#scopes.get(scope);
    const call = this.#callOf(arrival.key);
    if (call !== undefined) this.#callers.add(call.tool);
    this.#scopes.set(arrival.path, {
      within: [...(outer?.within ?? []), ...(call === undefined ? [] : [call.name])],
      from: outer?.from ?? call?.from ?? this.#last,
    });
  }

  /** The call of a tool that an effect is; undefined for another effect. */
  #callOf(key: string): OpenCall | undefined {
    const [address = '', place = ''] = key.split('#');
    const [step = '', , index = ''] = place.split('.');
    const path = agentOf(address);
    const open = [...this.#open.values()].filter((call) => call.path === path);
    const own = /\/~(?<callId>[^/]+)$/.exec(address)?.groups?.['callId'];
    const wanted = own ?? callIdOf(Number.parseInt(step, 10), Number.parseInt(index, 10));
    return open.find(({ callId }) => callId === wanted) ?? open[0];
  }

  #isIdle(path: string): boolean {
    return this.#dismissed.some(
      (dismissed) =>
        isWithin(path, dismissed) && ![...this.#active].some((active) => isWithin(active, dismissed)),
    );
  }
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`);
