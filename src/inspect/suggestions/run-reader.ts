import { canonical } from '../../base/json/canonical.ts';
import type { EventOf, RuntimeEvent } from '../../contracts/events/event.ts';
import { SentRequests } from '../../runtime/log/sent-requests.ts';
import { CallDigests } from './call-digests.ts';
import type { CallFact, ChoiceFact, Move, RetryFact, RunFacts } from './run-facts.ts';

type Asked = EventOf<'model.asked'>;
type AskedFact = Pick<CallFact, 'model' | 'digest' | 'request' | 'startedAt'>;
type OpenRetry = Omit<RetryFact, 'hasHelped'>;

/** Reads the facts of one run from its events, in order. */
export class RunReader {
  readonly #requests = new SentRequests();
  readonly #digests = new CallDigests();
  readonly #asked = new Map<string, AskedFact>();
  readonly #started = new Map<string, EventOf<'tool.started'>>();
  readonly #open = new Map<string, OpenRetry>();
  readonly #moves: Move[] = [];
  readonly #retries: RetryFact[] = [];
  readonly #choices: ChoiceFact[] = [];
  readonly #revised: string[] = [];
  #input = '';

  /** Takes in an event. Returns the facts with the last one of a run. */
  take(event: RuntimeEvent): RunFacts | undefined {
    switch (event.type) {
      case 'run.started':
        this.#input = JSON.stringify(event.input);
        this.#digests.began(event.input, event.path);
        break;
      case 'model.asked':
        this.#ask(event);
        break;
      case 'model.answered':
        this.#answer(event);
        break;
      case 'model.retrying':
        this.#retry(event.path, { ...event, kind: 'model', name: event.model });
        break;
      case 'model.failed':
      case 'model.fell-back':
        this.#settle(event.path, false);
        break;
      case 'tool.started':
        this.#started.set(`${event.path} ${event.callId}`, event);
        break;
      case 'tool.retrying':
        this.#retry(`${event.path} ${event.callId}`, { ...event, kind: 'tool', name: event.tool });
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
        });
        break;
      case 'run.ended':
        return this.#facts(event);
      default:
    }
    return undefined;
  }

  #ask(event: Asked): void {
    const { agent, path, model, messages, key, at } = event;
    const request = this.#requests.take(event);
    const digest = this.#digests.digestOf({ agent, path, model, messages, request });
    this.#asked.set(key, { model, digest, request, startedAt: at });
  }

  #answer(event: EventOf<'model.answered'>): void {
    const asked = this.#asked.get(event.key);
    this.#asked.delete(event.key);
    this.#settle(event.path, true);
    this.#digests.add(event.path, [event.text, event.calls]);
    if (asked === undefined) return;
    const { agent, path, step, seq, text, calls, usage, costUsd, cached, at, durationMs: ms } = event;
    const isCached = cached !== undefined;
    const answer = { seq, text, calls, usage, costUsd, isCached, endedAt: at, ms };
    this.#moves.push({ kind: 'model', ...asked, agent, path, step, ...answer });
  }

  #finish(event: EventOf<'tool.finished'>): void {
    const { agent, path, step, callId, tool, text, ok: isOk, at, durationMs: ms, cached } = event;
    const key = `${path} ${callId}`;
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

  #branch({ agent, branch }: EventOf<'agent.decided'>): void {
    if (branch === undefined) return;
    const options = branch.candidates.map(
      ({ label, decision }, index) => label ?? `${decision.kind} ${index + 1}`,
    );
    const chosen = options[branch.chosen[0] ?? 0];
    if (chosen !== undefined) this.#choices.push({ agent, options, chosen });
  }

  #facts({ runId, agent, status, output, totals }: EventOf<'run.ended'>): RunFacts {
    for (const key of this.#open.keys()) this.#settle(key, false);
    const { durationMs, costUsd, inputTokens, outputTokens } = totals;
    return {
      runId,
      agent,
      input: this.#input,
      status,
      output: canonical(output),
      durationMs,
      costUsd,
      tokens: inputTokens + outputTokens,
      moves: this.#moves,
      retries: this.#retries,
      choices: this.#choices,
      revised: this.#revised,
    };
  }
}
