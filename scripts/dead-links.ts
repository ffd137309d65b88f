/** The relative links of a Markdown text that lead to none of `files`, nor to a folder with some of them in it. */
export const deadLinks = (text: string, files: readonly string[]): string[] => {
  const links = Array.from(text.matchAll(/\]\(([^()\s]+)\)/g), ([, target = '']) => target);
  const relative = links.filter((target) => !/^(?:[a-z]+:|#|\/\/)/i.test(target));
  return relative.filter((target) => {
    const path = target.replace(/^\.\//, '').split(/[#?]/, 1).join('').replace(/\/$/, '');
    return !files.some((file) => file === path || file.startsWith(`${path}/`));
  });
};
