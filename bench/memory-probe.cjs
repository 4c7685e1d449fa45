// Loaded into the daemon that is measured: at SIGUSR2 it writes down where its memory is.
const { renameSync, writeFileSync } = require("node:fs");

const file = process.env.ROLLCALL_BENCH_MEMORY;
const isDaemon = process.argv[1]?.endsWith("rollcall-daemon.cjs");
if (file && isDaemon) process.on("SIGUSR2", () => write(process.memoryUsage()));

function write({ heapUsed, heapTotal, external }) {
  const inMegabytes = Object.entries({ heapUsed, heapTotal, external }).map(([name, bytes]) => [
    name,
    Math.round(bytes / 1e6),
  ]);
  writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(inMegabytes)));
  renameSync(`${file}.new`, file);
}
