import type { CommandName } from './command-shapes.ts';
import { countOf } from './option-values.ts';
import { wrong } from './wrong-usage.ts';

/** Options for opening the local inspector. */
export interface InspectorRequest {
  /** 0 is any that is free. */
  readonly port: number;
  /** True if the page may pause, step and stop runs. */
  readonly isControlled: boolean;
  /** It is opened in the browser. */
  readonly isShown: boolean;
  /** Runs are held as they begin until somebody looks. */
  readonly isAwaited: boolean;
}

/** Parsed values of the inspector's options. */
export interface InspectValues {
  readonly inspect?: boolean | undefined;
  readonly port?: string | undefined;
  readonly control?: boolean | undefined;
  readonly open?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly park?: boolean | undefined;
}

const HIGHEST_PORT = 65_535;

/** Parses a port. @throws {TroupeError} `command.usage` */
export const portOf = (given: string | undefined, name: CommandName): number | undefined => {
  const port = countOf(given, '--port', name);
  if (port === undefined || port <= HIGHEST_PORT) return port;
  throw wrong(`--port is not a port: '${given}'. Give one from 0 to ${HIGHEST_PORT}`, name);
};

/** Parses the inspector's options, for a command that always opens it. @throws {TroupeError} `command.usage` */
export const inspectorRequest = (
  { port: given, control, open, wait }: InspectValues,
  name: CommandName,
): InspectorRequest => {
  const port = portOf(given, name) ?? 0;
  return { port, isControlled: control ?? false, isShown: open ?? false, isAwaited: wait ?? false };
};

/** Parses the inspector's options, for a command that opens it on request. @throws {TroupeError} `command.usage` */
export const inspectorRequestIfAny = (
  values: InspectValues,
  name: CommandName,
): InspectorRequest | undefined => {
  if (values.inspect === true) {
    if (values.park === true) throw wrong('one excludes the other: --inspect and --park', name);
    return inspectorRequest(values, name);
  }
  for (const option of ['port', 'control', 'open', 'wait'] as const)
    if (values[option] !== undefined) throw wrong(`--${option} needs --inspect`, name);
  return undefined;
};
