import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { READ_RESULT } from '../calls/cut-text.ts';
import { readAnnouncement } from './deferred-tools.ts';

/**
 * The tools that an agent's model is sent from the turn on that announces them: deferred ones once they are found or a skill names
 * them, and the one that reads cut texts once there is one.
 *
 * They follow from the conversation, which is on record: a run that is resumed, forked or continued by a thread has them without anything
 * else being kept. They come after the first tools, in the order of their announcement, so that the beginning of a request stays as it was.
 */
export class AnnouncedTools {
  readonly #specOf: (name: string) => ToolSpec | undefined;
  readonly #announces: (name: string) => boolean;
  #scanned = 0;
  #announced: readonly ToolSpec[] = NONE;

  /** With the description of each tool that may be announced, and a predicate for the tools whose results announce others. */
  constructor(specOf: (name: string) => ToolSpec | undefined, announces: (name: string) => boolean) {
    this.#specOf = specOf;
    this.#announces = announces;
  }

  /** The same tools for another conversation. */
  fork(): AnnouncedTools {
    return new AnnouncedTools(this.#specOf, this.#announces);
  }

  /** The tools that a conversation announces: the same array until there are more. Each turn is looked at once. */
  in(history: History<Turn>): readonly ToolSpec[] {
    if (history.length < this.#scanned) {
      this.#scanned = 0;
      this.#announced = NONE;
    }
    if (history.length === this.#scanned) return this.#announced;
    const view = new HistoryView(history);
    for (; this.#scanned < history.length; this.#scanned += 1) {
      const turn = view.at(this.#scanned);
      if (turn === undefined || turn.role === 'user') continue;
      if (turn.whole !== undefined) this.#announce(READ_RESULT);
      if (turn.role === 'tool' && turn.failed !== true && this.#announces(turn.tool))
        for (const name of readAnnouncement(turn.text)) this.#announce(name);
    }
    return this.#announced;
  }

  #announce(name: string): void {
    const spec = this.#specOf(name);
    if (spec !== undefined && !this.#announced.includes(spec)) this.#announced = [...this.#announced, spec];
  }
}

const NONE: readonly ToolSpec[] = [];
