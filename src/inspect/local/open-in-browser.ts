import { spawn } from 'node:child_process';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // What follows `start` is a title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens an address in the user's browser; does nothing if there is none. */
export const openInBrowser = (url: string, platform: NodeJS.Platform = process.platform): void => {
  const [command, ...args] = openers[platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => undefined);
  opener.unref();
};
