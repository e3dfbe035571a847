import { describeClient } from '#test/client-contract.ts';
import { pythonClient } from '#test/python-client.ts';

await describeClient(pythonClient);
