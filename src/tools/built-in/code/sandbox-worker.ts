/**
 * The script of the thread that a sandbox is: one QuickJS of its own, with one program in it.
 *
 * Text, as a thread is started from text alone wherever the package was bundled to. A thread, as some built-in functions of
 * QuickJS cannot be interrupted: then the thread is ended from outside.
 */
export const SANDBOX_WORKER = String.raw`'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { core, variant, wasm, prelude, source, settings, limits } = workerData;

const start = async () => {
  const { newQuickJSWASMModuleFromVariant, newVariant } = require(core);
  const base = require(variant);
  // The bound of QuickJS itself counts no large blocks when it is compiled to WebAssembly: that of the memory holds.
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: Math.ceil(limits.memoryBytes / 65536) });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(base.default ?? base, { wasmModule: wasm, wasmMemory }));
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(limits.stackBytes);
  let spentMs = 0;
  // Nothing of the program runs before its first slice.
  let startedAt = Infinity;
  let isLate = false;
  runtime.setInterruptHandler(() => (isLate ||= spentMs + performance.now() - startedAt > limits.computeMs));
  const vm = runtime.newContext();

  let report = { calls: [], console: [] };
  let callCount = 0;
  let consoleLeft = limits.consoleCharacters;
  const on = (name, work) => vm.newFunction(name, (...handles) => {
    const problem = work(...handles.map((handle) => vm.dump(handle)));
    return problem === undefined ? undefined : { error: vm.newError({ name: 'RangeError', message: problem }) };
  });
  const call = on('call', (name, input) => {
    if (callCount >= limits.maxCalls) return 'a program may make ' + limits.maxCalls + ' calls of tools';
    if (input.length > limits.maxCharacters) return 'the input of ' + name + ' is too long: ' + input.length + ' characters';
    callCount += 1;
    report.calls.push({ name, input });
  });
  const log = on('log', (text) => {
    if (consoleLeft <= 0) return;
    consoleLeft -= text.length + 1;
    report.console.push(consoleLeft < 0 ? text.slice(0, consoleLeft) + '… (the rest of the console is cut)' : text);
  });
  const done = on('done', (ok, text) => {
    if (!ok) report.end = { ok: false, error: JSON.parse(text) };
    else if (text.length > limits.maxCharacters)
      report.end = { ok: false, error: { name: 'RangeError', message: 'the result is too long: ' + text.length + ' characters', stack: '' } };
    else report.end = { ok: true, output: text };
  });

  const fail = (handle) => {
    const error = vm.dump(handle);
    report.end = { ok: false, error: { name: error?.name ?? 'Error', message: String(error?.message ?? error), stack: String(error?.stack ?? '') } };
  };
  // Runs until nothing is left to do but to wait, and reports.
  const slice = (work) => {
    startedAt = performance.now();
    try {
      const begun = work();
      if (begun?.error !== undefined) fail(begun.error);
      // A failed job leaves the rest of the jobs pending: without memory none of them ever ends.
      while (runtime.hasPendingJob() && !isLate && report.end?.ok !== false) {
        const ran = runtime.executePendingJobs();
        if (ran.error !== undefined) fail(ran.error);
      }
    } catch (trap) {
      report.end = { ok: false, error: { name: trap?.name ?? 'Error', message: String(trap?.message ?? trap), stack: '' } };
      report.calls = [];
    }
    spentMs += performance.now() - startedAt;
    if (isLate) report = { ...report, calls: [], isLate };
    parentPort.postMessage(report);
    report = { calls: [], console: [] };
  };

  const guest = vm.unwrapResult(
    vm.callFunction(
      vm.unwrapResult(vm.evalCode(prelude, 'prelude.js')),
      vm.undefined,
      call, log, done, vm.newString(settings),
    ),
  );
  const run = vm.getProp(guest, 'run');
  const settle = vm.getProp(guest, 'settle');
  parentPort.on('message', ({ answers }) => {
    slice(() => vm.callFunction(settle, vm.undefined, vm.newString(answers)));
  });
  parentPort.postMessage('ready');
  slice(() => {
    const program = vm.evalCode('(async () => {' + source + '\n})', 'program.js');
    return program.error === undefined ? vm.callFunction(run, vm.undefined, program.value) : program;
  });
};

start().catch((error) => {
  parentPort.postMessage({ calls: [], console: [], broken: String(error?.message ?? error) });
});`;
