import { createServer } from 'node:net';

/** Below the range from which Linux and macOS take the ports of outgoing connections. */
const FIRST = 20_000;
const LAST = 32_000;

/**
 * Free local ports, different from each other. They are chosen at random, so that two runs side by side rarely meet.
 * @throws Error when none of many is free
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries > 1000)
      throw new Error(`no ${String(count)} free ports between ${String(FIRST)} and ${String(LAST)}`);
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
