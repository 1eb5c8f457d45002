// Progress while the console is built: on a terminal a line that counts the seconds, in a log one line at the start and one at the end.

const tickMs = 1000;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

export function showBuildProgress(output: Output): { end(isBuilt: boolean): void } {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const line = 'Building the console. This happens once after each update and takes about 15 seconds.';
  const draw = () => output.write(`\r${line} ${seconds()} s`);
  const timer = output.isTTY === true ? setInterval(draw, tickMs) : undefined;
  if (timer === undefined) output.write(`${line}\n`);
  else draw();
  return {
    end(isBuilt) {
      clearInterval(timer);
      if (timer !== undefined) output.write('\r\x1b[K');
      if (isBuilt) output.write(`Built the console in ${seconds()} s.\n`);
    },
  };
}
