/** The port of a URL, that of its scheme if it names none. */
export const portOf = ({ port, protocol }: URL): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};

/** The host of a URL with its port, as the rule `trusted` lists hosts. */
export const hostOf = (url: URL): string => `${url.hostname}:${portOf(url)}`;
