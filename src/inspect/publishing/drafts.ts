import { Subject } from 'rxjs';
import type { Clock } from '../../base/clock.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import { oneLine } from '../../base/text/printable.ts';
import { text$ } from '../../events/stream/select.ts';
import { TypingIndicators } from '../../events/progress/typing.ts';
import type { Draft } from './publication.ts';

/** Parameters of the drafts. */
export interface DraftsSetup {
  readonly clock: Clock;
  readonly typingMs: number;
  readonly isSilent: (who: Pick<LiveEvent, 'agent' | 'path'>) => boolean;
  /** `isUrgent`: do not wait for more. */
  readonly add: (draft: Draft, isUrgent: boolean) => void;
}

/** End of a sentence, at which text may be sent. */
const SENTENCE_END = /[.!?…。！？]["'’”)\]]*\s*$/u;

/** Converts the events of one run to publications. */
export class Drafts {
  readonly #setup: DraftsSetup;
  readonly #spoken = new Subject<LiveEvent>();
  readonly #typing: TypingIndicators;
  #runId = '';
  #at = 0;
  #toldError: string | undefined;

  constructor(setup: DraftsSetup) {
    const { clock, typingMs, isSilent, add } = setup;
    this.#setup = setup;
    this.#typing = new TypingIndicators({ clock, minMs: typingMs }, ({ path, agent, isTyping, at }) => {
      add({ type: 'typing', isTyping, at, runId: this.#runId, path, agent }, true);
    });
    text$(this.#spoken).subscribe(({ path, agent, key, text, isComplete }) => {
      if (isSilent({ path, agent })) return;
      const content = { type: 'content', key, text, isComplete } as const;
      const isUrgent = isComplete || text === '' || SENTENCE_END.test(text.slice(-8));
      add({ ...content, at: this.#at, runId: this.#runId, path, agent }, isUrgent);
    });
  }

  take(event: LiveEvent): void {
    this.#runId = event.runId;
    this.#at = event.at;
    const isSilent = this.#setup.isSilent(event);
    if (event.type === 'run.ended') {
      this.#typing.take(event);
      if (!isSilent && event.error !== undefined) this.#tellError(event, event.error);
      this.#tell(completionOf(event));
      return;
    }
    this.#spoken.next(event);
    if (isSilent) return;
    this.#typing.take(event);
    if ('error' in event && event.error !== undefined && FATAL.has(event.type))
      this.#tellError(event, event.error);
    const draft = draftOf(event);
    if (draft !== undefined) this.#tell(draft);
  }

  /** At the end of the run nobody is typing any more. */
  end(): void {
    this.#typing.end();
    this.#spoken.complete();
  }

  #tell(draft: Draft): void {
    this.#setup.add(draft, true);
  }

  /** Reports an error once, although several events report it on its way up. */
  #tellError({ at, runId, path, agent }: LiveEvent, { code, message, errorId }: ErrorData): void {
    const which = errorId ?? message;
    if (which === this.#toldError) return;
    this.#toldError = which;
    this.#tell({ type: 'error', code, message, ...withErrorId(errorId), at, runId, path, agent });
  }
}

const withErrorId = (errorId: string | undefined): { readonly errorId?: string } =>
  errorId === undefined ? {} : { errorId };

/** Events of failed work, not only of a failed attempt. */
const FATAL: ReadonlySet<LiveEvent['type']> = new Set<LiveEvent['type']>(['model.failed', 'member.ended']);

const draftOf = (event: LiveEvent): Draft | undefined => {
  const { at, runId, path, agent } = event;
  const where = { at, runId, path, agent };
  switch (event.type) {
    case 'tool.started': {
      const { type, callId, tool, description } = event;
      return { type, callId, tool, description: oneLine(description), ...where };
    }
    case 'tool.finished': {
      const { type, callId, tool, ok, text, error } = event;
      return { type, callId, tool, ok, text, ...withErrorId(error?.errorId), ...where };
    }
    case 'custom.emitted':
      return { type: 'custom', name: event.name, data: event.data, ...where };
    default:
      return undefined;
  }
};

const completionOf = (event: LiveEvent & { readonly type: 'run.ended' }): Draft => {
  const { at, runId, path, agent, status, stopReason, output } = event;
  const completion = { type: 'completion', status, reason: stopReason.kind } as const;
  return { ...completion, at, runId, path, agent, ...(output === undefined ? {} : { output }) };
};
