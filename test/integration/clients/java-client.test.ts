import { describeClient } from '#test/client-contract.ts';
import { javaClient } from '#test/java-client.ts';

await describeClient(javaClient);
