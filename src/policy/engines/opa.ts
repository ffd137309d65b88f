import { isJsonObject, toJson } from '../../base/json/json.ts';
import { timeLimit } from '../../base/promises/time-limit.ts';
import { aFunction, aTime, fulfilling, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { readText } from '../../base/text/read-text.ts';
import { trimEndOf } from '../../base/text/trim-end.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { parseVerdict } from '../../contracts/tools/parse-verdict.ts';
import type { ProposedCall, SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { RuleFunction } from '../permissions/rule.ts';
import type { FurtherFacts } from './described-call.ts';
import { describeCall } from './described-call.ts';

/** Options of {@link opa}. */
export interface OpaOptions {
  /** The server's address, http or https: `http://127.0.0.1:8181`. */
  readonly url: string;
  /** The decision's path below `/v1/data`: `troupe/verdict` is the rule `verdict` of `package troupe`. */
  readonly path: string;
  /** Returns the headers of a question, such as its authorization; called for each. Default: none. */
  readonly headers?: (() => Headings | Promise<Headings>) | undefined;
  /** Further facts of a call, such as the tenant in the run's `context`: they are `input.also`. Default: none. */
  readonly also?: FurtherFacts | undefined;
  /** In ms, until the whole answer is there. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Of an answer. Default 100,000. */
  readonly maxBytes?: number | undefined;
}

type Headings = Readonly<Record<string, string>>;

const isServer = (given: unknown): boolean => {
  if (typeof given !== 'string' || !URL.canParse(given)) return false;
  const { protocol, username, password, search, hash } = new URL(given);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
};

const isPath = (given: unknown): boolean =>
  typeof given === 'string' && given.split('/').every((part) => /^[^.\s?#\\][^\s?#\\]*$/.test(part));

const check = optionsCheck<OpaOptions>({ code: 'policy.invalid', owner: 'the rule of OPA' }, () => ({
  url: fulfilling(isServer, "not an address of http or https alone: write 'http://127.0.0.1:8181'"),
  path: fulfilling(isPath, "not the path of a decision: write 'troupe/verdict'"),
  headers: optional(aFunction()),
  also: optional(aFunction()),
  timeoutMs: optional(aTime()),
  maxBytes: optional(wholeNumber(1)),
}));

/**
 * Makes a rule by which a server of Open Policy Agent decides, asked for each call by its data API (`POST /v1/data/PATH`).
 *
 * `input` has `tool`, `toolset`, `safety`, `category`, `tags`, `agent`, `role`, `path`, `above` (the agents above it), `input` (the arguments),
 * `environment`, `after` (origins of what the agent has read), `time`, and `also`. The decision is true, false, or a verdict:
 * `{"verdict": "ask", "by": "lead", "reason": "…", "rule": "…"}`.
 *
 * It fails closed: an undefined decision, another answer, a status that is not 200, a redirect, a server that is silent or says too much deny
 * the call, with the reason. A header's value is in no reason.
 *
 * @example
 * const rule = opa({
 *   url: 'http://127.0.0.1:8181',
 *   path: 'troupe/verdict',
 *   headers: () => ({ authorization: `Bearer ${process.env['OPA_TOKEN']}` }),
 * });
 * await clerk.run('Pay it.', { safety: policy({ rules: [rule] }) });
 *
 * @throws {TroupeError} `policy.invalid` for options that do not fit.
 */
export const opa = (options: OpaOptions): RuleFunction => {
  const { url, path, headers, also, timeoutMs = 5_000, maxBytes = 100_000 } = check(options);
  const name = `opa ${path}`;
  const address = `${trimEndOf(url, '/')}/v1/data/${path.split('/').map(encodeURIComponent).join('/')}`;
  const ask = async (call: ProposedCall): Promise<SafetyVerdict> => {
    // Described at once: the call is of this moment.
    const body = JSON.stringify({ input: describeCall(call, also) });
    const signal = AbortSignal.any([call.signal, timeLimit(timeoutMs)]);
    const response = await fetch(address, {
      method: 'POST',
      headers: checkedHeaders(await headers?.()),
      body,
      // Neither the question nor its authorization is for another server.
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) throw new Error(`it answered ${response.status}`);
    return readDecision(await readText(response.body, maxBytes));
  };
  const rule = (call: ProposedCall): Promise<SafetyVerdict> =>
    ask(call).then(
      (verdict) => ({ rule: name, ...verdict }),
      (thrown: unknown) => ({
        verdict: 'deny',
        rule: name,
        reason: `OPA gave no verdict: ${wordsOf(thrown)}`,
      }),
    );
  return Object.defineProperty(rule, 'name', { value: name });
};

/** Checked here, as `fetch` quotes a value that it refuses. */
const checkedHeaders = (given: Headings = {}): Headers => {
  try {
    const headers = new Headers(given);
    headers.set('content-type', 'application/json');
    return headers;
  } catch {
    throw new TypeError('its headers are not valid');
  }
};

const readDecision = (text: string): SafetyVerdict => {
  const answer = toJson(JSON.parse(text));
  const decision = isJsonObject(answer) ? answer['result'] : undefined;
  if (decision === true) return { verdict: 'allow' };
  if (decision === false) return { verdict: 'deny', reason: 'OPA denies it' };
  if (decision === undefined) throw new Error('its decision is undefined: it has no rule for this call');
  return parseVerdict(decision);
};

/** The words of a failure. `fetch` says why only in its cause. */
const wordsOf = (thrown: unknown): string => {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? messageOf(thrown) : `${messageOf(thrown)}: ${messageOf(cause)}`;
};
