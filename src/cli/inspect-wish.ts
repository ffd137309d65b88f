import type { CommandName } from './command-shapes.ts';
import { countOf } from './option-values.ts';
import { wrong } from './wrong-usage.ts';

/** How the local inspector is opened. */
export interface InspectWish {
  /** 0 is any that is free. */
  readonly port: number;
  /** The page may hold, step and stop runs. */
  readonly isControlled: boolean;
  /** It is opened in the browser. */
  readonly isShown: boolean;
}

/** What options say of the inspector. */
export interface InspectValues {
  readonly inspect?: boolean | undefined;
  readonly port?: string | undefined;
  readonly control?: boolean | undefined;
  readonly open?: boolean | undefined;
  readonly park?: boolean | undefined;
}

const HIGHEST_PORT = 65_535;

/** How the inspector is opened, for a command that always does. @throws {TroupeError} `command.usage` */
export const inspectWish = (
  { port: given, control, open }: InspectValues,
  name: CommandName,
): InspectWish => {
  const port = countOf(given, '--port', name) ?? 0;
  if (port > HIGHEST_PORT) throw wrong(`--port is no port: '${given}'`, name);
  return { port, isControlled: control ?? false, isShown: open ?? false };
};

/** The same for a command that opens it where it is asked to. @throws {TroupeError} `command.usage` */
export const inspectWishIfAny = (values: InspectValues, name: CommandName): InspectWish | undefined => {
  if (values.inspect === true) {
    if (values.park === true) throw wrong('one excludes the other: --inspect and --park', name);
    return inspectWish(values, name);
  }
  for (const option of ['port', 'control', 'open'] as const)
    if (values[option] !== undefined)
      throw wrong(`--${option} is about the inspector: give --inspect, too`, name);
  return undefined;
};
