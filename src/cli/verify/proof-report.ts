import { createPrivateKey, createPublicKey, sign, verify as verifySignature } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { canonical } from '../../base/json/canonical.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Proof, Story } from '../../testing/verify/proof.ts';

/** The version of reports. */
const VERSION = 1;

/** A report of a proof that another can make again, and a signature over it. */
export interface ProofReport {
  readonly v: typeof VERSION;
  /** Its findings, without what differs from one machine to the next. */
  readonly proof: JsonObject;
  /** The bound of moves that was asked for. */
  readonly depth?: number | undefined;
  readonly signature?: Signature | undefined;
}

/** An Ed25519 signature over the canonical JSON of the rest (keys sorted, no white space; RFC 8032). */
interface Signature {
  readonly algorithm: 'ed25519';
  /** The public key, as PEM. */
  readonly key: string;
  /** In base64. */
  readonly value: string;
}

/** Makes the report of a proof: its stories as moves, no times and no journals. */
export const reportOfProof = (proof: Proof, depth: number | undefined): ProofReport => {
  const {
    violations,
    deadEnds,
    elapsedMs: _ms,
    statesPerSecond: _s,
    transitionsPerSecond: _t,
    ...facts
  } = proof;
  const told = toJson({
    ...facts,
    violations: violations.map(({ rule, reason, confirmed, story }) => ({
      rule,
      reason,
      confirmed,
      moves: movesOf(story),
    })),
    deadEnds: deadEnds.map(movesOf),
  });
  return { v: VERSION, proof: isJsonObject(told) ? told : {}, ...(depth === undefined ? {} : { depth }) };
};

const movesOf = ({ moves }: Story): readonly string[] =>
  moves.map(({ by, path, does }) => `${by}: ${path} ${does}`);

/** Writes a report, signed by a private key if there is one. @throws {TroupeError} `command.usage` */
export const writeReport = (place: string, report: ProofReport, keyFile: string | undefined): void => {
  const signed =
    keyFile === undefined ? report : { ...report, signature: signatureOf(report, privateKey(keyFile)) };
  try {
    writeFileSync(place, `${JSON.stringify(signed, null, 2)}\n`);
  } catch (thrown) {
    throw cannot(`write the report to ${place} as it failed: ${messageOf(thrown)}`, thrown);
  }
};

/** Reads a report. @throws {TroupeError} `command.usage` */
export const readReport = (place: string): ProofReport => {
  const found = readJson(place);
  const { v, proof, depth, signature } = isJsonObject(found) ? found : {};
  if (v !== VERSION || !isJsonObject(proof) || !(depth === undefined || typeof depth === 'number'))
    throw cannot(
      `read ${place} as it is no report of version ${VERSION}: write one by troupe verify FILE --report ${place}`,
    );
  const report: ProofReport = { v, proof, ...(depth === undefined ? {} : { depth }) };
  if (signature === undefined) return report;
  const { algorithm, key, value } = isJsonObject(signature) ? signature : {};
  if (algorithm !== 'ed25519' || typeof key !== 'string' || typeof value !== 'string')
    throw cannot(`read ${place} as its signature is none of Ed25519`);
  return { ...report, signature: { algorithm, key, value } };
};

/** A report beside the one that was made again. */
export interface ComparedReports {
  /** The parts in which they differ. */
  readonly differs: readonly string[];
  /** `valid`: by the key that was given; `own`: by the key that the report names, which says nothing of who signed it. */
  readonly signature: 'none' | 'valid' | 'own' | 'wrong';
}

/** Compares a report with the one that was made again, and checks its signature. @throws {TroupeError} `command.usage` for a key that is none. */
export const compareReports = (
  before: ProofReport,
  after: ProofReport,
  keyFile: string | undefined,
): ComparedReports => ({
  differs: [...new Set([...Object.keys(before.proof), ...Object.keys(after.proof)])].filter(
    (part) => canonical(before.proof[part] ?? null) !== canonical(after.proof[part] ?? null),
  ),
  signature: signatureVerdict(before, keyFile),
});

const signatureVerdict = (
  { signature, ...report }: ProofReport,
  keyFile: string | undefined,
): ComparedReports['signature'] => {
  const given = keyFile === undefined ? undefined : publicKey(keyFile);
  if (signature === undefined) return given === undefined ? 'none' : 'wrong';
  const key = given ?? ownKey(signature);
  const isValid =
    key !== undefined && verifySignature(null, bytesOf(report), key, Buffer.from(signature.value, 'base64'));
  if (!isValid) return 'wrong';
  return given === undefined ? 'own' : 'valid';
};

const bytesOf = (report: ProofReport): Buffer => Buffer.from(canonical(toJson(report)));

const signatureOf = (report: ProofReport, key: KeyObject): Signature => ({
  algorithm: 'ed25519',
  key: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  value: sign(null, bytesOf(report), key).toString('base64'),
});

const ownKey = ({ key }: Signature): KeyObject | undefined => {
  try {
    return createPublicKey(key);
  } catch {
    return undefined;
  }
};

const privateKey = (file: string): KeyObject => keyIn(file, '--sign', createPrivateKey);
const publicKey = (file: string): KeyObject => keyIn(file, '--key', createPublicKey);

const keyIn = (file: string, option: string, read: (pem: string) => KeyObject): KeyObject => {
  let key: KeyObject;
  try {
    key = read(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw cannot(
      `use the key of ${option}: '${file}' as it cannot be read: ${messageOf(thrown)}. ${MAKE_KEY}`,
      thrown,
    );
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw cannot(
    `use the key of ${option}: '${file}' as it is of ${String(key.asymmetricKeyType)}. ${MAKE_KEY}`,
  );
};

const MAKE_KEY =
  'Make one by `openssl genpkey -algorithm ed25519 -out key.pem`, and its public part by `openssl pkey -in key.pem -pubout -out public.pem`';

const readJson = (place: string): Json => {
  try {
    // Looked through by the caller.
    return JSON.parse(readFileSync(place, 'utf8')) as Json;
  } catch (thrown) {
    throw cannot(`read the report ${place} as it failed: ${messageOf(thrown)}`, thrown);
  }
};

const cannot = (what: string, cause?: unknown): TroupeError =>
  new TroupeError('command.usage', `Cannot ${what}`, { cause });
