import process from 'node:process';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Report } from './dev-messages.ts';

/** The variable by which the command that `troupe dev` runs knows that it does, and as what. */
export const DEV = 'TROUPE_DEV';

/** Time in ms that work under way has when `troupe dev` ends: its answers are then on record. */
export const END_WITHIN_MS = 10_000;

/** A program runs as it is loaded; a definition waits for its turn. */
export type DevKind = 'program' | 'definition';

const kindOfDev = (): string | undefined => (process.connected ? process.env[DEV] : undefined);

/** Checks whether this process has to wait for its turn with the definition that it loads. */
export const isDefinitionOfDev = (): boolean => kindOfDev() === 'definition';

/** Tells `troupe dev` something, if that started this process. */
export const tellDev = (report: Report): void => {
  if (kindOfDev() !== undefined) process.send?.(report);
};

/** Tells `troupe dev` why its command failed: the page says so. */
export const reportToDev = (thrown: unknown): void => {
  tellDev({ failed: messageOf(thrown) });
};

/** Ends this process with `troupe dev`, however that ends. */
export const endWithDev = (): void => {
  if (kindOfDev() === undefined) return;
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
};
