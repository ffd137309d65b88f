import type { ErrorCause, ErrorData } from '../../../contracts/errors/error-data.ts';
import type { RuntimeEvent } from '../../../contracts/events/runtime-event.ts';
import { stopWords } from '../../drawing/stop-words.ts';
import { INTERRUPTION } from './resumptions.ts';

/** The tones of problems, the worst first: work failed, somebody refused, a limit stopped it, or it was tried again. */
export const tones = ['error', 'refusal', 'stop', 'setback'] as const;

/** See {@link tones}. */
export type Tone = (typeof tones)[number];

/** The tones in words, for one and for several. */
export const wordFor: Readonly<Record<Tone, readonly [one: string, many: string]>> = {
  error: ['error', 'errors'],
  refusal: ['refusal', 'refusals'],
  stop: ['stop', 'stops'],
  setback: ['setback', 'setbacks'],
};

/** A problem that an event reports. */
export interface Report {
  readonly tone: Tone;
  /** In a few words: `search failed`. */
  readonly title: string;
  readonly message: string;
  readonly code?: string | undefined;
  /** The causes, from the outermost in. */
  readonly causes: readonly string[];
  /** Equal wherever this very error is reported. */
  readonly errorId?: string | undefined;
  /** True if the event reports what became of an error of its own actor or of one below. */
  readonly goesUp: boolean;
  /** The call that it is about. */
  readonly call?: string | undefined;
}

/** The problems that an event reports: none, or one; for the start of an agent one for each that it found. */
export const reportsOf = (event: RuntimeEvent): readonly Report[] => {
  if (event.type === 'agent.prepared')
    return event.problems.map((error) =>
      errorReport('setback', `${event.agent} is not well prepared`, error),
    );
  const report = reportOf(event);
  if (report === undefined) return [];
  return ['callId' in event && event.callId !== undefined ? { ...report, call: event.callId } : report];
};

const reportOf = (event: RuntimeEvent): Report | undefined => {
  switch (event.type) {
    case 'tool.finished': {
      if (event.ok) return undefined;
      const { tool, error, text } = event;
      return error === undefined
        ? plainReport('error', `${tool} failed`, text)
        : errorReport('error', `${tool} failed`, error);
    }
    case 'run.ended':
    case 'member.ended':
      return endReport(event);
    case 'model.retrying':
      return errorReport('setback', `${event.model} is asked again`, event.error);
    case 'model.fell-back':
      return errorReport('setback', `${event.to} is asked instead of ${event.from}`, event.error);
    case 'model.interrupted':
      return plainReport(
        'setback',
        `${event.model} was interrupted`,
        'Its answer broke off, and is continued.',
      );
    case 'model.failed':
      return errorReport('error', `${event.model} failed`, event.error);
    case 'tool.retrying':
      return errorReport('setback', `${event.tool} is tried again`, event.error);
    case 'recovery.decided':
      return { ...errorReport('setback', `recovery: ${event.decision}`, event.error), goesUp: true };
    case 'tool.denied':
      return event.error === undefined
        ? plainReport(
            'refusal',
            `${event.tool} was denied${event.rule === undefined ? '' : ` by the rule ${event.rule}`}`,
            event.reason ?? 'without a reason',
          )
        : errorReport('refusal', `${event.tool} was denied`, event.error);
    case 'member.refused':
      return plainReport('refusal', `${event.member} was refused`, event.reason);
    case 'handoff.refused':
      return plainReport('refusal', `a handoff to ${event.to} was refused`, event.reason);
    case 'work.refused':
      return plainReport('refusal', `work of ${event.member} was refused`, event.reason);
    case 'answer.refused':
      return plainReport('refusal', 'an answer of a person was refused', event.reason);
    case 'observer.failed':
      return errorReport('setback', `the observer ${event.observer} failed`, event.error);
    case 'stage.failed':
      return { ...plainReport('setback', `stage ${event.member} failed`, event.message), goesUp: true };
    case 'message.dropped':
      return plainReport('setback', `a message to ${event.to} was dropped`, event.reason);
    case 'session.lost':
      return plainReport('setback', 'the session of a model was lost', event.reason);
    case 'child.supervised':
    case 'child.quarantined': {
      const what =
        event.type === 'child.supervised'
          ? `${event.member}: ${event.directive}`
          : `${event.member} is given up`;
      const tone = event.type === 'child.supervised' ? 'setback' : 'error';
      return event.error && { ...errorReport(tone, what, event.error), goesUp: true };
    }
    default:
      // An error of any other event, also of a later release.
      return 'error' in event && event.error !== undefined
        ? errorReport(
            event.type.endsWith('.failed') ? 'error' : 'setback',
            event.type.replaceAll(/[.-]/g, ' '),
            event.error,
          )
        : undefined;
  }
};

const endReport = (
  event: Extract<RuntimeEvent, { type: 'run.ended' | 'member.ended' }>,
): Report | undefined => {
  const { type, status, stopReason, error, agent } = event;
  const who = type === 'member.ended' ? event.member : agent;
  // Of a suspended run that goes on, of one that nobody wanted, and of members of an aborted run nothing is wrong.
  if (status === 'completed' || error?.code === 'run.suspended') return undefined;
  if (status === 'aborted' && type === 'member.ended') return undefined;
  if (status === 'failed' && error !== undefined)
    return { ...errorReport('error', `${who} failed`, error), goesUp: true };
  const tone = status === 'failed' ? 'error' : 'stop';
  return { ...plainReport(tone, `${who}: ${status}`, stopWords(stopReason, error)), code: stopReason.kind };
};

/** The report of a run that was interrupted, and resumed. */
export const interruption = (agent: string): Report =>
  plainReport('setback', `${agent} was interrupted and resumed`, `${INTERRUPTION}.`);

const plainReport = (tone: Tone, title: string, message: string): Report => ({
  tone,
  title,
  message,
  causes: [],
  goesUp: false,
});

const errorReport = (tone: Tone, title: string, error: ErrorData): Report => ({
  ...plainReport(tone, title, error.message),
  code: error.code,
  causes: causesOf(error.cause),
  errorId: error.errorId,
});

/** A log of another release may nest them deeper than errors of this one are. */
const DEEPEST = 20;

const causesOf = (cause: ErrorCause | undefined): readonly string[] => {
  const found: string[] = [];
  for (let each = cause; each !== undefined && found.length < DEEPEST; each = each.cause)
    found.push(`${each.name}: ${each.message}`);
  return found;
};
