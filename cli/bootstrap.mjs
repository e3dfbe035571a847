// Runs before any package is there, on whatever Node the machine has; so plain JavaScript, and nothing is imported
// before the version is known to be good.
const OLDEST_NODE = 20;

const [command = '', ...rest] = process.argv.slice(2);
const nodeMajor = Number(process.versions.node.split('.')[0]);
if (nodeMajor < OLDEST_NODE) {
  console.error(
    `Toolgate needs Node ${OLDEST_NODE} or newer to start; this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}

const { bootstrap } = await import('./bootstrap/bootstrap.mjs');
process.exitCode = await bootstrap(command, rest);
