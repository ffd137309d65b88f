import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { PRIVATE } from '../../../persistence/private-files.ts';
import { isPrivate } from './runtime-folder.ts';

const VERSION = 1;

const secret = z.string().regex(/^[\w-]{16,100}$/);

const registrationSchema = z.object({
  v: z.literal(VERSION),
  id: z.string().regex(/^[\w-]{8,40}$/),
  pid: z.int().positive(),
  /** Its program, for people. */
  program: z.string().max(200),
  port: z.int().min(1).max(65_535),
  /** Opens its inspector. */
  token: secret,
  /** Sent by it alone, with each response: another server that got its port does not know it. */
  sign: secret,
  /** True if its runs may be controlled. */
  control: z.boolean(),
  /** In ms since 1970. */
  startedAt: z.number(),
  /** The process whose command started it, by its number. */
  under: z.int().positive().optional(),
});

/** An inspector that can be found by those of the user's other processes. */
export type Registration = z.infer<typeof registrationSchema>;

/** A registration without what is the same for all of a kind. */
export type NewRegistration = Omit<Registration, 'v' | 'id' | 'pid' | 'startedAt'>;

/** The most registrations that are looked at, and the size of one in bytes. */
const MOST = 256;
const LARGEST = 4_096;

export const newId = (): string => randomBytes(9).toString('base64url');

const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`);

/** Registers an inspector; returns the function that removes it again. */
export const register = (folder: string, id: string, about: NewRegistration): (() => void) => {
  const file = fileOf(folder, id);
  const whole: Registration = { v: VERSION, id, pid: process.pid, startedAt: Date.now(), ...about };
  // In one step: nobody reads half of it.
  const draft = `${file}.new`;
  writeFileSync(draft, JSON.stringify(whole), { mode: PRIVATE, flag: 'wx' });
  renameSync(draft, file);
  return () => {
    rmSync(file, { force: true });
  };
};

/** The registrations of the user's inspectors but one. Those of processes that are gone are removed; what is not the user's, or is damaged, is left out. */
export const readRegistrations = (folder: string, own?: string): readonly Registration[] =>
  namesIn(folder).flatMap((name) => {
    const file = join(folder, name);
    const found = readOne(file);
    if (found === undefined || `${found.id}.json` !== name || found.id === own) return [];
    if (isAlive(found.pid)) return [found];
    rmSync(file, { force: true });
    return [];
  });

/** Checks whether a registration is still there. */
export const isRegistered = (folder: string, { id, pid }: Pick<Registration, 'id' | 'pid'>): boolean =>
  isAlive(pid) && readOne(fileOf(folder, id)) !== undefined;

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .slice(0, MOST);
  } catch {
    return [];
  }
};

const readOne = (file: string): Registration | undefined => {
  try {
    if (!isPrivate(file, 'file') || statSync(file).size > LARGEST) return undefined;
    return registrationSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    // It went just now, or is not JSON.
    return undefined;
  }
};

/** Checks whether a process is there; one of another user counts. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
};
