import { canonical } from '../../base/json/canonical.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { sha256 } from '../../base/sha256.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';
import { lateError, typedError, unnotedError } from './batch-errors.ts';
import type { BatchMember } from './batch-member.ts';
import { BatchMembers } from './batch-members.ts';
import { type BatchService, UnsureSubmission } from './batch-service.ts';
import type { QueueSetup } from './queue-setup.ts';
import { LostBatch } from './lost-batch.ts';
import { SentBatch, type SentFacts } from './sent-batch.ts';

/** The calls that the next batch will hold. */
interface Window {
  readonly members: BatchMembers;
  bytes: number;
}

/**
 * The calls of one model, on their way into batches and back.
 *
 * I1 What is about to be submitted is on record before, and its id right after: a resumed call finds its batch, and is not submitted twice.
 */
export class BatchQueue {
  readonly #service: BatchService;
  readonly #setup: QueueSetup;
  /** By the headers that they share, which belong to the batch as a whole. */
  readonly #windows = new Map<string, Window>();
  readonly #sent = new Map<string, SentBatch>();
  readonly #lost = new Map<string, LostBatch>();

  constructor(service: BatchService, setup: QueueSetup) {
    this.#service = service;
    this.#setup = setup;
  }

  /** Answers a call by a batch: the one that it is in already, or a new one. */
  enter(member: BatchMember): Promise<JsonObject> {
    const { noted } = member;
    if (member.isOver || noted === undefined) this.collect(member);
    else if (noted.batch === undefined) {
      const lost = this.#lostOf(noted.mark, noted.at);
      const isFirst = lost.isEmpty;
      lost.join(member);
      if (isFirst) lost.searchIn(this.#setup.windowMs);
    } else {
      const isFirst = !this.#sent.has(noted.batch);
      const sent = this.sentOf({ id: noted.batch, at: noted.at, requests: noted.requests });
      sent.join(member, noted.line);
      // The others that are in it come back at about the same time.
      if (isFirst) sent.lookSoon(this.#setup.windowMs);
    }
    return member.answer;
  }

  /** Puts a call into the next batch. */
  collect(member: BatchMember): void {
    if (member.isOver) return;
    const group = canonical(member.headers ?? {});
    const open = this.#windows.get(group);
    const isFull =
      open !== undefined &&
      (open.members.has(member.id) || open.bytes + member.bytes > this.#service.most.bytes);
    if (isFull) this.#close(group);
    const window = this.#windows.get(group) ?? this.#open(group);
    window.members.join(member);
    window.bytes += member.bytes + LINE_BYTES;
    if (window.members.size >= Math.min(this.#setup.size, this.#service.most.requests)) this.#close(group);
    else if (window.members.size === 1) window.members.arm(this.#setup.windowMs, () => this.#close(group));
  }

  /** The batch of that id, shared by all that wait for it. */
  sentOf(facts: SentFacts): SentBatch {
    const known = this.#sent.get(facts.id);
    if (known !== undefined) return known;
    const sent: SentBatch = new SentBatch(facts, this.#service, this.#setup, () => {
      if (this.#sent.get(facts.id) === sent) this.#sent.delete(facts.id);
    });
    this.#sent.set(facts.id, sent);
    return sent;
  }

  #lostOf(mark: string, at: number, reason?: TroupeError): LostBatch {
    const known = this.#lost.get(mark);
    if (known !== undefined && !known.isEmpty) return known;
    for (const [other, { isEmpty }] of this.#lost) if (isEmpty) this.#lost.delete(other);
    const lost = new LostBatch({ mark, at, reason }, this.#service, this.#setup, this);
    this.#lost.set(mark, lost);
    return lost;
  }

  #open(group: string): Window {
    const window: Window = {
      members: new BatchMembers(({ bytes }) => {
        window.bytes -= bytes + LINE_BYTES;
        if (window.members.size === 0 && this.#windows.get(group) === window) this.#windows.delete(group);
      }),
      bytes: 0,
    };
    this.#windows.set(group, window);
    return window;
  }

  #close(group: string): void {
    const window = this.#windows.get(group);
    this.#windows.delete(group);
    const members = new BatchMembers();
    for (const member of window?.members.release() ?? []) members.join(member);
    void this.#submit(members);
  }

  async #submit(members: BatchMembers): Promise<void> {
    const { clock } = members;
    const at = clock.now();
    const mark = sha256([...members].map(({ id }) => id).join('\n'));
    await Promise.all([...members].map((member) => this.#note(member, mark, at)));
    const all = [...members];
    if (all.length === 0) return;
    try {
      const headers = all[0]?.headers;
      // Not bound to its members: it cannot be taken back halfway.
      const submission = this.#service.submit(all, mark, { signal: new AbortController().signal, headers });
      const late = (): UnsureSubmission => new UnsureSubmission('it takes too long');
      const { id } = await withinTime(submission, { ms: SUBMIT_MS, clock, late });
      const sent = this.sentOf({ id, at, requests: all.length });
      for (const [index, member] of all.entries()) {
        const line = index + 1;
        // Without it the batch is found by its mark.
        member.note({ mark, at, batch: id, requests: all.length, line }).catch(() => undefined);
        sent.join(member, line);
      }
      sent.lookIn(this.#setup.pollMs);
    } catch (thrown) {
      this.#failed(members, { mark, at }, thrown);
    }
  }

  /** A call whose store does not take the note is not submitted: a process that resumes it would submit it again. */
  async #note(member: BatchMember, mark: string, at: number): Promise<void> {
    const late = (): TroupeError => unnotedError(this.#setup.who);
    try {
      await withinTime(member.note({ mark, at }), { ms: NOTE_MS, clock: member.clock, late });
    } catch (thrown) {
      member.fail(thrown);
    }
  }

  #failed(
    members: BatchMembers,
    { mark, at }: { readonly mark: string; readonly at: number },
    thrown: unknown,
  ): void {
    const isUnsure = thrown instanceof UnsureSubmission;
    const error = typedError(
      isUnsure ? (thrown.cause ?? lateError(this.#setup.who, SUBMIT_MS)) : thrown,
      this.#setup.who,
    );
    if (!isUnsure) {
      for (const member of members) member.fail(error);
      return;
    }
    const lost = this.#lostOf(mark, at, error);
    for (const member of members.release()) lost.join(member);
    lost.searchIn(0);
  }
}

/** The length of a line without its body, about. */
const LINE_BYTES = 200;
/** In ms. */
const NOTE_MS = 30_000;
/** In ms: an upload of hundreds of megabytes takes its time. */
const SUBMIT_MS = 1_800_000;
