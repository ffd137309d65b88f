import { aText, aTime, objectWith, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import { modelAnswer } from '../../contracts/models/model.ts';
import type { EnginePlace, Strategy } from '../../contracts/agents/strategy.ts';
import type { Transcript, Turn } from '../../contracts/conversations/transcript.ts';
import type { Session, SessionStore } from './session-store.ts';
import { isSessionId, memorySessions } from './session-store.ts';

/** An external system that does an agent's work: a coding agent, a service, another framework. */
export interface ExternalEngine {
  /**
   * Answers a prompt. An exception fails the run; with the code `session.lost` it means that the session is unknown, and the request is
   * repeated once without one.
   */
  ask(request: EngineRequest): EngineAnswer | Promise<EngineAnswer>;
}

/** A request to an external engine. */
export interface EngineRequest {
  /** The latest message; never empty. */
  readonly prompt: string;
  /** The agent's system prompt. */
  readonly instructions: string;
  /** The session to continue; absent for a new conversation. */
  readonly session?: string | undefined;
  /** Earlier turns, if there is no session that has them. */
  readonly earlier: readonly Turn[];
  /** Equal for every attempt of this request, also after a crash. */
  readonly key: string;
  /** Aborted when the effect is cancelled. */
  readonly signal: AbortSignal;
  /** Publishes streamed text. */
  readonly delta: (text: string) => void;
}

/** The answer of an external engine. */
export interface EngineAnswer {
  readonly text: string;
  /** The session to continue next time: up to 256 letters, digits and `._:-`. Anything else is discarded. */
  readonly session?: string | undefined;
  /** In ms since 1970. Default: {@link PassthroughOptions.sessionLifeMs} from now. */
  readonly expiresAt?: number | undefined;
  readonly usage?: Usage | undefined;
}

/** Options of {@link passthrough}. */
export interface PassthroughOptions {
  /** Name of the strategy. Default `passthrough`. */
  readonly name?: string | undefined;
  readonly engine: ExternalEngine;
  /** Storage for sessions. Default: the last 1,000, in memory; `storedSessions` outlive the process. */
  readonly sessions?: SessionStore | undefined;
  /** Time after its last use in which a session is continued, in ms. Default 86,400,000 (a day). */
  readonly sessionLifeMs?: number | undefined;
}

const DAY_MS = 86_400_000;

const check = optionsCheck<PassthroughOptions>(
  { code: 'agent.invalid', owner: 'the strategy passthrough' },
  () => ({
    name: optional(aText(1)),
    engine: objectWith(['ask'], 'not an engine: write an object with ask()'),
    sessions: optional(
      objectWith(
        ['get', 'set', 'delete'],
        'not a store of sessions: write memorySessions() or storedSessions(…)',
      ),
    ),
    sessionLifeMs: optional(aTime()),
  }),
);

/**
 * The strategy `passthrough`: an external engine does the work, and its answer is the agent's.
 *
 * The last message is the prompt. The engine's session is continued by later steps of the run and by later runs of the same agent in the
 * same `thread`. Agents are identified by path: two members of one name have separate sessions. A session that has expired, or that the
 * engine does not know, is given up (`session.lost`), and the engine gets the conversation so far instead. No request is repeated unless
 * the engine's error says `retryable: 'yes'`.
 *
 * @example
 * registerStrategy(passthrough({ name: 'claude', engine: { ask: ({ prompt, session }) => askClaude(prompt, session) } }));
 * const coder = agent({ name: 'coder', strategy: 'claude', instructions: 'Write calm code.' });
 * await coder.run('Mend the build.', { thread: 'ticket-7' });
 *
 * @throws {TroupeError} `agent.invalid` without an engine. Runs fail with `input.invalid` for an empty prompt.
 */
export const passthrough = (options: PassthroughOptions): Strategy => {
  const {
    name = 'passthrough',
    engine,
    sessions = memorySessions(),
    sessionLifeMs = DAY_MS,
  } = check(options);
  return {
    name,
    hasOwnTools: true,
    // An engine may be silent for hours, and a retry would repeat its work.
    retry: { idleTimeoutMs: Infinity, attemptTimeoutMs: Infinity },
    engine: (place): Model => ({
      provider: 'external',
      id: name,
      answer: (request, call) =>
        new Exchange({ name, engine, sessions, sessionLifeMs }, place, request, call).make(),
    }),
  };
};

interface Outside {
  readonly name: string;
  readonly engine: ExternalEngine;
  readonly sessions: SessionStore;
  readonly sessionLifeMs: number;
}

/** One request to an engine. */
class Exchange {
  readonly #options: Outside;
  readonly #place: EnginePlace;
  readonly #request: ModelRequest;
  readonly #call: ModelCall;
  readonly #key: string;

  constructor(options: Outside, place: EnginePlace, request: ModelRequest, call: ModelCall) {
    this.#options = options;
    this.#place = place;
    this.#request = request;
    this.#call = call;
    const { thread, runId, path, agent } = place;
    this.#key = JSON.stringify(thread === undefined ? [runId, path] : [thread, path, agent]);
  }

  async make(): Promise<ModelAnswer> {
    const { earlier, prompt } = lastMessages(this.#request.messages);
    if (prompt.trim() === '')
      throw new TroupeError(
        'input.invalid',
        `Cannot ask '${this.#options.name}' as the prompt is empty: ${JSON.stringify(prompt)}`,
      );
    const session = await this.#session();
    const begin = (suffix = '') => this.#ask({ prompt, earlier, key: `${this.#call.key}${suffix}` });
    if (session === undefined) return begin();
    try {
      return await this.#ask({ prompt, earlier: [], session, key: this.#call.key });
    } catch (thrown) {
      if (!isTroupeError(thrown, 'session.lost') || this.#call.signal.aborted) throw thrown;
      await this.#giveUp(thrown.message);
      // A new key, as this request contains the earlier conversation.
      return begin('/anew');
    }
  }

  async #ask(asked: Pick<EngineRequest, 'prompt' | 'earlier' | 'session' | 'key'>): Promise<ModelAnswer> {
    const { signal } = this.#call;
    const answer = await this.#options.engine.ask({
      ...asked,
      instructions: this.#request.instructions,
      signal,
      delta: (text) => {
        this.#call.delta({ type: 'text', text });
      },
    });
    // An answer after an abort belongs to a session that is no longer used.
    if (!signal.aborted) await this.#keep(answer, asked.session);
    const { text, usage } = answer;
    return modelAnswer({ text, ...(usage === undefined ? {} : { usage }) });
  }

  /** The session to continue, if it is valid and has not expired. */
  async #session(): Promise<string | undefined> {
    const kept = await this.#kept();
    if (kept === undefined) return undefined;
    const now = this.#place.now();
    if (isSessionId(kept.id) && kept.expiresAt > now) return kept.id;
    await this.#giveUp(isSessionId(kept.id) ? 'it has expired' : 'its id is invalid');
    return undefined;
  }

  /** A corrupt entry is given up like an expired one. */
  async #kept(): Promise<Session | undefined> {
    try {
      return await this.#options.sessions.get(this.#key);
    } catch (thrown) {
      if (!isTroupeError(thrown, 'session.lost')) throw thrown;
      await this.#giveUp(thrown.message);
      return undefined;
    }
  }

  async #keep({ session, expiresAt }: EngineAnswer, before: string | undefined): Promise<void> {
    const { sessions, sessionLifeMs } = this.#options;
    // An engine that names no session continues the given one.
    const id = session ?? before;
    if (id === undefined) return;
    if (isSessionId(id))
      await sessions.set(this.#key, { id, expiresAt: expiresAt ?? this.#place.now() + sessionLifeMs });
    else await this.#giveUp('the engine gave it an invalid id');
  }

  async #giveUp(reason: string): Promise<void> {
    await this.#options.sessions.delete(this.#key);
    this.#place.lost(reason);
  }
}

/** The messages since the last answer as the prompt, and the turns before them. */
const lastMessages = (
  messages: Transcript,
): { readonly earlier: readonly Turn[]; readonly prompt: string } => {
  let from = messages.length;
  while (from > 0 && messages.at(from - 1)?.role === 'user') from -= 1;
  const turns = messages.toArray();
  const said = turns.slice(from).map(({ text }) => text);
  return { earlier: turns.slice(0, from), prompt: said.join('\n\n') };
};
