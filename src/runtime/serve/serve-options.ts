import type { TakenRun } from './runs/taken-run.ts';
import type { Clock } from '../../base/clock.ts';
import {
  aBound,
  aBoolean,
  aFunction,
  aText,
  aTime,
  fulfilling,
  isObject,
  listOf,
  objectLike,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  formOr,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Permission } from '../../contracts/runs/remote-run.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { AnyAgent } from '../define/agent-registry.ts';
import { storeSchema } from '../run/run-schema.ts';

/** The caller of a server, as its `auth` vouches for them. */
export interface Caller {
  /** Their name: it goes with their approvals, and tells callers apart where something is bounded for each. */
  readonly who: string;
  /** The tenant that they belong to: callers see the runs, threads, media and keys of their own tenant only. Default: one party. */
  readonly tenant?: string | undefined;
  /** Their rights. Default: all. */
  readonly may?: readonly Permission[] | undefined;
  /** Their roles, for calls that a person of a role has to approve. */
  readonly roles?: readonly string[] | undefined;
}

/** The party for which a run works; of one that is resumed at boot, the tenant alone is known. */
export interface RunParty {
  readonly who?: string | undefined;
  readonly tenant?: string | undefined;
}

/** Tells the caller of a request; undefined for one who is refused. One that throws refuses, too. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/** The agents and teams of a server, by the names by which they are called. */
export type ServedAgents = Readonly<Record<string, AnyAgent>>;

/** Bounds of a server; each may be `Infinity`. */
export interface ServeLimits {
  /** Size of a body, in bytes, counted as it arrives. Default 1,000,000. */
  readonly bodyBytes?: number | undefined;
  /** Time that a body may take to arrive, in ms. Default 10,000. */
  readonly bodyMs?: number | undefined;
  /** Requests of one caller in any minute. Default 600. */
  readonly perMinute?: number | undefined;
  /** Open streams of events. Default 1,000. */
  readonly streams?: number | undefined;
  /** Open streams of events of one caller. Default 50. */
  readonly streamsPerCaller?: number | undefined;
  /**
   * Runs that this server has under way; where it executes none, those that wait to be executed. Default 1,000. Of stored ones those that only
   * wait, such as for a person, give way to others that are due.
   */
  readonly runs?: number | undefined;
  /** Longest time that a request waits for a result, in ms. Default 30,000. */
  readonly waitMs?: number | undefined;
  /** Ended runs that are kept in memory; a store has all others. Default 100. */
  readonly kept?: number | undefined;
}

/** Options of a run that are the server's to set. */
export type ServedRunOptions = Omit<
  RunOptions,
  'runId' | 'signal' | 'history' | 'thread' | 'threads' | 'task' | 'store' | 'context' | 'paused' | 'inspect'
>;

