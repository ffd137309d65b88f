import { errorData, toError, TroupeError } from '../../contracts/error.ts';
import type { JournalStore } from '../../contracts/journal.ts';
import { canonical } from '../../contracts/canonical.ts';
import type { Json } from '../../contracts/json.ts';
import { isJsonObject, toJson } from '../../contracts/json.ts';
import type { Outcome, RunOptions } from '../../contracts/run.ts';
import type { SaidTurns, Threads } from '../../contracts/thread.ts';
import type { Turn } from '../../contracts/transcript.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { Line } from '../run/held-handle.ts';
import { earlierTurns } from './earlier-turns.ts';
import { pendingTurns } from './pending-turns.ts';
import { RunStates } from './run-states.ts';
import { ownTurns } from '../actors/said.ts';
import type { Run } from '../run/run.ts';

/** What a run that belongs to a thread goes on from. */
export type ThreadHistory = () => Promise<readonly Turn[]>;

/**
 * Makes a run a part of its thread: what it came to is added there before its last event. Gives what it goes on from;
 * undefined where it belongs to no thread that is kept.
 */
export const joinThread = (run: Run, input: unknown, options: RunOptions): ThreadHistory | undefined => {
  const { thread, store } = options;
  if (thread === undefined) return undefined;
  const threads = options.threads ?? (store === undefined ? undefined : threadsIn(store));
  if (threads === undefined) return undefined;
  const asked = askedText(toJson(input), run);
  const runs = runsOf(threads, thread);
  runs.set(run, asked);
  const leave = (): void => {
    runs.delete(run);
  };
  run.result.then(leave, leave);
  const known = (run.states = new RunStates());
  run.tearDowns.beforeEnd(async (outcome) => {
    try {
      const turns = run.secrets.value(cyclesOf(asked, outcome, ownTurns(run.root.said)));
      const { now } = known;
      const states = Object.values(now).every(isEmptyState) ? undefined : now;
      const kept = states && (await sealStates(states, run, thread, options));
      await (await threads).append(thread, { runId: run.runId, turns, states: kept });
    } catch (thrown) {
      const message = `Cannot add the run to the thread '${thread}'`;
      const error = errorData(thrown, 'memory.failed', { message });
      run.log.write({ type: 'memory.failed', memory: `thread ${thread}`, work: 'remember', error }, run.root);
    }
  });
  return async () => {
    const found = await (await threads).load(thread);
    known.kept = found?.states === undefined ? {} : await openStates(found.states, run, thread, options);
    if (options.history !== undefined) return options.history;
    const earlier = earlierTurns(found?.turns ?? [], run.root.definition.agent?.context?.thread ?? 'cycles');
    const others = [...runs].filter(([other]) => other !== run);
    return [
      ...earlier,
      ...others.flatMap(([other, text]) => pendingTurns(other.secrets.text(text), other.log.events)),
    ];
  };
};

type KeyOption = Pick<RunOptions, 'secretKey'>;

/** States as they are kept: a state that cannot be sealed is left out, and an event says so. */
const sealStates = async (
  states: Readonly<Record<string, Json>>,
  run: Run,
  thread: string,
  { secretKey }: KeyOption,
): Promise<Readonly<Record<string, Json>>> => {
  const { sealData } = await import('../../persistence/sealed-data.ts');
  const { redactor } = run.secrets;
  const kept: Record<string, Json> = {};
  for (const [agent, state] of Object.entries(states))
    try {
      const place = `${thread}\n${agent}`;
      kept[agent] = await sealData(state, { place, redactor, key: secretKeyOf(secretKey) });
    } catch (thrown) {
      const message = `Cannot keep the state of '${agent}' in the thread '${thread}'`;
      const error = errorData(thrown, 'memory.failed', { message });
      run.log.write({ type: 'memory.failed', memory: `thread ${thread}`, work: 'remember', error }, run.root);
    }
  return kept;
};

/** States as they were; the values of fields in them are hidden here, too. */
const openStates = async (
  states: Readonly<Record<string, Json>>,
  run: Run,
  thread: string,
  { secretKey }: KeyOption,
): Promise<Readonly<Record<string, Json>>> => {
  const { openData } = await import('../../persistence/sealed-data.ts');
  const { secrets } = run.secrets.redactor;
  const key = secretKeyOf(secretKey);
  const opened: Record<string, Json> = {};
  for (const [agent, state] of Object.entries(states)) {
    const { data, fields } = await openData(state, { place: `${thread}\n${agent}`, secrets, key });
    run.secrets.know(fields);
    opened[agent] = data;
  }
  return opened;
};

