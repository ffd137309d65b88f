/** Has a timer keep no process alive: Node's do unless unreferenced. Browsers' timers have no such method. */
export const releaseProcess = (timer: unknown): void => {
  const unref: unknown =
    typeof timer === 'object' && timer !== null ? Reflect.get(timer, 'unref') : undefined;
  if (typeof unref === 'function') Reflect.apply(unref, timer, []);
};
