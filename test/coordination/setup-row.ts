import { agent } from '../../src/runtime/define/agent.ts';

/** What of any rubbish is none where this kind of thing is asked for. */
export const MEANT = {
  /** Anything is refused. */
  needed: [],
  /** May be left out. */
  optional: ['nothing'],
  count: ['nothing', '3'],
  text: ['nothing', "'x'"],
  list: ['nothing', '[]'],
  record: ['nothing', '{}'],
  /** Options of an agent may be none at all. */
  role: ['{}'],
  optionalRole: ['nothing', '{}'],
  words: ['[]'],
  number: ['3'],
} as const satisfies Record<string, readonly string[]>;
/** What is asked for. */
export type Kind = keyof typeof MEANT;

export const ann = agent({ name: 'ann' });
export const bob = agent({ name: 'bob' });
export const two = { ann, bob };

/** What every team may be given. */
export const EVERY: Readonly<Record<string, Kind>> = {
  name: 'text',
  description: 'text',
  hooks: 'list',
  mailbox: 'record',
  limits: 'record',
  failures: 'record',
};

/** What a pattern may be given, and what of it is not to be taken. */
export interface SetupRow {
  /** A setup that is taken. */
  readonly setup: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, Kind>>;
  /** Where one member stands, as the setup with that in its place. */
  readonly places: Readonly<
    Record<string, readonly [Kind, (found: unknown) => Readonly<Record<string, unknown>>]>
  >;
}
