import { canonical } from '../../base/json/canonical.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { EventOf, RuntimeEvent } from '../../contracts/events/event.ts';
import { SentRequests } from '../../runtime/log/sent-requests.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import { finishReasons } from '../../contracts/models/model.ts';
import { CallDigests } from './call-digests.ts';
import { scoreOf } from '../../contracts/agents/decision.ts';
import type { CallFact, ChoiceFact, FailureFact, Move, RetryFact, RunFacts } from './run-facts.ts';

type Asked = EventOf<'model.asked'>;
type AskedFact = Pick<CallFact, 'model' | 'digest' | 'request' | 'startedAt'>;

/** An attempt that is neither answered nor known to have failed. */
interface OpenAttempt extends Omit<FailureFact, 'ms' | 'error'> {
  readonly key: string;
}
type OpenRetry = Omit<RetryFact, 'hasHelped'>;

/** Reads the facts of one run from its events, in order. */
export class RunReader {
  readonly #requests = new SentRequests();
  readonly #digests = new CallDigests();
  readonly #asked = new Map<string, AskedFact>();
  readonly #started = new Map<string, EventOf<'tool.started'>>();
  /** The last attempt of each agent. */
  readonly #attempts = new Map<string, OpenAttempt>();
  readonly #open = new Map<string, OpenRetry>();
  readonly #moves: Move[] = [];
  readonly #failures: FailureFact[] = [];
  readonly #retries: RetryFact[] = [];
  readonly #choices: ChoiceFact[] = [];
  readonly #revised: string[] = [];
  /** Addresses of agents that decided. */
  readonly #deciders = new Set<string>();
  #input = '';
  #startedAt = 0;

