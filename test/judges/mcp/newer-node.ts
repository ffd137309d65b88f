import { resolve } from 'node:path';
import { packageFolder } from './real-servers.ts';

/** The Node that the packages of the protocol's authors need, which is newer than the oldest that troupe runs on. */
const NEEDED = 22;

/** A program of Node that is new enough for the judges: this one, or the one that is a package beside them. */
export const newerNode = (): string =>
  Number(process.versions.node.split('.')[0]) > NEEDED
    ? process.execPath
    : resolve(packageFolder(`node-${process.platform}-${process.arch}`), 'bin/node');
