import type { JsonObject } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { isLeftBehind } from '../traces/left-behind.ts';
import { tidier } from '../traces/tidy-event.ts';
import type { AuditContent, AuditEntry } from './audit-entry.ts';
import { contentIn, digestOf, hashOf } from './audit-entry.ts';
import type { AuditFacts } from './audit-facts.ts';
import { factsOf } from './audit-facts.ts';

/** Characters of one text that are kept. */
const MAX_TEXT = 100_000;

/** Runs that have ended and are remembered. */
const REMEMBERED = 1_000;

/** The run, the agent and the time of an entry. */
type Subject = Pick<AuditEntry, 'at' | 'runId' | 'path' | 'agent' | 'event'>;

/** The entry of a request that waits. */
type Asked = Pick<AuditEntry, 'seq' | 'at' | 'rule' | 'details'>;

/** The rules under which a call was judged. */
type Judged = Pick<AuditEntry, 'rule' | 'details'>;

/** The part of a run that is known from its entries. */
interface KnownRun {
  /** Its first entry. */
  readonly start: string;
  /** Entries that are there: a resumed run publishes the events before it once more. */
  readonly seen: Set<string>;
  /** The agent or team that it began with. */
  readonly root: Pick<AuditEntry, 'path' | 'agent'>;
  /** Open requests, by id. */
  readonly asked: Map<string, Asked>;
  /** Calls that a rule decided about and that have not ended, by path and id. */
  readonly judged: Map<string, Judged>;
  /** Events that are the process's own if it leaves the run, until the next one tells. */
  held: readonly RuntimeEvent[];
  lastEvent: number;
  /** True from when its process left it until the next entry. */
  isLeft: boolean;
  hasEnded: boolean;
}

/**
 * Folds the events of runs to chained entries: the same events give the same entries, as they happen and from a journal.
 *
 * I1 An event that has its entry, by number, time and action, gives none again.
 */
export class AuditFold {
  #count = 0;
  #head: string;
  #at = 0;
  readonly #runs = new Map<string, KnownRun>();
  readonly #tidy: (content: AuditContent) => AuditContent;

  /**
   * It continues the chain of `entries`; a new one begins with the hash `genesis`. Runs that have not ended are left, unless this process
   * has them.
   */
  constructor(genesis: string, entries: readonly AuditEntry[] = [], isOurs = false) {
    this.#head = genesis;
    const tidy = tidier({ secrets: undefined, maxText: MAX_TEXT });
    this.#tidy = (content) => contentIn(tidy(content).value);
    for (const entry of entries) this.#know(entry);
    for (const run of this.#runs.values()) run.isLeft = !run.hasEnded && !isOurs;
  }

  /** The number of entries, and the hash of the last one. */
  get tail(): { readonly count: number; readonly head: string } {
    return { count: this.#count, head: this.#head };
  }

  /** Checks whether an event is of the run that is known, and not of another one with its id. */
  fits(event: RuntimeEvent): boolean {
    const run = this.#runs.get(event.runId);
    if (run === undefined) return this.#runs.size === 0;
    return run.start === startOf(event) || (!run.hasEnded && event.seq > run.lastEvent);
  }

  /** Notes that another process continues a run. */
  leave(runId: string): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) run.isLeft = true;
  }

  /** Seals the entries of an event, in order. */
  take(event: RuntimeEvent, onBehalfOf?: string): readonly AuditEntry[] {
    const run = this.#runOf(event);
    if (run.hasEnded) return [];
    if (isLeaving(event)) {
      run.held = [];
      run.isLeft = true;
      return [];
    }
    if (isLeftBehind(event)) {
      run.held = [...run.held, event];
      return [];
    }
    const due = [...run.held, event];
    run.held = [];
    return due.flatMap((each) => this.#entriesOf(each, run, onBehalfOf));
  }

  /** Seals an entry about the log itself, at that time, and not before the last one: a resumed run begins with its old events. */
  note(facts: AuditFacts, { at, runId }: Pick<AuditEntry, 'at' | 'runId'>): AuditEntry {
    return this.#seal(facts, { at: Math.max(at, this.#at), runId, path: '', agent: '' });
  }

  #entriesOf(event: RuntimeEvent, run: KnownRun, onBehalfOf: string | undefined): readonly AuditEntry[] {
    const { at, runId, path, agent, seq } = event;
    const fresh = factsOf(event).filter(({ action }) => !run.seen.has(keyOf(action, seq, at)));
    const subject = { at, runId, path, agent, event: seq };
    const resumed =
      run.isLeft && fresh.length > 0 ? [this.#seal(RESUMED, { ...subject, ...run.root }, onBehalfOf)] : [];
    run.isLeft &&= fresh.length === 0;
    return [
      ...resumed,
      ...fresh.map((facts) =>
        this.#seal(withRules(withRequest(facts, at, run), path, run), subject, onBehalfOf),
      ),
    ];
  }

  #seal(facts: AuditFacts, subject: Subject, onBehalfOf?: string): AuditEntry {
    const { action, tool, outcome, rule, details, person, content } = facts;
    const apart = this.#tidy({ person, onBehalfOf, content });
    const digest = Object.keys(apart).length === 0 ? undefined : digestOf(apart);
    const { count: seq, head: prev } = this.tail;
    const chained = { seq, ...subject, action, tool, outcome, rule, details, digest };
    const entry = { ...chained, prev, hash: hashOf(prev, chained), ...apart };
    this.#know(entry);
    return entry;
  }

