import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';

/** A container for one run, or for the runs of a team. */
export interface ContainerEnvironmentOptions {
  /** Image with a POSIX shell and the common commands of GNU or BusyBox: `node:24-slim`, `alpine@sha256:…`. */
  readonly image: string;
  /** `docker`, `podman`, or the absolute path of a program that takes their arguments. Default `docker`. */
  readonly engine?: string | undefined;
  /** Default `container`. */
  readonly name?: string | undefined;
  /** Folder in the container that files are below and commands run in; an absolute path. Default `/work`. */
  readonly root?: string | undefined;
  /** Folder of this machine that is mounted there, writable. Default: none; it is empty, in memory, and gone with the container. */
  readonly folder?: string | undefined;
  /** Size of the work folder where it is in memory, in MB. Default 256. */
  readonly workMb?: number | undefined;
  /** Allowed commands. Default: all, as the container is the confinement. */
  readonly commands?: readonly string[] | undefined;
  /** Environment variables of the container. Default: those of the image. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Name of a network of the engine. Default `none`: no network at all. */
  readonly network?: string | undefined;
  /** Numeric user, or user and group: `1000:1000`, never 0. Default: that of this process for a mounted folder, else `1000:1000`. */
  readonly user?: string | undefined;
  /** Default 512, without swap. */
  readonly memoryMb?: number | undefined;
  /** Default 1. */
  readonly cpus?: number | undefined;
  /** Limit on processes and threads. Default 256. */
  readonly pids?: number | undefined;
  /** Time limit of the start in ms, in which the engine may have to fetch the image. Default 120,000. */
  readonly startMs?: number | undefined;
  /** Default and maximum time limit of a command in ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes kept of each output of a command. Default 64,000. */
  readonly maxOutputBytes?: number | undefined;
  /** Of a file, read or written. Default 1,000,000. */
  readonly maxFileBytes?: number | undefined;
}

const whole = z.int().positive();

const planSchema = z.strictObject({
  image: z
    .string()
    .max(500)
    .regex(/^[A-Za-z0-9][\w.:/@-]*$/, 'an image is named by letters, digits and . : / @ _ -'),
  engine: z
    .string()
    .regex(/^(docker|podman|\/.+|[A-Za-z]:[\\/].+)$/s, 'it is docker, podman or an absolute path')
    .default('docker'),
  name: z.string().min(1).default('container'),
  root: z
    .string()
    .max(1_000)
    .regex(/^(\/[A-Za-z0-9_][\w.-]*)+$/, 'it is an absolute path of plain names, and not /')
    .default('/work'),
  folder: z.string().min(1).optional(),
  workMb: whole.default(256),
  commands: z.array(z.string()).readonly().optional(),
  env: z
    .record(
      z
        .string()
        .regex(/^(?!TROUPE_)[A-Za-z_]\w*$/, 'a variable has a plain name that does not begin with TROUPE_'),
      z.string().refine((value) => !value.includes('\0'), 'a value has no NUL character'),
    )
    .default({}),
  network: z
    .string()
    .regex(/^(?!host$)[A-Za-z0-9][\w.-]*$/, 'it is the name of a network, and not host')
    .default('none'),
  user: z
    .string()
    .regex(/^0*[1-9]\d*(:\d+)?$/, 'it is a number, or two as in 1000:1000, and not 0, which is root')
    .optional(),
  memoryMb: whole.default(512),
  cpus: z.number().positive().max(1_000).default(1),
  pids: whole.default(256),
  startMs: whole.default(120_000),
  timeoutMs: whole.default(60_000),
  maxOutputBytes: whole.default(64_000),
  maxFileBytes: whole.default(1_000_000),
});

/** Checked options of a container, with their defaults. */
export type ContainerPlan = z.infer<typeof planSchema>;

/**
 * Checks the options of a container.
 *
 * @throws `agent.invalid` with every option that cannot be used.
 */
export const parseContainerPlan = (options: ContainerEnvironmentOptions): ContainerPlan => {
  const parsed = planSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'options'}: ${message}`,
  );
  throw new TroupeError(
    'agent.invalid',
    `Cannot use a container as its options are invalid: ${problems.join('; ')}`,
  );
};