  /** Takes in an event. Returns the facts with the last one of a run. */
  take(event: RuntimeEvent): RunFacts | undefined {
    switch (event.type) {
      case 'run.started':
        this.#input = JSON.stringify(event.input);
        this.#startedAt = event.at;
        this.#digests.began(event.input, event.path);
        break;
      case 'model.asked':
        this.#ask(event);
        break;
      case 'model.answered':
        this.#answer(event);
        break;
      case 'model.retrying':
        this.#fail(event);
        this.#retry(ownerOf(event.path), { ...event, kind: 'model', name: event.model });
        break;
      case 'model.failed':
      case 'model.fell-back':
        this.#fail(event);
        this.#settle(ownerOf(event.path), false);
        break;
      case 'tool.started':
        this.#started.set(`${ownerOf(event.path)} ${event.callId}`, event);
        break;
      case 'tool.retrying':
        this.#retry(`${ownerOf(event.path)} ${event.callId}`, { ...event, kind: 'tool', name: event.tool });
        break;
      case 'tool.finished':
        this.#finish(event);
        break;
      case 'message.sent':
        this.#digests.add(event.to, event.text);
        break;
      case 'agent.observed':
        if (event.observation !== undefined) this.#digests.add(event.path, event.observation);
        break;
      case 'agent.critiqued':
        if (event.verdict === 'revise') this.#revised.push(event.agent);
        if (event.note !== undefined) this.#digests.add(event.path, event.note);
        break;
      case 'agent.decided':
        this.#branch(event);
        break;
      case 'route.chosen':
        this.#choices.push({
          agent: event.agent,
          options: event.ranking.map(({ member }) => member),
          chosen: event.member,
          ...this.#judgedBy(event),
        });
        break;
      case 'run.ended':
        return this.#facts(event);
      default:
    }
    return undefined;
  }

  #ask(event: Asked): void {
    const { agent, path, model, messages, key, at, attempt } = event;
    const request = this.#requests.take(event);
    const digest = this.#digests.digestOf({ agent, path, model, messages, request });
    this.#asked.set(key, { model, digest, request, startedAt: at });
    this.#attempts.set(ownerOf(path), { key, agent, model, attempt, startedAt: at, request });
  }

  #answer(event: EventOf<'model.answered'>): void {
    const asked = this.#asked.get(event.key);
    this.#asked.delete(event.key);
    this.#attempts.delete(ownerOf(event.path));
    this.#settle(ownerOf(event.path), true);
    this.#digests.add(event.path, [event.text, event.calls]);
    if (asked === undefined) return;
    const { agent, path, step, seq, text, calls, usage, costUsd, cached, at, durationMs: ms } = event;
    const isCached = cached !== undefined;
    const given = { seq, text, calls, usage, costUsd, isCached, endedAt: at, ms, answer: answerOf(event) };
    this.#moves.push({ kind: 'model', ...asked, agent, path, step, ...given });
  }

  #finish(event: EventOf<'tool.finished'>): void {
    const { agent, path, step, callId, tool, text, ok: isOk, at, durationMs: ms, cached } = event;
    const key = `${ownerOf(path)} ${callId}`;
    const started = this.#started.get(key);
    this.#started.delete(key);
    this.#settle(key, isOk);
    this.#digests.add(path, text);
    if (started === undefined || cached === true) return;
    const { input, at: startedAt } = started;
    this.#moves.push({
      kind: 'tool',
      agent,
      path,
      step,
      tool,
      input,
      text,
      isOk,
      startedAt,
      endedAt: at,
      ms,
    });
  }

  /** Notes that the last attempt of an agent failed, once for all events that say so. */
  #fail({ path, at, error }: EventOf<'model.retrying' | 'model.failed' | 'model.fell-back'>): void {
    const open = this.#attempts.get(ownerOf(path));
    if (open === undefined) return;
    this.#attempts.delete(ownerOf(path));
    const { key, ...attempt } = open;
    this.#asked.delete(key);
    this.#failures.push({ ...attempt, error, ms: at - attempt.startedAt });
  }

  #retry(
    key: string,
    {
      agent,
      kind,
      name,
      error,
      waitMs,
    }: Pick<RetryFact, 'agent' | 'kind' | 'name'> & Pick<EventOf<'tool.retrying'>, 'error' | 'waitMs'>,
  ): void {
    const { attempts = 0, waitedMs = 0 } = this.#open.get(key) ?? {};
    const retry = { agent, kind, name, code: error.code };
    this.#open.set(key, { ...retry, attempts: attempts + 1, waitedMs: waitedMs + waitMs });
  }

  #settle(key: string, hasHelped: boolean): void {
    const retry = this.#open.get(key);
    if (retry === undefined) return;
    this.#open.delete(key);
    this.#retries.push({ ...retry, hasHelped });
  }

  #branch({ agent, path, branch }: EventOf<'agent.decided'>): void {
    this.#deciders.add(path);
    if (branch === undefined) return;
    const options = branch.candidates.map(
      ({ label, decision }, index) => label ?? `${decision.kind} ${index + 1}`,
    );
    const chosen = options[branch.chosen[0] ?? 0];
    if (chosen === undefined) return;
    const scores = branch.candidates.map((candidate, index) => scoreOf(candidate, index));
    const first = branch.chosen[0] ?? 0;
    const isInOrder = first === 0 || first === scores.indexOf(Math.max(...scores));
    this.#choices.push({ agent, options, chosen, isInOrder, judge: undefined });
  }

  /** Scores of a function are given to each member by itself; a judge is shown all. */
  #judgedBy({ path, strategy }: EventOf<'route.chosen'>): Pick<ChoiceFact, 'isInOrder' | 'judge'> {
    const isJudge = (address: string): boolean => address.startsWith(`${path}/chooser`);
    const judge = this.#moves.find((move) => move.kind === 'model' && isJudge(move.path))?.agent;
    if (strategy !== 'semantic') return { isInOrder: false, judge: undefined };
    return { isInOrder: ![...this.#deciders].some(isJudge), judge };
  }

  #facts({ runId, agent, status, output, totals }: EventOf<'run.ended'>): RunFacts {
    for (const key of this.#open.keys()) this.#settle(key, false);
    const { durationMs, costUsd, inputTokens, outputTokens } = totals;
    return {
      runId,
      agent,
      input: this.#input,
      startedAt: this.#startedAt,
      status,
      output: canonical(output),
      durationMs,
      costUsd,
      tokens: inputTokens + outputTokens,
      moves: this.#moves,
      failures: this.#failures,
      retries: this.#retries,
      choices: this.#choices,
      revised: this.#revised,
    };
  }
}

/** The address of the agent whose call it is: a call in trouble has an actor of its own below it. */
const ownerOf = (path: string): string => path.replace(/\/~[^/]*$/, '');

/** The whole answer of an event; undefined if its calls are not on record, or it has media. */
const answerOf = (event: EventOf<'model.answered'>): ModelAnswer | undefined => {
  const { text, reasoning, usage, costUsd, calls: count, cached, raw } = event;
  const { calls = [], media, refusal, replay, metadata } = raw ?? {};
  const finish = finishReasons.find((each) => each === event.finish);
  if (finish === undefined || calls.length !== count || media !== undefined || cached !== undefined)
    return undefined;
  // It costs what it cost then, whatever the prices of now.
  const billed = costUsd === undefined ? usage : { ...usage, billedUsd: costUsd };
  const said = { text, calls, finish, usage: billed };
  return { ...said, ...withoutUndefined({ reasoning, refusal, replay, metadata }) };
};
