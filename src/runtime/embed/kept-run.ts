import type { ErrorCode } from '../../contracts/error.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import type { SecretKey } from '../../contracts/secrets/secret-key.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import { sealedFieldsIn, unlockRecords } from '../../persistence/field-vault.ts';
import { dereferenced } from '../../persistence/secret-references.ts';
import { redactorOf } from '../../policy/redaction.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { Chart } from './face-snapshot.ts';
import { KeptRecords } from './kept-records.ts';
import type { LogicOptions } from './logic-options.ts';

/** The version of the form in which a run is kept in a persisted snapshot. */
const KEPT_VERSION = 1;

/** A run as it stands in a persisted snapshot: its records, or where they are. */
export interface KeptRun {
  readonly v: number;
  readonly agent: string;
  readonly runId: string;
  /** The number of the last event that was emitted; -1 where none was. */
  readonly told: number;
  /** Absent where the run has not begun, is over, or is in a store; so is their check. */
  readonly records?: readonly Json[] | undefined;
  readonly check?: number | undefined;
  /** What the run is begun with, where it has not begun. */
  readonly input?: Json | undefined;
  /** Its records are in a store. */
  readonly isStored?: true | undefined;
}

/** What an actor is restored from. */
export interface KeptActor {
  readonly chart: Chart;
  readonly children: Readonly<Record<string, KeptMember>>;
  readonly run: KeptRun;
  /** What the run goes on from; absent where it is over, or in a store. */
  readonly opened: OpenedRun | undefined;
  /** Opens it where the values of fields in it are sealed. */
  readonly unlock: (() => Promise<OpenedRun>) | undefined;
}

/** What a run goes on from, or begins with, looked at. */
export interface OpenedRun {
  readonly records: KeptRecords | undefined;
  readonly input: Json | undefined;
  /** What was hidden in it, by name. */
  readonly fields: Secrets;
}

/** An actor below another, as it is kept for display. */
export interface KeptMember {
  readonly src: string;
  readonly chart: Chart;
  readonly children: Readonly<Record<string, KeptMember>>;
}

/** Reads a persisted snapshot, or says why it cannot be restored: as an error, since whoever restores it may be in the midst of much else. */
export const readKept = (
  persisted: unknown,
  agent: string,
  { store, secrets: given, secretKey }: LogicOptions,
): { readonly kept: KeptActor } | { readonly error: TroupeError; readonly chart: Chart | undefined } => {
  const chart = chartIn(persisted);
  const refuse = (code: ErrorCode, why: string) => ({
    chart,
    error: refusal(agent, code, why),
  });
  if (!isObject(persisted) || chart === undefined)
    return refuse('journal.corrupt', 'what it is given is no snapshot of one');
  const { troupe: run } = persisted;
  if (run === undefined)
    return refuse(
      'journal.version',
      'its snapshot holds no run: it was written by troupe 0.1, or is no snapshot of an agent. Start it anew with its input',
    );
  if (!isKeptRun(run)) return refuse('journal.corrupt', 'the run in its snapshot is damaged');
  if (run.v !== KEPT_VERSION)
    return refuse(
      'journal.version',
      `its snapshot is of version ${run.v}, and this release reads ${KEPT_VERSION}`,
    );
  if (run.agent !== agent) return refuse('journal.diverged', `its snapshot is one of '${run.agent}'`);
  if (run.isStored === true && run.input === undefined && store === undefined && chart.status === 'active')
    return refuse(
      'journal.unknown',
      `its snapshot is the address of run '${run.runId}' in a store: give that store to logicWith({ store })`,
    );
  const { runId, records: sealed, check = 0, input: begins } = run;
  const records = sealed && KeptRecords.unpacked({ records: sealed, check });
  if (sealed !== undefined && records === undefined)
    return refuse('journal.corrupt', `the records of run '${runId}' in its snapshot were changed`);
  const { secrets } = redactorOf(undefined, given);
  const open = (fields: Secrets): OpenedRun => {
    const missing = { secrets: new Set<string>(), fields: new Set<string>() };
    const known = { secrets, fields };
    const opened = {
      records: records && KeptRecords.opened(records, known, missing),
      input: begins === undefined ? undefined : dereferenced(begins, known, missing),
      fields,
    };
    if (missing.fields.size > 0) throw new Locked([...missing.fields]);
    if (missing.secrets.size === 0) return opened;
    const names = [...missing.secrets];
    throw refusal(
      agent,
      'secret.missing',
      `its snapshot refers to secrets that are not known here: ${names.join(', ')}. Set the variables, or give them as \`secrets\``,
    );
  };
  const kept = { chart, children: childrenIn(persisted), run };
  try {
    return { kept: { ...kept, opened: open({}), unlock: undefined } };
  } catch (thrown) {
    if (!(thrown instanceof Locked)) return { chart, error: toError(thrown) };
    const key = keyIn(secretKey);
    if (key instanceof TroupeError) return { chart, error: key };
    if (key === undefined) return refuse('secret.missing', withoutValues(thrown.names.join(', ')));
    const unlock = async (): Promise<OpenedRun> => {
      const stored = [...(records ?? []), begins];
      const fields = await unlockRecords(runId, stored, key);
      try {
        return open(fields);
      } catch (failed) {
        if (!(failed instanceof Locked)) throw failed;
        const sealed = sealedFieldsIn(stored);
        const names = failed.names.join(', ');
        throw failed.names.every((name) => sealed.includes(name))
          ? refusal(
              agent,
              'secret.wrong-key',
              `the key does not open the values of secret fields in its snapshot: ${names}. Give the \`secretKey\` of the actor that was persisted; after a change of keys, give both`,
            )
          : refusal(agent, 'secret.missing', withoutValues(names));
      }
    };
    return { kept: { ...kept, opened: undefined, unlock } };
  }
};

