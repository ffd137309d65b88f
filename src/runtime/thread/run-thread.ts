import { contentText, isPartList } from '../../contracts/content/part.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { BlobHolder, JournalStore } from '../../contracts/journals/journal.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { SaidTurns, Threads } from '../../contracts/conversations/thread.ts';
import type { Turn, UserTurn } from '../../contracts/conversations/transcript.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { StartQueue } from '../run/queued-handle.ts';
import { takenHistory } from '../content/read-given.ts';
import { earlierTurns } from './earlier-turns.ts';
import { pendingTurns } from './pending-turns.ts';
import { RunStates } from './run-states.ts';
import { ownTurns } from '../actors/agent-conversation.ts';
import type { Run } from '../run/run.ts';

/** Loads the history of a run that belongs to a thread. */
export type ThreadHistory = () => Promise<readonly Turn[]>;

/**
 * Connects a run to its thread: its turns are appended before its last event. Returns the loader of its history; undefined without a stored
 * thread.
 */
export const joinThread = (run: Run, input: unknown, options: RunOptions): ThreadHistory | undefined => {
  const { thread, store } = options;
  if (thread === undefined) return undefined;
  const threads = options.threads ?? (store === undefined ? undefined : threadsIn(store));
  if (threads === undefined) return undefined;
  const given = toJson(input);
  const asked = askedText(given, run);
  const runs = runsOf(threads, thread);
  runs.set(run, asked);
  const leave = (): void => {
    runs.delete(run);
  };
  run.result.then(leave, leave);
  const known = (run.states = new RunStates());
  run.tearDowns.beforeEnd(async (outcome) => {
    try {
      const question = { role: 'user', text: asked, ...(isPartList(given) ? { parts: given } : {}) } as const;
      const said = cyclesOf(question, outcome, ownTurns(run.root.endedConversation));
      const turns = run.secrets.value(run.root.origins.markTurns(said));
      // Its turns may refer to media.
      await run.content.written();
      const { now } = known;
      const states = Object.values(now).every(isEmptyState) ? undefined : now;
      const kept = states && (await sealStates(states, run, thread, options));
      await (await threads).append(thread, { runId: run.runId, turns, states: kept });
      await run.content.holdFor(await holderOf(thread, options), { turns, kept });
    } catch (thrown) {
      const message = `Cannot add the run to the thread '${thread}'`;
      const error = errorData(thrown, 'memory.failed', { message, operation: 'remember' });
      run.log.write({ type: 'memory.failed', memory: `thread ${thread}`, work: 'remember', error }, run.root);
    }
  });
  return async () => {
    const found = await (await threads).load(thread);
    known.kept = found?.states === undefined ? {} : await openStates(found.states, run, thread, options);
    const given = takenHistory(options);
    if (given !== undefined) return given;
    const earlier = earlierTurns(
      found?.turns ?? [],
      run.root.definition.agent?.compaction?.thread ?? 'cycles',
    );
    const others = [...runs].filter(([other]) => other !== run);
    return [
      ...earlier,
      ...others.flatMap(([other, text]) =>
        other.root.origins.markTurns(pendingTurns(other.secrets.text(text), other.log.events)),
      ),
    ];
  };
};

type KeyOption = Pick<RunOptions, 'secretKey'>;

/** States as stored: a state that cannot be sealed is omitted, and an event says so. */
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
      const error = errorData(thrown, 'memory.failed', { message, operation: 'remember' });
      run.log.write({ type: 'memory.failed', memory: `thread ${thread}`, work: 'remember', error }, run.root);
    }
  return kept;
};

/** States as they were before sealing. Registers their secret fields for redaction here. */
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

/** The holder of a thread's media: its turns in the store, or threads that are elsewhere. */
const holderOf = async (thread: string, { threads, store }: RunOptions): Promise<BlobHolder> => {
  if (threads !== undefined || store === undefined) return 'outside';
  const { ThreadFiles, DEFAULT_SCOPE } = await import('../../memory/threads/thread-files.ts');
  const name = await new ThreadFiles(store.files(THREADS_ROOM), DEFAULT_SCOPE).turnsOf(thread);
  return { room: THREADS_ROOM, name };
};

/** The room of a store in which its threads are. */
export const THREADS_ROOM = 'threads';

const inStores = new WeakMap<JournalStore, Promise<Threads>>();

/** The threads of a store, shared by all its runs. */
const threadsIn = (store: JournalStore): Promise<Threads> => {
  const known =
    inStores.get(store) ??
    import('../../memory/threads/threads.ts').then(({ threads }) => threads(store.files(THREADS_ROOM)));
  inStores.set(store, known);
  return known;
};

const underWay = new WeakMap<object, Map<string, Map<Run, string>>>();

/** The running runs of a thread in this process, with their inputs. */
const runsOf = (threads: object, thread: string): Map<Run, string> => {
  const known = underWay.get(threads) ?? new Map<string, Map<Run, string>>();
  underWay.set(threads, known);
  const runs = known.get(thread) ?? new Map<Run, string>();
  known.set(thread, runs);
  return runs;
};

/** A run's input as text for a conversation. */
const askedText = (input: unknown, { task }: Pick<Run, 'task'>): string => {
  const text = isPartList(input) ? contentText(input) : textOf(input);
  return text.trim() === '' ? (task?.task?.objective ?? text) : text;
};

/** The turns of a run: its input, its steps, and its answer. */
const cyclesOf = (asked: UserTurn, outcome: Outcome, did: readonly Turn[]): SaidTurns['turns'] => {
  const { status, stopReason, output, error } = outcome;
  const why = error === undefined ? stopReason.kind : error.code;
  const how = why === status ? status : `${status}, ${why}`;
  const text = output === undefined ? `(no answer: ${how})` : textOf(output);
  const last = did.at(-1);
  // The last turn is the answer itself, unless the answer was given besides.
  const isSaid = last?.role === 'assistant' && (last.calls ?? []).length === 0 && isSame(last.text, text);
  return [
    asked,
    ...(isSaid ? did.slice(0, -1) : did),
    isSaid ? { ...last, status } : { role: 'assistant', text, status },
  ];
};

const isSame = (said: string, answer: string): boolean =>
  said.trim() === answer.trim() || canonicalOf(said) === canonicalOf(answer);

/** JSON in canonical form; any other text unchanged. */
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
 * A queue that loads a run's thread before its start. The run fails if the thread cannot be read in time: it must not start as if nothing
 * had been said.
 */
export const inThread = (line: StartQueue, run: Run, history: ThreadHistory | undefined): StartQueue => {
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
              if (settle()) run.ending.lose(unansweredError());
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

/** The queue of a run that starts at once. */
export const noQueue: StartQueue = {
  enter: (turn) => {
    turn();
  },
  skip: () => undefined,
  over: () => undefined,
};

const unreadable = (thrown: unknown): TroupeError =>
  toError(errorData(thrown, 'memory.unreadable', { message: UNREADABLE }));

const unansweredError = (): TroupeError =>
  new TroupeError(
    'memory.unreadable',
    'Cannot start the run as its thread does not answer: its time was up before it started',
    {
      retryable: 'maybe',
    },
  );

const UNREADABLE = 'Cannot start the run as its thread cannot be read';
