import { posix } from 'node:path';

/**
 * The relative links of a Markdown text that lead to none of `files`, nor to a folder with some of them in it. Links are relative to
 * `page`, which is a path as those of `files` are; default: a page at their root.
 */
export const deadLinks = (text: string, files: readonly string[], page = 'README.md'): string[] => {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = Array.from(prose.matchAll(/\]\(([^()\s]+)\)/g), ([, target = '']) => target);
  const relative = links.filter((target) => !/^(?:[a-z]+:|#|\/\/)/i.test(target));
  return relative.filter((target) => {
    const [path = ''] = target.split(/[#?]/, 1);
    const place = posix.join(posix.dirname(page), path).replace(/\/$/, '');
    return !files.some((file) => file === place || file.startsWith(`${place}/`));
  });
};