/** Options of {@link serve}. */
export interface ServeOptions<Agents extends ServedAgents = ServedAgents> {
  readonly agents: Agents;
  /**
   * Earlier versions of the agents, by a label for people. No run begins with them: one that is under way goes on under the agent that is served, if
   * that does what the run's journal says, else under the first of these that does, else it is held. A version has the name of its agent, and
   * may be what that was, or anything else that runs of then can go on with. Several agents of one label are a list.
   */
  readonly versions?: Readonly<Record<string, AnyAgent | readonly AnyAgent[]>> | undefined;
  /**
   * Tells who calls. Without it only requests to this very machine are served (`localhost`, `127.0.0.1`, `[::1]`); `'none'` serves everybody,
   * who then may do everything: put a check of your own in front of it.
   */
  readonly auth?: Authenticate | 'none' | undefined;
  /**
   * Stores the runs: they are then resumed at boot, and can be forked, continued by thread, and read after their end. Default: none, runs are
   * lost with the process.
   */
  readonly store?: JournalStore | undefined;
  /** The `context` of each run. Default: the caller's `who` and `tenant`, which `by` of the engine has to name: `({ tenant }) => tenant`. */
  readonly context?: ((party: RunParty) => unknown) | undefined;
  /** Options of each run. */
  readonly run?: ServedRunOptions | undefined;
  /** The path below which it is served, such as `/api`. Default: the root. */
  readonly basePath?: string | undefined;
  /** Hosts that it answers for, such as `api.example.com`. Default: all, without `auth` the loopback only. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may call it, such as `https://app.example.com`, beside its own; `'*'` for all, without cookies. Default: none. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: ServeLimits | undefined;
  /** Serves the agents as models of OpenAI's Chat Completions and Responses, too, below `/v1`. Default false. */
  readonly openai?: boolean | undefined;
  /**
   * Executes the runs that are started here. Default true. With false they are entered in the store, and left to other processes that share it:
   * such as `troupe worker`, or another `serve`. What callers do to a run reaches it there; of a text that is written, they see each answer as a whole.
   */
  readonly executes?: boolean | undefined;
  /** Resumes at boot what is due in the store, and again after each `sweepMs`. Default true. */
  readonly resumes?: boolean | undefined;
  /** Time after which it looks again for what is due, in ms. Default 5,000; `Infinity`: at boot only. */
  readonly sweepMs?: number | undefined;
  /** Notified of failures that callers are not told of, and of runs that could not be resumed. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /**
   * Notified of each run under way that is taken over: `from` had it, and is gone (undefined: left it in order); `row` is the number of its rows
   * in the store by then.
   */
  readonly onTaken?: ((taken: TakenRun) => void) | undefined;
  /** Default: the machine's own. */
  readonly clock?: Clock | undefined;
}

/** The limits with their defaults. */
export const LIMITS = {
  bodyBytes: 1_000_000,
  bodyMs: 10_000,
  perMinute: 600,
  streams: 1_000,
  streamsPerCaller: 50,
  runs: 1_000,
  waitMs: 30_000,
  kept: 100,
} as const satisfies Required<ServeLimits>;

/** All limits, each a number. */
export type Limits = { readonly [Name in keyof ServeLimits]-?: number };

/** Checks the options of a server. @throws {TroupeError} `input.invalid` */
export const checkServe = optionsCheck<ServeOptions>(
  { code: 'input.invalid', owner: 'a server of agents', verb: 'start' },
  () => ({
    agents: fulfilling(
      (given) => isObject(given) && !Array.isArray(given) && Object.keys(given).length > 0,
      'not an object of agents by name: write { clerk }',
    ),
    versions: optional(objectLike({}, 'not an object of agents by label: write { "until 2.0": clerk1 }')),
    auth: optional(formOr((given) => typeof given === 'string', oneOf(['none']), aFunction())),
    store: optional(storeSchema()),
    context: optional(aFunction()),
    // Checked when a run starts.
    run: optional(objectLike({}, 'not an object')),
    basePath: optional(
      fulfilling(
        (given) => typeof given === 'string' && /^(?:\/[\w.~-]+)*\/?$/.test(given),
        "not a path: write one such as '/api'",
      ),
    ),
    hosts: optional(listOf(aText(1))),
    origins: optional(
      listOf(
        fulfilling(
          (given) => given === '*' || (typeof given === 'string' && isOrigin(given)),
          "not an origin: write one such as 'https://app.example.com'",
        ),
      ),
    ),
    limits: optional(
      optionsSchema<ServeLimits>({
        bodyBytes: optional(aBound(1)),
        bodyMs: optional(aTime()),
        perMinute: optional(aBound(1)),
        streams: optional(aBound(1)),
        streamsPerCaller: optional(aBound(1)),
        runs: optional(aBound(1)),
        waitMs: optional(aTime()),
        kept: optional(aBound(0)),
      }),
    ),
    openai: optional(aBoolean()),
    executes: optional(aBoolean()),
    resumes: optional(aBoolean()),
    sweepMs: optional(aTime()),
    onProblem: optional(aFunction()),
    onTaken: optional(aFunction()),
    clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
  }),
);

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
