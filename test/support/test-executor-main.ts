import { startTestExecutor } from '#test/test-executor.ts';

const options = JSON.parse(process.argv[2] ?? '{}');
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const executor = await startTestExecutor({ ...options, onEntry: say });
say({ address: executor.address });
