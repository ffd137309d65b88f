import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { packageFolder } from './real-servers.ts';

/** The oldest Node of which each release is new enough for the packages of the protocol's authors. */
const NEEDED = 24;

/** A program of Node that is new enough for the judges: this one, or the one that is a package beside them (Linux only). */
export const newerNode = (): string => {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) return process.execPath;
  const packaged = resolve(packageFolder(`node-${process.platform}-${process.arch}`), 'bin/node');
  if (existsSync(packaged)) return packaged;
  throw new Error(`Cannot run this judge as it needs Node ${NEEDED}: found ${process.versions.node}`);
};
