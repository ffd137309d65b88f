import { TroupeError } from '../contracts/error.ts';
import type { ApprovalRequest, Person } from '../contracts/run.ts';
import type { Approval } from '../machines/tool-call-context.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';

/**
 * Where questions and approvals of a run wait for a person: a `Person` given with the run, or whoever holds the handle.
 *
 * Where there is neither, questions fail and approvals are denied: nothing waits for somebody who cannot come.
 */
export class PersonDesk {
  readonly #person: Person | undefined;
  readonly #isAttended: boolean;
  readonly #questions: ((text: string) => void)[] = [];
  readonly #approvals = new Map<string, (approval: Approval) => void>();

  constructor(person: Person | undefined, isAttended: boolean) {
    this.#person = person;
    this.#isAttended = isAttended;
  }

  async ask(question: string, abort: LazyAbort): Promise<string> {
    if (this.#person?.answer !== undefined) return this.#person.answer(question, abort.signal);
    if (!this.#isAttended)
      throw new TroupeError(
        'tool.failed',
        `Cannot ask a person as nobody is there to answer: ${JSON.stringify(question)}`,
      );
    return new Promise((resolve, reject) => {
      this.#questions.push(resolve);
      abort.onAbort(() => {
        const index = this.#questions.indexOf(resolve);
        if (index >= 0) this.#questions.splice(index, 1);
        reject(new TroupeError('run.aborted', 'Cannot wait for an answer as the run ended'));
      });
    });
  }

  async approve(request: ApprovalRequest, abort: LazyAbort): Promise<Approval> {
    if (this.#person?.approve !== undefined) {
      // Whatever is not a plain yes is a no.
      const said: unknown = await this.#person.approve(request, abort.signal);
      return typeof said === 'string' ? { isApproved: false, reason: said } : { isApproved: said === true };
    }
    if (!this.#isAttended) return { isApproved: false, reason: 'nobody is there to approve it' };
    const key = keyOf(request);
    return new Promise((resolve, reject) => {
      this.#approvals.set(key, resolve);
      abort.onAbort(() => {
        this.#approvals.delete(key);
        reject(new TroupeError('run.aborted', 'Cannot wait for an approval as the run ended'));
      });
    });
  }

  /** Answers the oldest open question; false if there is none. */
  reply(text: string): boolean {
    const answer = this.#questions.shift();
    answer?.(text);
    return answer !== undefined;
  }

  /** Settles the approval of a call (`callId`, or `path callId` where two agents wait for calls of one id). */
  settle(callId: string, approval: Approval): boolean {
    const key = this.#approvals.has(callId)
      ? callId
      : [...this.#approvals.keys()].find((waiting) => waiting.endsWith(` ${callId}`));
    if (key === undefined) return false;
    this.#approvals.get(key)?.(approval);
    return this.#approvals.delete(key);
  }
}

const keyOf = ({ path, callId }: ApprovalRequest): string => `${path} ${callId}`;
