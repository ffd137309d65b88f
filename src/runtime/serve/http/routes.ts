import * as z from 'zod/mini';
import { onDemand } from '../../../base/on-demand.ts';
import type { Permission } from '../../../contracts/runs/remote-run.ts';

/** The operations of a server. */
export type RouteName =
  | 'describe'
  | 'start'
  | 'runs'
  | 'run'
  | 'events'
  | 'result'
  | 'requests'
  | 'answer'
  | 'send'
  | 'pause'
  | 'resume'
  | 'step'
  | 'stepped'
  | 'abort'
  | 'fork'
  | 'blob'
  | 'threads'
  | 'thread';

/** An operation: its address, and the right that it needs. */
export interface Route<Name extends string = RouteName> {
  readonly name: Name;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Segments; those in braces are names. */
  readonly path: string;
  /** Undefined: any caller may. */
  readonly needs: Permission | undefined;
  readonly summary: string;
}

/** All operations. */
export const routes: readonly Route[] = [
  {
    name: 'describe',
    method: 'GET',
    path: '/openapi.json',
    needs: undefined,
    summary: 'Describes this server.',
  },
  {
    name: 'start',
    method: 'POST',
    path: '/agents/{agent}/runs',
    needs: 'start',
    summary: 'Starts a run of an agent.',
  },
  { name: 'runs', method: 'GET', path: '/runs', needs: 'watch', summary: 'Lists runs, newest first.' },
  { name: 'run', method: 'GET', path: '/runs/{run}', needs: 'watch', summary: 'Gives the status of a run.' },
  {
    name: 'events',
    method: 'GET',
    path: '/runs/{run}/events',
    needs: 'watch',
    summary: 'Streams the events of a run, from Last-Event-ID on.',
  },
  {
    name: 'result',
    method: 'GET',
    path: '/runs/{run}/result',
    needs: 'watch',
    summary: 'Waits for the result of a run; 202 while it is under way.',
  },
  {
    name: 'requests',
    method: 'GET',
    path: '/runs/{run}/requests',
    needs: 'watch',
    summary: 'Lists the open requests of a run to people.',
  },
  {
    name: 'answer',
    method: 'POST',
    path: '/runs/{run}/requests/{request}',
    needs: 'answer',
    summary: 'Answers a request: approves or denies a call, or replies to a question.',
  },
  {
    name: 'send',
    method: 'POST',
    path: '/runs/{run}/messages',
    needs: 'control',
    summary: 'Sends a message to a run.',
  },
  {
    name: 'pause',
    method: 'POST',
    path: '/runs/{run}/pause',
    needs: 'control',
    summary: 'Holds the next effect of a run.',
  },
  {
    name: 'resume',
    method: 'POST',
    path: '/runs/{run}/resume',
    needs: 'control',
    summary: 'Continues a paused run.',
  },
  {
    name: 'step',
    method: 'POST',
    path: '/runs/{run}/step',
    needs: 'control',
    summary: 'Continues by one step or effect; 202 while it is under way.',
  },
  {
    name: 'stepped',
    method: 'GET',
    path: '/runs/{run}/step',
    needs: 'watch',
    summary: 'Waits for the steps under way; 202 while they are.',
  },
  { name: 'abort', method: 'POST', path: '/runs/{run}/abort', needs: 'control', summary: 'Ends a run.' },
  {
    name: 'fork',
    method: 'POST',
    path: '/runs/{run}/fork',
    needs: 'start',
    summary: 'Starts a run that shares the beginning of another.',
  },
  {
    name: 'blob',
    method: 'GET',
    path: '/runs/{run}/blobs/{hash}',
    needs: 'watch',
    summary: 'Gives the bytes of media of a run.',
  },
  {
    name: 'threads',
    method: 'GET',
    path: '/threads',
    needs: 'watch',
    summary: 'Lists threads, the last continued first.',
  },
  {
    name: 'thread',
    method: 'GET',
    path: '/threads/{thread}',
    needs: 'watch',
    summary: 'Gives a thread with its turns.',
  },
];

const text = () => z.string().check(z.maxLength(LONGEST_TEXT));
const LONGEST_TEXT = 100_000;
/** Of JSON, as the whole body is. */
const json = () => z.unknown();

/** The bodies of the operations that take one; strict, as a misspelt option would be ignored. */
export const bodies = onDemand(() => ({
  start: z.strictObject({
    input: json(),
    thread: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
    paused: z.optional(z.boolean()),
  }),
  answer: z.union([
    z.strictObject({ yes: z.literal(true), input: z.optional(json()) }),
    z.strictObject({ yes: z.literal(false), reason: z.optional(text()) }),
    z.strictObject({ text: text() }),
  ]),
  send: z.strictObject({ message: json(), path: z.optional(text()) }),
  step: z.strictObject({ unit: z.optional(z.enum(['step', 'effect'])) }),
  abort: z.strictObject({ reason: z.optional(text()), after: z.optional(z.literal('step')) }),
  fork: z.strictObject({
    at: z.optional(
      z.union([
        z.strictObject({ step: z.int().check(z.gte(0)) }),
        z.strictObject({ seq: z.int().check(z.gte(0)) }),
      ]),
    ),
    change: z.optional(
      z.strictObject({
        message: z.optional(json()),
        text: z.optional(text()),
        calls: z.optional(z.array(z.strictObject({ name: z.string(), input: json() }))),
      }),
    ),
  }),
  nothing: z.strictObject({}),
}));