const inStores = new WeakMap<JournalStore, Promise<Threads>>();

/** The threads that a store keeps: the same for all its runs. */
const threadsIn = (store: JournalStore): Promise<Threads> => {
  const known =
    inStores.get(store) ??
    import('../../memory/threads.ts').then(({ threads }) => threads(store.files('threads')));
  inStores.set(store, known);
  return known;
};

const underWay = new WeakMap<object, Map<string, Map<Run, string>>>();

/** The runs of a thread that are under way in this process, with what they were asked. */
const runsOf = (threads: object, thread: string): Map<Run, string> => {
  const known = underWay.get(threads) ?? new Map<string, Map<Run, string>>();
  underWay.set(threads, known);
  const runs = known.get(thread) ?? new Map<Run, string>();
  known.set(thread, runs);
  return runs;
};

/** What a run was asked, as one reads it in a conversation. */
const askedText = (input: unknown, { task }: Pick<Run, 'task'>): string => {
  const text = textOf(input);
  return text.trim() === '' ? (task?.task?.objective ?? text) : text;
};

/** What a run was asked, what it did, and what it came to. */
const cyclesOf = (asked: string, outcome: Outcome, did: readonly Turn[]): SaidTurns['turns'] => {
  const { status, stopReason, output, error } = outcome;
  const why = error === undefined ? stopReason.kind : error.code;
  const how = why === status ? status : `${status}, ${why}`;
  const text = output === undefined ? `(no answer: ${how})` : textOf(output);
  const last = did.at(-1);
  // What was said last is the answer itself, or the answer is sent beside it.
  const isSaid = last?.role === 'assistant' && (last.calls ?? []).length === 0 && isSame(last.text, text);
  return [
    { role: 'user', text: asked },
    ...(isSaid ? did.slice(0, -1) : did),
    isSaid ? { ...last, status } : { role: 'assistant', text, status },
  ];
};

const isSame = (said: string, answer: string): boolean =>
  said.trim() === answer.trim() || canonicalOf(said) === canonicalOf(answer);

/** JSON as it is whatever its white space; a text that is none as it is. */
const canonicalOf = (text: string): string => {
  try {
    return canonical(toJson(JSON.parse(text)));
  } catch {
    return text;
  }
};

const isEmptyState = (state: Json): boolean => isJsonObject(state) && Object.keys(state).length === 0;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * A line in which a run's thread is read when its turn comes; one that cannot be read, or not within the time that the run may take, fails the
 * run: it must not begin as if nothing had been said.
 */
export const inThread = (line: Line, run: Run, history: ThreadHistory | undefined): Line => {
  if (history === undefined) return line;
  let begin = (): void => undefined;
  let enter = (): void => undefined;
  return {
    enter: (turn) => {
      let hasBegun = false;
      let timer: unknown;
      const settle = (): boolean => {
        const isFirst = !hasBegun;
        hasBegun = true;
        run.clock.clearTimeout(timer);
        return isFirst;
      };
      const once = (found?: readonly Turn[]): void => {
        if (settle()) turn(found);
      };
      begin = once;
      enter = () => {
        const { wholeMs } = run.deadlines;
        if (wholeMs !== Infinity)
          timer = run.clock.setTimeout(
            () => {
              if (settle()) run.ending.lose(unanswered());
            },
            Math.floor(wholeMs) + 1,
          );
        void history().then(once, (thrown: unknown) => {
          if (settle()) run.ending.lose(unreadable(thrown));
        });
      };
      line.enter(enter);
    },
    skip: () => {
      line.skip(enter);
      begin();
    },
    over: () => {
      line.over(enter);
    },
  };
};

/** A run that waits for nobody. */
export const noLine: Line = {
  enter: (turn) => {
    turn();
  },
  skip: () => undefined,
  over: () => undefined,
};

const unreadable = (thrown: unknown): TroupeError =>
  toError(errorData(thrown, 'memory.unreadable', { message: UNREADABLE }));

const unanswered = (): TroupeError =>
  new TroupeError(
    'memory.unreadable',
    'Cannot begin the run as its thread does not answer: its time was up before it began',
    {
      retryable: 'maybe',
    },
  );

const UNREADABLE = 'Cannot begin the run as its thread cannot be read';
