import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPackages } from '../bootstrap/packages.mjs';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { livingPid } from '../processes/pid-file.ts';
import { toolboxBundleStep } from '../setup/toolbox-bundle.ts';
import { examineAgents, type HasVariable } from './examine-agents.ts';
import { examineDataFolder } from './examine-data-folder.ts';
import { examineDocker } from './examine-docker.ts';
import { examineGateway } from './examine-gateway.ts';
import { type Finding, finding } from './finding.ts';

const OLDEST_NODE_MAJOR = 24;

/** Looks at one thing after the other: first what set-up makes, then what is configured, then what runs. */
export async function* examine(context: CommandContext): AsyncGenerator<Finding> {
  const { io, folder } = context;
  yield* examineProject(context);
  yield* examineDocker(io.projectFolder, io.interrupts.signal);
  yield* examineDataFolder(folder, Date.now());
  try {
    yield* examineAgents(folder, gatewayVariables(context));
    yield* examineGateway(context);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    yield finding('Configuration', error.message);
  }
}

async function* examineProject({ io }: CommandContext): AsyncGenerator<Finding> {
  const { projectFolder } = io;
  yield finding(`Node ${process.versions.node}`, nodeProblem());
  const missing = missingPackages(projectFolder);
  yield finding(
    'npm packages',
    missing.length === 0
      ? undefined
      : `${missing.length} are missing or have another version (${missing[0]}): run "npm ci".`,
  );
  const generated = existsSync(join(projectFolder, 'proto', 'gen', 'toolgate'));
  yield finding('Generated code', generated ? undefined : 'proto/gen is missing: run "npm run generate".');
  const bundle = toolboxBundleStep({ projectFolder, logFolder: '' });
  const isBundled = await bundle.isDone(io.interrupts.signal);
  yield finding(
    'Toolbox bundle',
    isBundled ? undefined : 'it is missing or made from other sources: run "npm start".',
  );
}

function nodeProblem(): string | undefined {
  return Number(process.versions.node.split('.')[0]) >= OLDEST_NODE_MAJOR
    ? undefined
    : `the command line runs on Node ${OLDEST_NODE_MAJOR} or newer: start it by cli/toolgate.`;
}

/** The variables of the gateway that runs, else those that one would get which is started here. */
function gatewayVariables({ io, folder }: CommandContext): HasVariable {
  const pid = livingPid(folder.pidFiles.gateway);
  const path = `/proc/${pid}/environ`;
  if (pid === undefined || !existsSync(path)) return name => (io.env[name] ?? '') !== '';
  const set = readFileSync(path, 'utf8')
    .split('\0')
    .flatMap(entry => /^([^=]+)=./s.exec(entry)?.[1] ?? []);
  return name => set.includes(name);
}