/** The values of fields with these names are not known. */
class Locked extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super('locked');
    this.names = names;
  }
}

const refusal = (agent: string, code: ErrorCode, why: string): TroupeError =>
  new TroupeError(code, `Cannot restore an actor of '${agent}' as ${why}`);

const withoutValues = (names: string): string =>
  `its snapshot has only the names of secret fields, or there is no key to open them by: ${names}. Give a \`secretKey\` (or set TROUPE_SECRET_KEY), the same where it is persisted and where it is restored; what is persisted in the turn in which the actor was made has no values yet`;

const keyIn = (given: LogicOptions['secretKey']): SecretKey | TroupeError | undefined => {
  try {
    return secretKeyOf(given);
  } catch (thrown) {
    return toError(thrown);
  }
};

const toError = (thrown: unknown): TroupeError =>
  thrown instanceof TroupeError ? thrown : new TroupeError('internal', String(thrown));

export const keptVersion = KEPT_VERSION;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKeptRun = (value: unknown): value is KeptRun => {
  if (!isObject(value)) return false;
  const { v, agent, runId, told, records } = value;
  return (
    typeof v === 'number' &&
    typeof agent === 'string' &&
    typeof runId === 'string' &&
    Number.isInteger(told) &&
    (records === undefined || Array.isArray(records))
  );
};

const chartIn = (given: unknown): Chart | undefined => {
  if (!isObject(given)) return undefined;
  const { status, value, context, output } = given;
  if (typeof status !== 'string' || value === undefined) return undefined;
  return { status, value, context, output };
};

const childrenIn = ({ children }: Readonly<Record<string, unknown>>): KeptActor['children'] => {
  if (!isObject(children)) return {};
  const kept: Record<string, KeptMember> = {};
  for (const [path, child] of Object.entries(children)) {
    if (!isObject(child)) continue;
    const { src, snapshot } = child;
    const chart = chartIn(snapshot);
    if (typeof src === 'string' && isObject(snapshot) && chart?.status === 'active')
      kept[path] = { src, chart, children: childrenIn(snapshot) };
  }
  return kept;
};
