/**
 * Where things are kept beyond the process. Node only.
 */
export { folderStore } from './folder-store.ts';