  /** The run of an event; another run with the id of one that has ended is a new one. */
  #runOf(event: RuntimeEvent): KnownRun {
    const { runId } = event;
    const start = startOf(event);
    const known = this.#runs.get(runId);
    if (known !== undefined && !(known.hasEnded && event.seq === 0 && known.start !== start)) return known;
    return this.#begin(event, start);
  }

  #begin({ runId, path, agent }: Pick<AuditEntry, 'runId' | 'path' | 'agent'>, start: string): KnownRun {
    const run = {
      start,
      root: { path, agent },
      seen: new Set<string>(),
      asked: new Map<string, Asked>(),
      judged: new Map<string, Judged>(),
      held: [],
      lastEvent: -1,
      isLeft: false,
      hasEnded: false,
    };
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    return run;
  }

  #know(entry: AuditEntry): void {
    this.#count = entry.seq + 1;
    this.#head = entry.hash;
    this.#at = Math.max(this.#at, entry.at);
    const { runId, path, event, at, action, seq, rule, details, content } = entry;
    if (event === undefined) return;
    const run = this.#runs.get(runId) ?? this.#begin(entry, keyOf('', event, at));
    run.seen.add(keyOf(action, event, at));
    run.lastEvent = Math.max(run.lastEvent, event);
    const id = content?.['id'];
    if (typeof id === 'string' && OPENING.has(action)) run.asked.set(id, { seq, at, rule, details });
    const call = callOf(path, details);
    if (action === 'tool.end' || action === 'permission.deny') run.judged.delete(call);
    else if (rule !== undefined && call !== '') run.judged.set(call, { rule, details });
    if (action === 'run.end') this.#end(run);
  }

  #end(run: KnownRun): void {
    run.hasEnded = true;
    run.seen.clear();
    run.asked.clear();
    run.judged.clear();
    if (this.#runs.size <= REMEMBERED) return;
    for (const [runId, { hasEnded }] of this.#runs) {
      if (!hasEnded) continue;
      this.#runs.delete(runId);
      return;
    }
  }
}

const RESUMED: AuditFacts = { action: 'run.resume', outcome: 'success', details: {} };

const OPENING: ReadonlySet<AuditEntry['action']> = new Set(['permission.ask', 'question.ask']);

const keyOf = (action: AuditEntry['action'] | '', event: number, at: number): string =>
  `${event} ${at} ${action}`;

const startOf = ({ seq, at }: RuntimeEvent): string => keyOf('', seq, at);

/** Checks for the end that observers receive where a process leaves a run that may be resumed: it is in no journal. */
const isLeaving = (event: RuntimeEvent): boolean =>
  event.type === 'run.ended' &&
  event.error !== undefined &&
  (event.error.code === 'run.suspended' || event.error.code.startsWith('journal.'));

/** The facts of an answer, with the entry of its request and the time it took. */
const withRequest = (facts: AuditFacts, at: number, { asked }: KnownRun): AuditFacts => {
  const { request, action } = facts;
  const open = request === undefined || OPENING.has(action) ? undefined : asked.get(request);
  if (request === undefined || open === undefined) return facts;
  // One of several approvals leaves it open.
  if (action !== 'permission.approve') asked.delete(request);
  const details: JsonObject = { ...facts.details, request: open.seq, afterMs: at - open.at };
  return addRules({ ...facts, details }, open);
};

/** The facts of a call, with the rules that decided about it. */
const withRules = (facts: AuditFacts, path: string, { judged }: KnownRun): AuditFacts => {
  const rules = judged.get(callOf(path, facts.details));
  return rules === undefined ? facts : addRules(facts, rules);
};

const addRules = (facts: AuditFacts, { rule, details: { alsoRules } }: Judged): AuditFacts =>
  facts.rule !== undefined || rule === undefined
    ? facts
    : {
        ...facts,
        rule,
        details: alsoRules === undefined ? facts.details : { ...facts.details, alsoRules },
      };

/** The call that an entry is about; empty for one that is about none. */
const callOf = (path: string, { callId }: JsonObject): string =>
  typeof callId === 'string' ? `${path} ${callId}` : '';
