// Loaded by the runtime when the first stored run of a process starts. A test that counts turns of the event loop must not count
// those in which a file is read.
import '../../src/memory/threads/threads.ts';
import '../../src/persistence/field-vault.ts';
import '../../src/persistence/journal-codec.ts';
import '../../src/persistence/sealed-data.ts';
import '../../src/runtime/journal/letters/letters.ts';
import '../../src/runtime/journal/letters/sealed-letters.ts';
import '../../src/runtime/journal/replay/parse-records.ts';
