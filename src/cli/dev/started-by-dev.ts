import process from 'node:process';
import { messageOf } from '../../contracts/errors/error.ts';

/** The variable by which the command that `troupe dev` runs knows that it does. */
export const DEV = 'TROUPE_DEV';

const isStartedByDev = (): boolean => process.env[DEV] === '1' && process.connected;

/** Tells `troupe dev` why its command failed: the page says so. */
export const reportToDev = (thrown: unknown): void => {
  if (isStartedByDev()) process.send?.({ failed: messageOf(thrown) });
};

/** Ends this process with `troupe dev`, however that ends. */
export const endWithDev = (): void => {
  if (!isStartedByDev()) return;
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
  });
};
