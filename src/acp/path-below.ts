/** A path below a folder, relative to it; any other path as it is, which environments refuse. */
export const pathBelow = (folder: string, path: string): string => {
  const root = plain(folder).replace(/\/$/, '');
  const given = plain(path);
  if (given === root) return '.';
  return given.startsWith(`${root}/`) ? given.slice(root.length + 1) : path;
};

const plain = (path: string): string => (/^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path);
