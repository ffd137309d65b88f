import type { Outcome } from '../contracts/run.ts';
import { callEnd } from './result.ts';
import type { Actor, Sponsor } from './stage.ts';

/** Tells an actor's machine how the child at `path` ended. */
export const tellMachine = (
  { parent, port, index }: Extract<Sponsor, { kind: 'machine' }>,
  path: string,
  output: Outcome,
): void => {
  const { run } = parent;
  const envelope = { type: `answered.${port}`, at: run.log.now(), index, path, output };
  run.enqueue({ kind: 'deliver', actor: parent, envelope });
};

/** Tells an agent's machine how a call of its own ended. */
export const tellCallEnd = (
  { parent, port, index }: Extract<Sponsor, { kind: 'machine' }>,
  output: unknown,
): void => {
  const { run } = parent;
  const { kind, content } = callEnd(output);
  const envelope = { type: `${kind}.${port}`, at: run.log.now(), index, ...content };
  run.enqueue({ kind: 'deliver', actor: parent, envelope });
};

/** Tells observers how an agent or a team ended. */
export const tellEnd = (
  entry: Actor,
  outcome: Pick<Outcome, 'status' | 'stopReason' | 'error' | 'autoCompleted'>,
): void => {
  const { status, stopReason, error, autoCompleted } = outcome;
  entry.run.log.write(
    {
      type: 'member.ended',
      member: entry.definition.name,
      status,
      stopReason: { ...stopReason },
      ...(error === undefined ? {} : { error }),
      ...(autoCompleted === undefined ? {} : { autoCompleted }),
    },
    entry,
  );
};
