import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { aFunction, aText, listOf, oneOf, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import type { EventType, Hook, HookScope, LiveEvent } from '../../contracts/events/event.ts';
import { oneLine } from '../../base/text/printable.ts';
import { redactorOf } from '../../policy/redaction.ts';
import { factsOf, previewsOf } from './spans/event-facts.ts';

/** The level of the line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Options of {@link jsonLog}. */
export interface JsonLogOptions {
  /** The least that is written. Default `info`: without phases, steps and the calls of models. */
  readonly level?: LogLevel | undefined;
  /** Restricts the types of events. Default: all of the level; never deltas. */
  readonly on?: readonly Exclude<EventType, 'model.delta'>[] | undefined;
  /**
   * `names` (default): numbers, names and the codes of errors, no text of people, models or tools. `previews`: in
   * addition the beginning of each text, on one line. `full`: the whole event. Secrets are redacted in each.
   */
  readonly content?: 'names' | 'previews' | 'full' | undefined;
  /** The number of characters of each text that a preview has, from 1. Default 200. */
  readonly previewLength?: number | undefined;
  /** Takes secrets out of a line. Default: the secrets in the environment, as `[redacted NAME]`. */
  readonly redact?: ((line: string) => string) | undefined;
  /** Additional fields of each line, such as trace ids. */
  readonly fields?: ((event: LiveEvent, scope: HookScope) => Readonly<Record<string, unknown>>) | undefined;
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

const debug: ReadonlySet<string> = new Set([
  'phase.entered',
  'step.ended',
  'agent.prepared',
  'agent.observed',
  'agent.decided',
  'agent.acted',
  'agent.reduced',
  'agent.checked',
  'model.asked',
  'tool.requested',
  'tool.progressed',
  'message.sent',
  'memory.recalled',
  'text.spilled',
]);

const warnings: ReadonlySet<string> = new Set([
  'model.retrying',
  'model.discarded',
  'model.interrupted',
  'model.fell-back',
  'tool.retrying',
  'tool.denied',
  'tool.ambiguous',
  'loop.warned',
  'limit.neared',
  'budget.warned',
  'context.warned',
  'recovery.decided',
  'session.lost',
  'route.degraded',
  'child.supervised',
  'child.quarantined',
  'member.refused',
  'message.dropped',
  'observer.dropped',
  'handoff.refused',
  'answer.refused',
  'tool.deprecated',
]);

const levelOf = (event: LiveEvent): LogLevel => {
  const { type } = event;
  if (type === 'run.ended' || type === 'member.ended') return event.status === 'failed' ? 'error' : 'info';
  if (type === 'tool.finished') return event.ok ? 'info' : 'warn';
  if (debug.has(type)) return 'debug';
  if (warnings.has(type)) return 'warn';
  return type.endsWith('.failed') || type.endsWith('-failed') ? 'error' : 'info';
};

const check = optionsCheck<JsonLogOptions>({ code: 'input.invalid', owner: 'a log', verb: 'write' }, () => ({
  level: optional(oneOf(order)),
  on: optional(listOf(aText())),
  content: optional(oneOf(['names', 'previews', 'full'])),
  previewLength: optional(wholeNumber(1)),
  redact: optional(aFunction()),
  fields: optional(aFunction()),
}));

/**
 * A hook that writes one line of JSON for each event: `time`, `level`, `type`, its place, and its data.
 *
 * `write` gets the line without a line feed, synchronously; an error is reported as any observer's failure, and its
 * result is not awaited.
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit.
 *
 * @example
 * const log = jsonLog((line) => process.stdout.write(`${line}\n`), { level: 'debug' });
 * await desk.run('…', { hooks: [log] });
 * //
 * {"time":"2026-01-01T09:00:00.000Z","level":"info","type":"tool.finished","runId":"r1","path":"desk","agent":"desk","tool":"add",…}
 */
export const jsonLog = (write: (line: string) => void, options: JsonLogOptions = {}): Hook => {
  const { level = 'info', on, content = 'names', previewLength = 200, fields } = check(options);
  const secrets = redactorOf();
  const redact = options.redact ?? ((line: string) => secrets.text(line));
  const body = bodyIn(content, (text) => oneLine(redact(text), previewLength));
  const least = order.indexOf(level);
  const types = on === undefined ? undefined : new Set<EventType>(on);
  return {
    name: 'json-log',
    on,
    handle: (event, scope) => {
      const its = levelOf(event);
      if (event.type === 'model.delta' || order.indexOf(its) < least || types?.has(event.type) === false)
        return;
      const line = { ...headOf(event, its, scope), ...fields?.(event, scope), ...body(event) };
      write(redact(JSON.stringify(line)));
    },
  };
};

const headOf = (event: LiveEvent, level: LogLevel, { thread }: HookScope) => {
  const { at, type, runId, path, agent, step } = event;
  const phase = 'phase' in event ? event.phase : undefined;
  return { time: new Date(at).toISOString(), level, type, runId, thread, path, agent, step, phase };
};

type Body = (event: LiveEvent) => Readonly<Record<string, unknown>>;

const bodyIn = (content: JsonLogOptions['content'], preview: (text: string) => string): Body => {
  if (content === 'full')
    return ({ at: _at, v: _v, type: _type, runId: _runId, path: _path, agent: _agent, ...rest }) => rest;
  return content === 'previews' ? (event) => ({ ...factsOf(event), ...previewsOf(event, preview) }) : factsOf;
};
