import type { ServeCommand, WorkerCommand } from './commands.ts';
import { namedModule } from './named-module.ts';
import { portOf } from './inspector-request.ts';
import { countOf, textOf } from './option-values.ts';
import { wrong } from './wrong-usage.ts';

/** Parsed values of the options of servers and workers, by name. */
export interface ServingValues {
  readonly export?: string | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly openai?: boolean | undefined;
  readonly enqueue?: boolean | undefined;
  readonly concurrency?: string | undefined;
}

/** Default port of a server. */
const SERVED_AT = 8_080;
/** Default number of runs that a worker executes at once. */
const WORKED_AT_ONCE = 10;

/** Builds the command `serve`. @throws {TroupeError} `command.usage` */
export const serveFrom = (first: string, values: ServingValues): ServeCommand => {
  const name = 'serve';
  const origins = textOf(values.origin, '--origin', name)
    ?.split(',')
    .map((origin) => origin.trim());
  const odd = origins?.find((origin) => !isOrigin(origin));
  if (odd !== undefined)
    throw wrong(`--origin has what is no origin: '${odd}'. Give one such as https://app.example.com`, name);
  return {
    name,
    ...namedModule(first, values.export, name),
    port: portOf(values.port, name) ?? SERVED_AT,
    host: textOf(values.host, '--host', name) ?? '127.0.0.1',
    origins: origins ?? [],
    openai: values.openai ?? false,
    isEntrance: values.enqueue ?? false,
  };
};

/** Builds the command `worker`. @throws {TroupeError} `command.usage` */
export const workerFrom = (files: readonly string[], values: ServingValues): WorkerCommand => {
  const name = 'worker';
  const concurrency = countOf(values.concurrency, '--concurrency', name) ?? WORKED_AT_ONCE;
  if (concurrency === 0)
    throw wrong(`--concurrency is '${values.concurrency}': give a number from 1 on`, name);
  if (values.export !== undefined && files.length > 1)
    throw wrong('--export is of use with one module only: write FILE#NAME', name);
  const port = portOf(values.port, name);
  const host = textOf(values.host, '--host', name);
  if (host !== undefined && port === undefined) throw wrong(`--host ${host} needs a --port`, name);
  return {
    name,
    modules: files.map((file) => namedModule(file, values.export, name)),
    concurrency,
    port,
    host: host ?? '127.0.0.1',
  };
};

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
